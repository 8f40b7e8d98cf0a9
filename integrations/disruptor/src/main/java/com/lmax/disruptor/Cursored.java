package com.lmax.disruptor;

/** Has a cursor: the last sequence that was claimed or published. */
public interface Cursored {
    /**
     * The cursor's value. Any thread; one acquire read.
     *
     * @return the last sequence, -1 before the first
     */
    long getCursor();
}
