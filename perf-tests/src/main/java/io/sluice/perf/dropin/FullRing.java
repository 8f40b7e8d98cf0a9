package io.sluice.perf.dropin;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Sixty-four threads publish to a small ring; its consumer rests at each event, as if it waited for a device. */
final class FullRing implements Workload {
    private static final int PUBLISHERS = 64;
    private static final int SLOTS = 128;
    private static final long REST_NANOS = 20_000;

    private final int share;
    private final Summing sum = new Summing();
    private final Disruptor<Payload> disruptor = new Disruptor<>(
            Payload::new, SLOTS, DaemonThreadFactory.INSTANCE, ProducerType.MULTI, new BlockingWaitStrategy());

    /** Starts the consumer. */
    FullRing(int events) {
        share = Math.max(1, events / PUBLISHERS);
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> {
            LockSupport.parkNanos(REST_NANOS);
            sum.add(event.value);
        });
        disruptor.start();
    }

    @Override
    public double[] run() throws Exception {
        long events = (long) PUBLISHERS * share;
        CountDownLatch latch = sum.expect(events);
        CountDownLatch begin = new CountDownLatch(1);
        Thread[] publishers = new Thread[PUBLISHERS];
        for (int i = 0; i < publishers.length; i++) {
            publishers[i] = DaemonThreadFactory.INSTANCE.newThread(() -> publish(begin));
            publishers[i].start();
        }
        long processor = ProcessTime.nanos();
        long start = System.nanoTime();
        begin.countDown();
        if (!latch.await(10, TimeUnit.MINUTES)) {
            throw new IllegalStateException("all events must be handled within 10 minutes, but are not");
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        double micros = (ProcessTime.nanos() - processor) / 1e3;
        for (Thread publisher : publishers) {
            publisher.join();
        }
        sum.check(PUBLISHERS * ((long) share * (share - 1) / 2));
        return new double[] {events / seconds, micros / events};
    }

    private void publish(CountDownLatch begin) {
        try {
            begin.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        for (long i = 0; i < share; i++) {
            disruptor.publishEvent((event, sequence, value) -> event.value = value, i);
        }
    }
}
