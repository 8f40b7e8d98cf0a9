package io.sluice.examples.demo;

/**
 * The counts of a journal, and the check of the records that were read back from it after the run.
 *
 * @param records records that it took
 * @param bytes their bytes
 * @param forces how often it was forced to the device
 * @param same whether the records that were read back are as many, with the same bytes in the same order
 */
record JournalCheck(long records, long bytes, long forces, boolean same) {}
