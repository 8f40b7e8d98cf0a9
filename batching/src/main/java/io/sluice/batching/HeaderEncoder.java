package io.sluice.batching;

/** Writes the header of a batch. The thread that makes the batches calls it once for each batch, before the batch is first offered. */
@FunctionalInterface
public interface HeaderEncoder {
    /**
     * Writes the header, from index 0 to {@link Batch#headerLength()} of the batch's buffer, with absolute puts. The buffer is little
     * endian unless this sets another order, which holds for this call only.
     *
     * @param batch the batch, complete but for its header
     * @throws Exception if the header cannot be made; the batch is then not sent, its messages stay, and the next attempt
     *     makes the header again. The failure policy gets a {@link SinkException} with this as its cause
     */
    void encode(Batch batch) throws Exception;
}
