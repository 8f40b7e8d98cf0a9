package io.sluice.jcstress.twin;

/** What takes the place of an instruction. */
public sealed interface Change {
    /**
     * The call of another method of the same descriptor: another mode of access, another function.
     *
     * @param name its name
     */
    record CallInstead(String name) implements Change {}

    /** Nothing: the arguments are dropped. For calls without a result. */
    record Nothing() implements Change {}

    /**
     * A constant, after the arguments are dropped. For calls with an int, boolean or long result.
     *
     * @param value the result
     */
    record Constant(long value) implements Change {}

    /** The second of two arguments, the first being dropped. For static calls of two longs that give a long. */
    record SecondArgument() implements Change {}

    /** A compare-and-set becomes a volatile read, a comparison and a volatile store. */
    record ReadThenSet() implements Change {}

    /** An addition becomes a volatile read and a volatile store. */
    record ReadThenAdd() implements Change {}

    /** The call happens at the method's return instead. For calls without a result, in code without jumps up to there. */
    record AtReturn() implements Change {}

    /** The call, then the publication of the consumer's progress. For {@code ConsumerNode.enterBatch}. */
    record ThenProgress() implements Change {}

    /** The producer's signal, then the call. For the publication of a producer on a ring whose consumers are signalled. */
    record SignalFirst() implements Change {}

    /** The jump is always taken. */
    record AlwaysJump() implements Change {}

    /** The jump is never taken. */
    record NeverJump() implements Change {}
}
