package io.sluice.batching;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.agrona.LangUtil;
import org.jspecify.annotations.Nullable;

/**
 * Sends each batch to several sinks, in the order given. A batch counts as taken when all have taken it. When one fails, or
 * takes a part, those that have taken the batch are not offered it again. If the batch is discarded then, some
 * sinks may have sent it already.
 *
 * <p>The end of a batch is told to each sink that has taken something since it was last told, also where the batch was
 * discarded, or another sink has failed at its end. The first failure is thrown; it suppresses the others.
 *
 * <p>While a batch, or its end, waits for one sink, another that wants {@link BatchSink#onIdle()} by its {@link
 * BatchSink#idleAfterNanos()} is called at each attempt, unless it has taken a part of the batch only. So a journal beside a sink that
 * takes nothing forces in time.
 */
public final class CompositeSink implements BatchSink {
    private final BatchSink[] sinks;
    private final boolean[] ended; // it has taken nothing since
    private final int maxBatchLength;
    private final int maxMessageLength;

    /**
     * Makes a sink of sinks.
     *
     * @param sinks the sinks, one or more; closed by {@link #close()}
     * @throws IllegalArgumentException if there are none
     */
    public CompositeSink(List<? extends BatchSink> sinks) {
        if (sinks.isEmpty()) {
            throw new IllegalArgumentException("sinks must have 1 element or more, but had 0");
        }
        this.sinks = sinks.toArray(new BatchSink[0]);
        int longestBatch = Integer.MAX_VALUE;
        int longestMessage = Integer.MAX_VALUE;
        for (BatchSink sink : this.sinks) {
            longestBatch = Math.min(longestBatch, Check.notNull(sink, "sink").maxBatchLength());
            longestMessage = Math.min(longestMessage, sink.maxMessageLength());
        }
        maxBatchLength = longestBatch;
        maxMessageLength = longestMessage;
        ended = new boolean[this.sinks.length];
        Arrays.fill(ended, true);
    }

    @Override
    public void send(Batch batch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        int limit = buffer.limit();
        int[] taken = batch.notesOf(this, sinks.length);
        if (taken[0] < 0) {
            Arrays.fill(taken, buffer.position());
        }
        try {
            offer(batch, limit, taken);
        } catch (Exception thrown) {
            try {
                tellDue(batch, limit);
            } catch (Exception later) {
                if (later != thrown) {
                    thrown.addSuppressed(later);
                }
            }
            throw thrown;
        } finally {
            int least = limit;
            for (int position : taken) {
                least = Math.min(least, position);
            }
            buffer.position(least); // as far as the slowest
        }
        if (buffer.position() < limit) {
            tellDue(batch, limit);
        }
    }

    private void offer(Batch batch, int limit, int[] taken) throws IOException {
        ByteBuffer buffer = batch.buffer();
        for (int i = 0; i < sinks.length; i++) {
            if (taken[i] < limit) {
                // the sink before may have set another order
                buffer.position(taken[i]).order(ByteOrder.LITTLE_ENDIAN);
                int partsBefore = batch.partsTaken;
                try {
                    sinks[i].send(batch);
                } finally {
                    noteTaken(i, taken, batch, partsBefore);
                }
            }
        }
    }

    /**
     * While the batch waits for one of the sinks, calls those that want to be called: a force that one sink owes does not wait for
     * another sink. A sink that has taken only a part of the batch is not called.
     */
    private void tellDue(Batch batch, int limit) throws IOException {
        int[] taken = batch.notesOf(this, sinks.length);
        @Nullable Throwable failure = null;
        for (int i = 0; i < sinks.length; i++) {
            try {
                if (sinks[i] instanceof CompositeSink several) {
                    several.tellDue(batch, limit);
                } else if ((taken[i] <= 0 || taken[i] == limit) && sinks[i].idleAfterNanos() <= 0) {
                    sinks[i].onIdle();
                }
            } catch (Throwable e) { // as in callEach
                failure = first(failure, e);
            }
        }
        if (failure != null) {
            LangUtil.rethrowUnchecked(failure);
        }
    }

    /**
     * Notes how far a sink is. The position of a sink that is itself a composite may stand still
     * though one of its sinks has taken something.
     */
    private void noteTaken(int sink, int[] taken, Batch batch, int partsBefore) {
        if (batch.buffer().position() > taken[sink] || batch.partsTaken > partsBefore) {
            ended[sink] = false;
            batch.partsTaken++;
        }
        taken[sink] = batch.buffer().position();
    }

    /** Tells each sink that has taken something; a failure of one does not keep it from the others. */
    @Override
    public void endOfBatch() throws IOException {
        callEach(CompositeSink::end);
    }

    private void end(int sink) throws IOException {
        if (!ended[sink]) {
            sinks[sink].endOfBatch();
            ended[sink] = true;
        } else if (sinks[sink].idleAfterNanos() <= 0) { // while the end of another one fails
            sinks[sink].onIdle();
        }
    }

    /** Calls all sinks; a failure of one does not keep it from the others. */
    @Override
    public void onIdle() throws IOException {
        callEach((all, sink) -> all.sinks[sink].onIdle());
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
        callEach((all, sink) -> all.sinks[sink].onShutdown());
    }

    @Override
    public int maxBatchLength() {
        return maxBatchLength;
    }

    @Override
    public int maxMessageLength() {
        return maxMessageLength;
    }

    /** Closes all sinks; a failure of one does not keep the others open. */
    @Override
    public void close() throws IOException {
        callEach((all, sink) -> all.sinks[sink].close());
    }

    /** One call of a sink. It captures nothing: a batch allocates nothing. */
    private interface SinkCall {
        void on(CompositeSink all, int sink) throws IOException;
    }

    private void callEach(SinkCall call) throws IOException {
        @Nullable Throwable failure = null;
        for (int i = 0; i < sinks.length; i++) {
            try {
                call.on(this, i);
            } catch (Throwable e) { // also an error, and a checked one that comes unchecked, as from Kotlin
                failure = first(failure, e);
            }
        }
        if (failure != null) {
            LangUtil.rethrowUnchecked(failure);
        }
    }

    private static Throwable first(@Nullable Throwable before, Throwable now) {
        if (before == null) {
            return now;
        }
        if (before != now) {
            before.addSuppressed(now);
        }
        return before;
    }
}
