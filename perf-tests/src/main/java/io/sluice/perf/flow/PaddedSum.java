package io.sluice.perf.flow;

/*
 * The sum of one consumer stands alone on its cache lines, so that neither a consumer beside it nor a producer waits for its
 * writes. Padding goes through superclasses, since the JVM may reorder the fields of one class.
 */
abstract class SumPaddingBefore {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}

abstract class SumValue extends SumPaddingBefore {
    /** Written by the consumer's thread; others read it after an acquire of its progress. */
    long sum;
}

/** The sum that every contestant's consumer adds up. */
abstract class PaddedSum extends SumValue {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;
}
