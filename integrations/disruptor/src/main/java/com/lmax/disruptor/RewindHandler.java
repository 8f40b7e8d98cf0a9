package com.lmax.disruptor;

/** Says where a processor goes on after a {@link RewindableException}. */
public interface RewindHandler {
    /**
     * The sequence to go on with. Called by the processor's thread.
     *
     * @param e what the handler threw
     * @param startOfBatchSequence the first sequence of its batch
     * @return the next sequence
     * @throws RewindableException if the batch is not to be rewound
     */
    long attemptRewindGetNextSequence(RewindableException e, long startOfBatchSequence) throws RewindableException;
}
