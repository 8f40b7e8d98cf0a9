package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.batching.Batch;
import io.sluice.batching.BatchSink;
import io.sluice.batching.Batcher;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.batching.ByteChannelSink;
import io.sluice.batching.CompositeSink;
import io.sluice.batching.MessageEncoder;
import io.sluice.core.FailurePolicy.Action;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread that was interrupted before the end loses nothing in it: channels close themselves where the flag is set. */
class InterruptedEndTest {
    private static final MessageEncoder<Long> ENCODER = (value, buffer, offset) -> {
        buffer.putLong(offset, value);
        return Long.BYTES;
    };

    /** Interrupts its own thread as soon as there is nothing to do. */
    private static final class InterruptsWhenIdle implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            Thread.currentThread().interrupt();
        }

        @Override
        public void reset() {}
    }

    @TempDir
    Path folder;

    private final Queue<Long> queue = new ArrayDeque<>(List.of(1L, 2L, 3L));

    /** Another test must not meet the flag. */
    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    static Stream<Arguments> waysToWrite() {
        return Stream.of(JournalConfig.Method.values())
                .flatMap(method -> Stream.of(
                                Durability.NONE, Durability.every(Duration.ofHours(1)), Durability.EACH_BATCH)
                        .map(durability -> Arguments.of(method, durability)));
    }

    private Journal journal(JournalConfig.Method method, Durability durability) throws JournalException {
        return Journal.open(
                folder,
                JournalConfig.defaults().segmentSize(1 << 16).method(method).durability(durability));
    }

    @ParameterizedTest
    @MethodSource("waysToWrite")
    void aBatcherThatAnInterruptHasEndedClosesItsJournalInOrder(JournalConfig.Method method, Durability durability)
            throws Exception {
        Journal journal = journal(method, durability);
        Batcher<Long> batcher = new Batcher<>(
                queue,
                ENCODER,
                new JournalSink(journal),
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> Action.HALT);
        batcher.run(new InterruptsWhenIdle());
        batcher.onClose();
        assertThat(Thread.interrupted()).as("the flag stays").isTrue();
        assertThat(journal.durableSequence()).isEqualTo(2);
        assertThat(Journal.verify(folder).nextSequence()).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("waysToWrite")
    void whatWasAppendedIsThereThoughTheClosingThreadWasInterrupted(JournalConfig.Method method, Durability durability)
            throws Exception {
        Journal journal = journal(method, durability);
        journal.append(ByteBuffer.allocate(8), 0, 8);
        Thread.currentThread().interrupt();
        journal.close();
        assertThat(Thread.interrupted()).as("the flag stays").isTrue();
        assertThat(journal.durableSequence()).isZero();
        assertThat(Journal.verify(folder).nextSequence()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void aHandlersLastForceIsDoneThoughItsThreadWasInterrupted(JournalConfig.Method method) throws Exception {
        Journal journal = journal(method, Durability.every(Duration.ofHours(1)));
        BatchingHandler<Long> handler =
                new BatchingHandler<>(ENCODER, new JournalSink(journal), BatchingConfig.defaults());
        handler.onEvent(1L, 0, true);
        Thread.currentThread().interrupt();
        handler.onShutdown();
        assertThat(Thread.currentThread().isInterrupted()).as("the flag stays").isTrue();
        assertThat(journal.durableSequence()).isZero();
        handler.close();
    }

    /** A pipe's channel blocks, and closes itself when a thread with the flag set writes to it. */
    @Test
    void whatAFailingSinkHasLeftGoesToABlockingChannelThoughTheThreadWasInterrupted() throws Exception {
        Pipe pipe = Pipe.open();
        boolean[] fails = {true};
        BatchSink gate = new BatchSink() {
            @Override
            public void send(Batch batch) throws IOException {
                if (fails[0]) {
                    throw new IOException("planned");
                }
                batch.buffer().position(batch.buffer().limit());
            }
        };
        Batcher<Long> batcher = new Batcher<>(
                queue,
                ENCODER,
                new CompositeSink(List.of(gate, new ByteChannelSink(pipe.sink()))),
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> Action.RETRY_EVENT);
        assertThat(batcher.doWork()).isPositive();
        assertThat(batcher.pendingMessages()).isEqualTo(3);
        fails[0] = false;
        Thread.currentThread().interrupt();
        batcher.onClose();
        assertThat(Thread.interrupted()).as("the flag stays").isTrue();
        assertThat(batcher.pendingMessages()).isZero();
        ByteBuffer came = ByteBuffer.allocate(3 * Long.BYTES);
        while (came.hasRemaining()) {
            assertThat(pipe.source().read(came)).isPositive();
        }
        pipe.sink().close();
        pipe.source().close();
    }

    @Test
    void aSinkThatTakesNothingAtFirstIsWaitedForThoughTheThreadWasInterrupted() {
        int[] sends = {0};
        BatchSink slow = batch -> {
            if (++sends[0] > 5) {
                batch.buffer().position(batch.buffer().limit());
            } else if (sends[0] == 1) {
                throw new IOException("planned");
            }
        };
        Batcher<Long> batcher = new Batcher<>(
                queue,
                ENCODER,
                slow,
                BatchingConfig.defaults().sinkIdle(NoOpIdleStrategy.INSTANCE, Duration.ofSeconds(30)),
                (cause, event, sequence, attempt) -> Action.RETRY_EVENT);
        assertThat(batcher.doWork()).isPositive();
        Thread.currentThread().interrupt();
        batcher.onClose();
        assertThat(Thread.interrupted()).as("the flag stays").isTrue();
        assertThat(batcher.pendingMessages()).isZero();
    }
}
