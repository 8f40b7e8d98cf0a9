package io.sluice.jcstress.twin;

/** The replacement of an instruction. */
public sealed interface Change {
    /**
     * The call of another method of the same descriptor: another mode of access, another function.
     *
     * @param name its name
     */
    record CallInstead(String name) implements Change {
        @Override
        public String toString() {
            return "calls " + name + " instead";
        }
    }

    /** Nothing: the arguments are dropped. For calls without a result, and stores of objects or longs into arrays. */
    record Nothing() implements Change {
        @Override
        public String toString() {
            return "left out";
        }
    }

    /**
     * A constant, after the arguments are dropped. For calls with an int, boolean or long result.
     *
     * @param value the result
     */
    record Constant(long value) implements Change {
        @Override
        public String toString() {
            return "gives " + value + " always";
        }
    }

    /** The second of two arguments, the first being dropped. For static calls of two values of one type that give one of it. */
    record SecondArgument() implements Change {
        @Override
        public String toString() {
            return "gives its second argument";
        }
    }

    /** A compare-and-set becomes a volatile read, a comparison and a volatile store. */
    record ReadThenSet() implements Change {
        @Override
        public String toString() {
            return "read, compared, then set";
        }
    }

    /** An addition becomes a volatile read and a volatile store. */
    record ReadThenAdd() implements Change {
        @Override
        public String toString() {
            return "read, then set";
        }
    }

    /** An exchange becomes a volatile read and a volatile store. */
    record ReadThenExchange() implements Change {
        @Override
        public String toString() {
            return "read, then set";
        }
    }

    /** The call happens at the method's return instead. For calls without a result, in code without jumps up to there. */
    record AtReturn() implements Change {
        @Override
        public String toString() {
            return "done at the end of the method";
        }
    }

    /** The call, then the publication of the consumer's progress. For {@code ConsumerNode.enterBatch}. */
    record ThenProgress() implements Change {
        @Override
        public String toString() {
            return "followed by the progress of the batch";
        }
    }

    /** The producer's signal, then the call. For the publication of a producer on a ring whose consumers are signalled. */
    record SignalFirst() implements Change {
        @Override
        public String toString() {
            return "done after the signal";
        }
    }

    /** The call, then the publication of the claimed sequences. For the end of a single producer's claim. */
    record ThenCursor() implements Change {
        @Override
        public String toString() {
            return "followed by the publication";
        }
    }

    /** The publication of the sequences to be claimed, then the call. For the compare-and-set of one of many producers' claim. */
    record StampFirst() implements Change {
        @Override
        public String toString() {
            return "done after the publication";
        }
    }

    /** The turn is passed to the next ticket, then the call. For {@code Delivery.deliver}. */
    record TurnFirst() implements Change {
        @Override
        public String toString() {
            return "done after the turn was passed";
        }
    }

    /** The call, then the lowering of the group's word. For the look at the members in {@code SignalGroup.wake}. */
    record ThenLowered() implements Change {
        @Override
        public String toString() {
            return "followed by the lowering of the word";
        }
    }

    /** The jump is always taken. */
    record AlwaysJump() implements Change {
        @Override
        public String toString() {
            return "always taken";
        }
    }

    /** The jump is never taken. */
    record NeverJump() implements Change {
        @Override
        public String toString() {
            return "never taken";
        }
    }

    /**
     * Another instruction that takes and leaves the same: a jump on another condition, another operation.
     *
     * @param opcode its opcode
     */
    record OpcodeInstead(int opcode) implements Change {
        @Override
        public String toString() {
            return "opcode " + opcode + " instead";
        }
    }

    /** {@code Thread.currentThread().isInterrupted()} becomes {@code Thread.interrupted()}, which clears the flag. */
    record FlagCleared() implements Change {
        @Override
        public String toString() {
            return "clears the flag";
        }
    }
}
