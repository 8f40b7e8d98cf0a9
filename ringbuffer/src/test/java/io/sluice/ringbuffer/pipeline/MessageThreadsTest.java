package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.SignalledIdle;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages of all lengths from several threads to several consumers, over rings so small that they wrap all the time. */
@Tag("concurrency")
@Timeout(240)
@SuppressWarnings("ThreadPriorityCheck") // more threads than cores
class MessageThreadsTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

    /** The producer's number and its count, then bytes that follow from the count. */
    private static final int SHORTEST = 16;

    private static void fill(org.agrona.MutableDirectBuffer buffer, int offset, int length, int producer, long count) {
        buffer.putLong(offset, producer);
        buffer.putLong(offset + 8, count);
        for (int i = SHORTEST; i < length; i++) {
            buffer.putByte(offset + i, (byte) (count * 7 + i));
        }
    }

    /** Checks the bytes, and that each producer's messages come in their order, without a gap unless it aborts some. */
    private static final class Reader implements MessageHandler {
        final long[] last;
        final AtomicReference<Throwable> wrong = new AtomicReference<>();
        final boolean ordered;
        final LongAdder messages = new LongAdder();
        final LongAdder counts = new LongAdder();
        private boolean open;

        Reader(int producers, boolean ordered) {
            last = new long[producers];
            this.ordered = ordered;
        }

        @Override
        public void onBatchStart(long size, long available) {
            open = true;
        }

        @Override
        public void onBatchEnd(long sequence) {
            if (open) {
                wrong.compareAndSet(null, new AssertionError("a batch ended without a last message at " + sequence));
            }
        }

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
            try {
                open = !last;
                check(type, buffer, offset, length, sequence);
            } catch (Throwable t) {
                wrong.compareAndSet(null, t);
            }
        }

        private void check(int type, DirectBuffer buffer, int offset, int length, long sequence) {
            int producer = (int) buffer.getLong(offset);
            long count = buffer.getLong(offset + 8);
            if (type != 1 + count % 9) {
                throw new AssertionError("type " + type + " of count " + count + " at " + sequence);
            }
            for (int i = SHORTEST; i < length; i++) {
                if (buffer.getByte(offset + i) != (byte) (count * 7 + i)) {
                    throw new AssertionError("byte " + i + " of count " + count + " at " + sequence);
                }
            }
            if (ordered) {
                if (count <= last[producer]) {
                    throw new AssertionError("count " + count + " of " + producer + " behind " + last[producer]);
                }
                last[producer] = count;
            }
            messages.increment();
            counts.add(count);
        }
    }

    private static void publish(RingBuffer<Messages> ring, int number, int messages, long[] sum) {
        MessageProducer producer = MessageProducer.of(ring);
        SplittableRandom random = new SplittableRandom(number);
        SafeBuffer own = SafeBuffer.allocate(producer.maxLength());
        SafeBuffer[] two = {SafeBuffer.allocate(0), SafeBuffer.allocate(0)};
        long sent = 0;
        for (long count = 1; count <= messages; count++) {
            int type = (int) (1 + count % 9);
            int length = SHORTEST + random.nextInt(producer.maxLength() - SHORTEST + 1);
            boolean counts = true;
            long result;
            switch (random.nextInt(6)) {
                case 0 -> {
                    result = producer.claim(type, length, PATIENCE);
                    if (result >= 0) {
                        fill(producer.buffer(), producer.offset(result), length, number, count);
                        producer.abort(result);
                        counts = false;
                    }
                }
                case 1, 2 -> {
                    result = producer.claim(type, length, PATIENCE);
                    if (result >= 0) {
                        fill(producer.buffer(), producer.offset(result), length, number, count);
                        producer.commit(result);
                    }
                }
                case 3 -> {
                    fill(own, 0, length, number, count);
                    int cut = random.nextInt(length + 1);
                    two[0].wrap(own, 0, cut);
                    two[1].wrap(own, cut, length - cut);
                    while ((result = producer.offerParts(type, two)) == Producer.FULL) {
                        Thread.yield();
                    }
                }
                default -> {
                    fill(own, 0, length, number, count);
                    result = producer.offer(type, own, 0, length, PATIENCE);
                }
            }
            if (result < 0) {
                throw new AssertionError("message " + count + " of " + number + ": " + Producer.resultName(result));
            }
            if (counts) {
                sum[number] += count;
                sent++;
            }
        }
        producer.close();
        synchronized (sum) {
            sum[sum.length - 1] += sent;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 128, false",
        "1, 1024, false",
        "1, 65536, true",
        "3, 128, false",
        "3, 1024, true",
        "3, 65536, false",
        "2, 256, true"
    })
    void everyMessageComesWholeInOrderToEachConsumerOnce(int producers, int bytes, boolean blocking) throws Exception {
        int messages = 60_000 / producers;
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(bytes);
        if (blocking) {
            builder.consumersIdle(SignalledIdle::exact);
        } else {
            builder.consumersIdle(YieldingIdleStrategy::new);
        }
        builder.producersIdle(YieldingIdleStrategy::new);
        RingBuffer<Messages> ring = (producers == 1 ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Reader first = new Reader(producers, true);
        Reader beside = new Reader(producers, true);
        Reader behind = new Reader(producers, true);
        Reader workerOne = new Reader(producers, false);
        Reader workerTwo = new Reader(producers, false);
        Reader last = new Reader(producers, true);
        pipeline.handleEventsWith(first, beside).then(behind);
        pipeline.after(first).thenWorkerPool(workerOne, workerTwo).then(last);
        Reader poolOne = new Reader(producers, false);
        Reader poolTwo = new Reader(producers, false);
        pipeline.handleEventsWithWorkerPool(poolOne, poolTwo);
        pipeline.onFailure(FailurePolicies.halt());
        pipeline.start();
        long[] sum = new long[producers + 1];
        List<Thread> threads = new ArrayList<>();
        List<Throwable> thrown = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            int number = i;
            Thread thread = new Thread(() -> publish(ring, number, messages, sum), "messages-" + i);
            thread.setUncaughtExceptionHandler((who, what) -> {
                synchronized (thrown) {
                    thrown.add(what);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(thrown).isEmpty();
        assertThat(ring.drain(PATIENCE).isNone()).isTrue();
        ring.close();
        long all = 0;
        for (int i = 0; i < producers; i++) {
            all += sum[i];
        }
        for (Reader reader : List.of(first, beside, behind, last, workerOne, workerTwo, poolOne, poolTwo)) {
            assertThat(reader.wrong.get()).isNull();
        }
        for (Reader reader : List.of(first, beside, behind, last)) {
            assertThat(reader.messages.sum()).isEqualTo(sum[producers]);
            assertThat(reader.counts.sum()).isEqualTo(all);
        }
        assertThat(workerOne.messages.sum() + workerTwo.messages.sum()).isEqualTo(sum[producers]);
        assertThat(workerOne.counts.sum() + workerTwo.counts.sum()).isEqualTo(all);
        assertThat(poolOne.messages.sum() + poolTwo.messages.sum()).isEqualTo(sum[producers]);
        assertThat(poolOne.counts.sum() + poolTwo.counts.sum()).isEqualTo(all);
    }

    /** The stamps of a ring of 64 bytes are used again at once: a worker that looked beyond one message would see what is not there. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void workersOfATinyRingGetEachMessageOnce(int producers) throws Exception {
        int messages = 40_000;
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(128)
                .consumersIdle(YieldingIdleStrategy::new)
                .producersIdle(YieldingIdleStrategy::new);
        RingBuffer<Messages> ring = builder.build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Reader[] workers = {new Reader(producers, false), new Reader(producers, false), new Reader(producers, false)};
        pipeline.handleEventsWithWorkerPool(workers);
        pipeline.start();
        long[] sum = new long[producers + 1];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            int number = i;
            Thread thread = new Thread(() -> publish(ring, number, messages / producers, sum), "messages-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(ring.drain(PATIENCE).isNone()).isTrue();
        ring.close();
        long all = 0;
        long counted = 0;
        for (Reader worker : workers) {
            assertThat(worker.wrong.get()).isNull();
            all += worker.counts.sum();
            counted += worker.messages.sum();
        }
        assertThat(counted).isEqualTo(sum[producers]);
        long sent = 0;
        for (int i = 0; i < producers; i++) {
            sent += sum[i];
        }
        assertThat(all).isEqualTo(sent);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aParkedConsumerIsWoken(boolean single) throws Exception {
        RingBufferBuilder<Messages> builder =
                RingBufferBuilder.messages(64).consumersIdle(() -> SignalledIdle.exact(0));
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        CountDownLatch handled = new CountDownLatch(1);
        MessageHandler counts = (type, buffer, offset, length, sequence, endOfBatch) -> handled.countDown();
        pipeline.handleEventsWith(counts);
        List<Thread> threads = new ArrayList<>();
        pipeline.threads(task -> {
            threads.add(new Thread(task));
            return threads.get(0);
        });
        pipeline.start();
        Rings.await("a parked consumer", () -> threads.get(0).getState() == Thread.State.WAITING);
        assertThat(MessageProducer.of(ring).offer(1, SafeBuffer.allocate(8), 0, 8))
                .isZero();
        assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
        ring.close();
    }

    /** Somebody keeps aborting open claims while their owners fill them slowly, and commit: one of both wins, and no message is torn. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void ofCommitAndAbortForTheOwnerOneWins(int producers) throws Exception {
        RingBufferBuilder<Messages> builder =
                RingBufferBuilder.messages(1_024).trackClaims().consumersIdle(YieldingIdleStrategy::new);
        RingBuffer<Messages> ring = (producers == 1 ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Reader reader = new Reader(producers, true);
        pipeline.handleEventsWith(reader);
        pipeline.start();
        AtomicBoolean ended = new AtomicBoolean();
        LongAdder inStead = new LongAdder();
        AtomicLong looks = new AtomicLong();
        List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
        Thread aborter = new Thread(() -> {
            StalledClaimDetector detector = StalledClaimDetector.of(ring);
            while (!ended.get()) {
                looks.incrementAndGet();
                AbandonedClaim claim = detector.look(0);
                try {
                    if (claim != null && claim.isOwnerKnown() && claim.abort() > 0) {
                        inStead.increment();
                    }
                } catch (IllegalStateException notNow) {
                    Thread.onSpinWait(); // its thread was within the claim
                }
                Thread.yield();
            }
        });
        aborter.start();
        LongAdder committed = new LongAdder();
        LongAdder lost = new LongAdder();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                try (MessageProducer producer = MessageProducer.of(ring)) {
                    SplittableRandom random = new SplittableRandom(number);
                    for (long count = 1; count <= 20_000; count++) {
                        int length = SHORTEST + random.nextInt(producer.maxLength() - SHORTEST + 1);
                        long sequence = producer.claim((int) (1 + count % 9), length, PATIENCE);
                        fill(producer.buffer(), producer.offset(sequence), length, number, count);
                        if (count % 16 == 0) { // the aborter looks meanwhile, and acts at any of the looks or after
                            long until = looks.get() + random.nextInt(4);
                            while (looks.get() < until) {
                                Thread.yield();
                            }
                        }
                        try {
                            producer.commit(sequence);
                            committed.increment();
                        } catch (ClaimAbortedException e) {
                            lost.increment();
                        }
                    }
                } catch (Throwable t) {
                    thrown.add(t);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        ended.set(true);
        aborter.join();
        assertThat(thrown).isEmpty();
        assertThat(ring.drain(PATIENCE).isNone()).isTrue();
        ring.close();
        assertThat(reader.wrong.get()).isNull();
        assertThat(committed.sum() + lost.sum()).isEqualTo(20_000L * producers);
        assertThat(reader.messages.sum()).isEqualTo(committed.sum());
        assertThat(inStead.sum()).isEqualTo(lost.sum()).isPositive();
    }
}
