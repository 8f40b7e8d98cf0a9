package io.sluice.batching;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * Sends each batch to several sinks, in the order given. A batch counts as taken when all have taken it. When one fails, or
 * takes a part, those that have taken the batch are not offered it again.
 */
public final class CompositeSink implements BatchSink {
    private final BatchSink[] sinks;
    private final int[] taken;
    private final boolean[] ended;
    private final int maxBatchLength;
    private long batchId;

    /**
     * Makes a sink of sinks.
     *
     * @param sinks the sinks, one or more; closed by {@link #close()}
     * @throws IllegalArgumentException if there are none
     */
    public CompositeSink(List<? extends BatchSink> sinks) {
        if (sinks.isEmpty()) {
            throw new IllegalArgumentException("sinks has 0 elements, allowed is 1 or more");
        }
        this.sinks = sinks.toArray(new BatchSink[0]);
        int max = Integer.MAX_VALUE;
        for (BatchSink sink : this.sinks) {
            max = Math.min(max, Objects.requireNonNull(sink, "sink").maxBatchLength());
        }
        maxBatchLength = max;
        taken = new int[this.sinks.length];
        ended = new boolean[this.sinks.length];
    }

    @Override
    public void send(Batch batch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        int limit = buffer.limit();
        if (batch.id() != batchId) {
            batchId = batch.id();
            java.util.Arrays.fill(taken, buffer.position());
            java.util.Arrays.fill(ended, false);
        }
        int start = buffer.position();
        boolean done = false;
        try {
            for (int i = 0; i < sinks.length; i++) {
                if (taken[i] < limit) {
                    buffer.position(taken[i]);
                    try {
                        sinks[i].send(batch);
                    } finally {
                        taken[i] = buffer.position();
                    }
                }
            }
            done = true;
        } finally {
            int least = limit;
            for (int position : taken) {
                least = Math.min(least, position);
            }
            // Part of the progress of a sink that was ahead is no progress of the whole.
            buffer.position(done || least > start ? least : start);
        }
    }

    @Override
    public void endOfBatch() throws IOException {
        for (int i = 0; i < sinks.length; i++) {
            if (!ended[i]) {
                sinks[i].endOfBatch();
                ended[i] = true;
            }
        }
        java.util.Arrays.fill(ended, false);
    }

    @Override
    public void onIdle() throws IOException {
        for (BatchSink sink : sinks) {
            sink.onIdle();
        }
    }

    @Override
    public long idleAfterNanos() {
        long least = Long.MAX_VALUE;
        for (BatchSink sink : sinks) {
            least = Math.min(least, sink.idleAfterNanos());
        }
        return least;
    }

    /** Tells all sinks; a failure of one does not keep it from the others. */
    @Override
    public void onShutdown() throws IOException {
        each(BatchSink::onShutdown);
    }

    @Override
    public int maxBatchLength() {
        return maxBatchLength;
    }

    /** Closes all sinks; a failure of one does not keep the others open. */
    @Override
    public void close() throws IOException {
        each(BatchSink::close);
    }

    private interface Step {
        void on(BatchSink sink) throws IOException;
    }

    private void each(Step step) throws IOException {
        IOException failure = null;
        for (BatchSink sink : sinks) {
            try {
                step.on(sink);
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
