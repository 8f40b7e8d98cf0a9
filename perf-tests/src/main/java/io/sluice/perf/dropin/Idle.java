package io.sluice.perf.dropin;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.concurrent.CountDownLatch;

/** A ring as its shortest constructor makes it, with a consumer that has nothing to do. */
final class Idle implements Workload {
    private final long millis;
    private final Summing sum = new Summing();
    private final Disruptor<Payload> disruptor = new Disruptor<>(Payload::new, 1_024, DaemonThreadFactory.INSTANCE);

    /** Starts the consumer, which handles one event and then sleeps. */
    Idle(int millis) throws InterruptedException {
        this.millis = millis;
        CountDownLatch latch = sum.expect(1);
        disruptor.handleEventsWith(sum);
        disruptor.start();
        disruptor.publishEvent((event, sequence) -> event.value = 1);
        latch.await();
    }

    @Override
    public double[] run() throws InterruptedException {
        long processor = ProcessTime.nanos();
        long start = System.nanoTime();
        Thread.sleep(millis);
        double percent = 100.0 * (ProcessTime.nanos() - processor) / (System.nanoTime() - start);
        sum.check(1);
        return new double[] {percent};
    }
}
