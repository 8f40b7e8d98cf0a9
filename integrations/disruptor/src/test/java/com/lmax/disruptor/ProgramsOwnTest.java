package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a processor asks of a barrier and of a data provider of the program's own. Both versions have this test. */
@Tag("concurrency")
class ProgramsOwnTest {
    private final RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 8);

    /** It has no cursor to tell, and returns early now and then. */
    @Test
    void aBarrierIsAskedForNothingButWaits() throws Exception {
        SequenceBarrier rings = ring.newBarrier();
        AtomicInteger early = new AtomicInteger();
        CountDownLatch handled = new CountDownLatch(2);
        SequenceBarrier own = new SequenceBarrier() {
            @Override
            public long waitFor(long sequence) throws AlertException, InterruptedException, TimeoutException {
                return early.incrementAndGet() % 4 > 0 ? sequence - 1 : rings.waitFor(sequence);
            }

            @Override
            public long getCursor() {
                throw new UnsupportedOperationException();
            }

            @Override
            public boolean isAlerted() {
                return rings.isAlerted();
            }

            @Override
            public void alert() {
                rings.alert();
            }

            @Override
            public void clearAlert() {
                rings.clearAlert();
            }

            @Override
            public void checkAlert() throws AlertException {
                rings.checkAlert();
            }
        };
        BatchEventProcessor<long[]> processor =
                Processors.of(ring, own, (event, sequence, endOfBatch) -> handled.countDown());
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(processor);
        thread.start();
        for (int i = 0; i < 2; i++) {
            ring.publish(ring.next());
        }
        assertThat(handled.await(30, SECONDS)).isTrue();
        processor.halt();
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
    }

    /** The Disruptor's barrier asks it for nothing else. It says at each second question that nothing is published. */
    @Test
    void aSequencerIsAskedOnlyHowFarAllIsPublished() throws Exception {
        CountDownLatch handled = new CountDownLatch(2);
        Counting sequencer = new Counting();
        DataProvider<long[]> provider = sequence -> new long[] {sequence};
        BatchEventProcessor<long[]> processor =
                Processors.of(provider, sequencer.newBarrier(), (event, sequence, endOfBatch) -> handled.countDown());
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(processor);
        thread.start();
        for (int i = 0; i < 2; i++) {
            sequencer.publish(sequencer.next());
        }
        assertThat(handled.await(30, SECONDS)).isTrue();
        processor.halt();
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
    }

    /** A sequencer of the program's own. */
    private static final class Counting extends AbstractSequencer {
        private int asked;

        Counting() {
            super(8, new BlockingWaitStrategy());
        }

        @Override
        public long getHighestPublishedSequence(long nextSequence, long availableSequence) {
            return asked++ % 2 == 0 ? nextSequence - 1 : availableSequence;
        }

        @Override
        public long next() {
            return cursor.get() + 1;
        }

        @Override
        public void publish(long sequence) {
            cursor.set(sequence);
            waitStrategy.signalAllWhenBlocking();
        }

        @Override
        public boolean isAvailable(long sequence) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void claim(long sequence) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean hasAvailableCapacity(int requiredCapacity) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long remainingCapacity() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long next(int n) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long tryNext() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long tryNext(int n) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void publish(long lo, long hi) {
            throw new UnsupportedOperationException();
        }
    }

    /** It makes a new object at each call. */
    @Test
    void theExceptionHandlerGetsTheObjectThatTheHandlerHad() {
        List<long[]> given = new ArrayList<>();
        DataProvider<long[]> provider = sequence -> new long[] {sequence};
        run(provider, given, (event, sequence, endOfBatch) -> {
            given.add(event);
            throw new IllegalStateException();
        });
        assertThat(given).hasSize(6);
        for (int i = 0; i < 6; i += 2) {
            assertThat(given.get(i + 1)).as("event %d", i / 2).isSameAs(given.get(i));
        }
    }

    /** No handler was given the event: it is asked for once more. */
    @Test
    void aProviderThatThrowsIsAskedAgainForTheExceptionHandler() {
        List<long[]> told = new ArrayList<>();
        AtomicInteger asked = new AtomicInteger();
        DataProvider<long[]> provider = sequence -> {
            if (sequence == 1 && asked.incrementAndGet() == 1) {
                throw new IllegalStateException();
            }
            return new long[] {sequence};
        };
        List<Long> handled = new ArrayList<>();
        run(provider, told, (event, sequence, endOfBatch) -> handled.add(sequence));
        assertThat(told).containsExactly(new long[] {1});
        assertThat(handled).containsExactly(0L, 2L);
        assertThat(asked).hasValue(2);
    }

    /** Runs a processor for three events; what the exception handler is told is added. */
    private void run(DataProvider<long[]> provider, List<long[]> told, EventHandler<long[]> handler) {
        List<BatchEventProcessor<long[]>> self = new ArrayList<>();
        BatchEventProcessor<long[]> processor =
                Processors.of(provider, ring.newBarrier(), (event, sequence, endOfBatch) -> {
                    if (sequence == 2) {
                        self.get(0).halt();
                    }
                    handler.onEvent(event, sequence, endOfBatch);
                });
        self.add(processor);
        processor.setExceptionHandler(new ExceptionHandler<>() {
            @Override
            public void handleEventException(Throwable ex, long sequence, long[] event) {
                told.add(event);
            }

            @Override
            public void handleOnStartException(Throwable ex) {}

            @Override
            public void handleOnShutdownException(Throwable ex) {}
        });
        for (int i = 0; i < 3; i++) {
            ring.publish(ring.next());
        }
        processor.run();
    }
}
