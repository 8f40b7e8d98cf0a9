package io.sluice.perf.batching;

/**
 * Something that has to hold.
 *
 * @param what in words, with the figures that were measured
 * @param holds whether it does
 */
record Check(String what, boolean holds) {}
