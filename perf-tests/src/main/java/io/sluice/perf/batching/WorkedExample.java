package io.sluice.perf.batching;

import io.sluice.batching.BatchSink;
import io.sluice.batching.Batcher;
import io.sluice.batching.BatchingConfig;
import io.sluice.core.FailurePolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import org.agrona.concurrent.BusySpinIdleStrategy;

/**
 * The worked example of Martin Thompson, <em>Smart Batching</em> (2011): ten messages want to be sent at once over a device that
 * takes 100 µs a send. Once in virtual time, once on a device that really takes its time, with a thread that batches.
 */
final class WorkedExample {
    static final int MESSAGES = 10;
    static final long SEND_NANOS = 100_000;

    private WorkedExample() {}

    /**
     * A line of the table: times in microseconds.
     *
     * @param approach serial or smart batching
     * @param clock virtual, or real
     * @param best the first message's time
     * @param average the mean of all messages
     * @param worst the last message's time
     * @param fewestPackets of the bursts
     * @param mostPackets of the bursts
     */
    record Line(
            String approach,
            String clock,
            double best,
            double average,
            double worst,
            int fewestPackets,
            int mostPackets) {}

    /** The times of one burst in microseconds, and its packets. */
    private record Burst(double best, double average, double worst, int packets) {
        static Burst of(long[] nanos, int packets) {
            long[] sorted = nanos.clone();
            Arrays.sort(sorted);
            return new Burst(
                    sorted[0] / 1e3,
                    Arrays.stream(sorted).average().orElseThrow() / 1e3,
                    sorted[sorted.length - 1] / 1e3,
                    packets);
        }
    }

    /** The figures of the article itself. */
    static List<Line> article() {
        return List.of(
                new Line("serial", "article", 100, 500, 1_000, 10, 10),
                new Line("smart batching", "article", 100, 150, 200, 1, 2));
    }

    /** Both approaches in virtual time, over every way in which the ten can meet the first send. */
    static List<Line> virtual() {
        List<Burst> smart = new ArrayList<>();
        for (int first = 1; first <= MESSAGES; first++) {
            smart.add(virtual(first, MESSAGES));
        }
        return List.of(
                line("serial", "virtual", List.of(virtual(MESSAGES, 1)), false),
                line("smart batching", "virtual", smart, false));
    }

    /** Both approaches on a device that spins, so many bursts each. */
    static List<Line> real(int bursts) throws InterruptedException {
        return List.of(
                line("serial", "real", real(bursts, 1), true), line("smart batching", "real", real(bursts, 64), true));
    }

    /** Takes the median of each figure of real bursts, since the machine disturbs some; of virtual ones the extremes and the mean. */
    private static Line line(String approach, String clock, List<Burst> bursts, boolean medians) {
        double[] best = bursts.stream().mapToDouble(Burst::best).sorted().toArray();
        double[] average = bursts.stream().mapToDouble(Burst::average).sorted().toArray();
        double[] worst = bursts.stream().mapToDouble(Burst::worst).sorted().toArray();
        int middle = bursts.size() / 2;
        return new Line(
                approach,
                clock,
                medians ? best[middle] : best[0],
                medians ? average[middle] : Arrays.stream(average).average().orElseThrow(),
                medians ? worst[middle] : worst[worst.length - 1],
                bursts.stream().mapToInt(Burst::packets).min().orElseThrow(),
                bursts.stream().mapToInt(Burst::packets).max().orElseThrow());
    }

    /** All messages want to be sent at time 0; {@code first} of them get into the queue before the first send begins. */
    private static Burst virtual(int first, int maxMessages) {
        Queue<Integer> queue = new ArrayDeque<>();
        long[] times = new long[MESSAGES];
        long[] now = {0};
        int[] packets = {0};
        for (int i = 0; i < first; i++) {
            queue.add(i);
        }
        BatchSink device = batch -> {
            if (packets[0]++ == 0) {
                for (int i = first; i < MESSAGES; i++) {
                    queue.add(i); // while the device is busy
                }
            }
            now[0] += SEND_NANOS;
            for (int i = 0; i < batch.messages(); i++) {
                times[batch.buffer().getInt(batch.offset(i))] = now[0];
            }
            batch.buffer().position(batch.buffer().limit());
        };
        Batcher<Integer> batcher = batcher(queue, device, maxMessages);
        while (batcher.doWork() > 0) {
            // until the queue is empty
        }
        return Burst.of(times, packets[0]);
    }

    private static List<Burst> real(int bursts, int maxMessages) throws InterruptedException {
        Integer[] numbers = new Integer[MESSAGES];
        Arrays.setAll(numbers, i -> i);
        ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(MESSAGES);
        ArrayBlockingQueue<Burst> done = new ArrayBlockingQueue<>(1);
        Device device = new Device(SEND_NANOS);
        long[] times = new long[MESSAGES];
        long[] start = {0}; // written before the offers, read after the polls
        int[] count = {0, 0};
        BatchSink sink = batch -> {
            long end = device.send();
            count[1]++;
            for (int i = 0; i < batch.messages(); i++) {
                times[batch.buffer().getInt(batch.offset(i))] = end - start[0];
            }
            batch.buffer().position(batch.buffer().limit());
            count[0] += batch.messages();
            if (count[0] == MESSAGES) {
                done.add(Burst.of(times, count[1]));
                count[0] = 0;
                count[1] = 0;
            }
        };
        Batcher<Integer> batcher = batcher(queue, sink, maxMessages);
        Thread thread = new Thread(() -> batcher.run(BusySpinIdleStrategy.INSTANCE), "batcher");
        thread.setDaemon(true);
        thread.start();
        List<Burst> all = new ArrayList<>();
        try {
            for (int burst = -bursts / 10; burst < bursts; burst++) { // the first ones warm up
                start[0] = System.nanoTime();
                for (Integer number : numbers) {
                    queue.add(number);
                }
                Burst result = done.take();
                if (burst >= 0) {
                    all.add(result);
                }
            }
        } finally {
            thread.interrupt();
            thread.join();
        }
        return all;
    }

    private static Batcher<Integer> batcher(Queue<Integer> queue, BatchSink sink, int maxMessages) {
        return new Batcher<>(
                queue,
                (message, buffer, offset) -> {
                    buffer.putInt(offset, message);
                    return Integer.BYTES;
                },
                sink,
                BatchingConfig.defaults().maxMessages(maxMessages),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
    }
}
