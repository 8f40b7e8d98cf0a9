package io.sluice.perf.lab;

import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.report.Role;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Jobs of {@value #TERMS} terms each of 4 - 4/3 + 4/5 - 4/7 and so on, handed to workers. The figure is nanoseconds a job. Each batch's
 * sum is compared with the same sum by one thread.
 */
final class Pi implements Contestant {
    static final int TERMS = 100;
    static final int JOBS = 20_000;
    static final int WORKERS = Math.max(2, Contended.CORES);

    private static final int SLOTS = 4096;
    private static final double CLOSE = 1e-9;
    private static final long LIMIT_SECONDS = 60;
    private static final double EXPECTED = alone();

    /** Has all jobs done. */
    interface Crew extends AutoCloseable {
        /** The sum of all jobs' results. */
        double all() throws Exception;

        @Override
        void close();
    }

    private final Crew crew;

    Pi(Crew crew) {
        this.crew = crew;
    }

    static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        entries.add(entry("alone", "one thread alone", Alone::new));
        entries.add(entry(
                "executor", "fixed pool, futures", () -> new Pool(Executors.newFixedThreadPool(WORKERS, Pi::daemon))));
        entries.add(entry("fork-join", "fork-join pool, futures", () -> new Pool(new ForkJoinPool(WORKERS))));
        if (Virtual.AVAILABLE) {
            entries.add(entry("virtual", "a virtual thread for each job", VirtualThreads::new));
        }
        entries.add(entry("lmax", "LMAX Disruptor, divided by sequence", Lmax::new));
        entries.add(entry("sluice-divided", "Sluice, divided by sequence", () -> new Ours(false)));
        entries.add(entry("sluice-pool", "Sluice, worker pool", () -> new Ours(true)));
        return entries;
    }

    /** Makes a crew. */
    private interface CrewMaker {
        Crew make() throws Exception;
    }

    private static Entry entry(String id, String label, CrewMaker crews) {
        return new Entry(id, label, id.startsWith("sluice") ? Role.SLUICE : Role.PEER, () -> new Pi(crews.make()));
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "pi");
        thread.setDaemon(true);
        return thread;
    }

    static double job(long number) {
        double sum = 0;
        for (long term = number * TERMS; term < (number + 1) * TERMS; term++) {
            sum += (term % 2 == 0 ? 4.0 : -4.0) / (2 * term + 1);
        }
        return sum;
    }

    private static double alone() {
        double sum = 0;
        for (int number = 0; number < JOBS; number++) {
            sum += job(number);
        }
        return sum;
    }

    @Override
    public double sample(long nanos) throws Exception {
        long jobs = 0;
        long begin = System.nanoTime();
        long now;
        do {
            double sum = crew.all();
            if (!(Math.abs(sum - EXPECTED) < CLOSE)) {
                throw new IllegalStateException("the jobs must add up to " + EXPECTED + ", but did to " + sum);
            }
            jobs += JOBS;
            now = System.nanoTime();
        } while (now - begin < nanos);
        return (now - begin) / (double) jobs;
    }

    @Override
    public void finish() {
        crew.close();
    }

    /** One thread does it all. */
    private static final class Alone implements Crew {
        @Override
        public double all() {
            return alone();
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    /** A pool, asked for a future for each job. */
    private static final class Pool implements Crew {
        private final ExecutorService pool;
        private final List<Future<Double>> results = new ArrayList<>();

        Pool(ExecutorService pool) {
            this.pool = pool;
        }

        @Override
        public double all() throws Exception {
            results.clear();
            for (int i = 0; i < JOBS; i++) {
                int number = i;
                results.add(pool.submit(() -> job(number)));
            }
            double sum = 0;
            for (Future<Double> result : results) {
                sum += result.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            }
            return sum;
        }

        @Override
        public void close() {
            pool.shutdown();
        }
    }

    /** A thread for each job. */
    private static final class VirtualThreads implements Crew {
        @Override
        public double all() throws InterruptedException {
            double[] results = new double[JOBS];
            Thread[] threads = new Thread[JOBS];
            for (int i = 0; i < JOBS; i++) {
                int number = i;
                threads[i] = Virtual.start(() -> results[number] = job(number));
            }
            double sum = 0;
            for (int i = 0; i < JOBS; i++) {
                threads[i].join();
                sum += results[i];
            }
            return sum;
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    /** What lies in a slot. */
    private static final class Job {
        private long number;
    }

    /** Each worker has the sum of what it did, apart from the others' by the array around it. */
    private static final class Sum {
        private final double[] padded = new double[64];

        void add(double value) {
            padded[32] += value;
        }

        double take() {
            double value = padded[32];
            padded[32] = 0;
            return value;
        }
    }

    /** LMAX's ring, whose consumers each take the sequences that are theirs. */
    private static final class Lmax implements Crew {
        private final Disruptor<Job> disruptor = new Disruptor<>(
                Job::new, SLOTS, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, new YieldingWaitStrategy());
        private final Sum[] sums = new Sum[WORKERS];
        private final List<com.lmax.disruptor.EventHandler<Job>> handlers = new ArrayList<>();
        private final com.lmax.disruptor.RingBuffer<Job> ring;

        Lmax() {
            for (int i = 0; i < WORKERS; i++) {
                int own = i;
                Sum sum = new Sum();
                sums[i] = sum;
                handlers.add((job, sequence, endOfBatch) -> {
                    if (sequence % WORKERS == own) {
                        sum.add(job(job.number));
                    }
                });
            }
            @SuppressWarnings("unchecked")
            com.lmax.disruptor.EventHandler<Job>[] all = handlers.toArray(com.lmax.disruptor.EventHandler[]::new);
            disruptor.handleEventsWith(all);
            ring = disruptor.start();
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // waits for the workers, which may need this core
        public double all() {
            long last = 0;
            for (int i = 0; i < JOBS; i++) {
                last = ring.next();
                ring.get(last).number = i;
                ring.publish(last);
            }
            double sum = 0;
            for (int i = 0; i < WORKERS; i++) {
                while (disruptor.getSequenceValueFor(handlers.get(i)) < last) {
                    Thread.yield();
                }
                sum += sums[i].take();
            }
            return sum;
        }

        @Override
        public void close() {
            disruptor.halt();
        }
    }

    /** A ring of Sluice. */
    private static final class Ours implements Crew {
        private final RingBuffer<Job> ring;
        private final Pipeline<Job> pipeline;
        private final Producer<Job> producer;
        private final Sum[] sums = new Sum[WORKERS];

        Ours(boolean pool) {
            ring = SluiceRing.ring(
                    Job::new,
                    new SluiceRing.Setup(
                            true, SLOTS, YieldingIdleStrategy::new, YieldingIdleStrategy::new, false, false));
            pipeline = Pipeline.on(ring);
            List<EventHandler<Job>> handlers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                int own = i;
                Sum sum = new Sum();
                sums[i] = sum;
                handlers.add((job, sequence, endOfBatch) -> {
                    if (pool || sequence % WORKERS == own) {
                        sum.add(job(job.number));
                    }
                });
            }
            @SuppressWarnings("unchecked")
            EventHandler<Job>[] all = handlers.toArray(EventHandler[]::new);
            if (pool) {
                pipeline.handleEventsWithWorkerPool(all);
            } else {
                pipeline.handleEventsWith(all);
            }
            pipeline.start();
            producer = ring.producer();
        }

        @Override
        public double all() {
            long last = 0;
            for (int i = 0; i < JOBS; i++) {
                last = producer.next();
                producer.get(last).number = i;
                producer.publish(last);
            }
            if (!pipeline.awaitHandled(last, TimeUnit.SECONDS.toNanos(LIMIT_SECONDS))) {
                throw new IllegalStateException("all jobs must be done in time, but were not");
            }
            double sum = 0;
            for (Sum each : sums) {
                sum += each.take();
            }
            return sum;
        }

        @Override
        public void close() {
            ring.close();
        }
    }
}
