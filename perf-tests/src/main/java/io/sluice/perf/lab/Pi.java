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
 * Jobs of {@value #TERMS} terms each of 4 - 4/3 + 4/5 - 4/7 and so on, a million in one turn, handed to workers. The figure is nanoseconds
 * a job. Behind each turn the sum is compared with the same sum by one thread. A late job adds less to it than adding in another order
 * does. So the jobs that were done are compared too: how many, and the sum of their numbers.
 */
final class Pi implements Contestant {
    static final int TERMS = 100;
    static final int WORKERS = Math.max(2, Contended.CORES);

    private static final int SLOTS = 4096;
    private static final double CLOSE = 1e-9;
    private static final long LIMIT_SECONDS = 60;

    /** The most results that are under way, where each is an object. */
    private static final int WINDOW = 20_000;

    /** Has all jobs done. */
    interface Crew extends AutoCloseable {
        /** Has jobs of these numbers, from 0 on, done, and returns the result. */
        Done all(int jobs) throws Exception;

        @Override
        void close();
    }

    /**
     * The result of a turn.
     *
     * @param sum of the results
     * @param jobs how many were done
     * @param numbers the sum of the jobs' numbers
     */
    record Done(double sum, long jobs, long numbers) {}

    private final Crew crew;
    private final int jobs;
    private final double expected;

    Pi(Crew crew, int jobs) {
        this.crew = crew;
        this.jobs = jobs;
        expected = alone(0, 1, jobs).sum();
    }

    static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        entries.add(entry("alone", "one thread alone", Alone::new));
        entries.add(entry("threads", "a thread for each core, divided beforehand", Threads::new));
        entries.add(entry(
                "executor", "fixed pool, futures", () -> new Pool(Executors.newFixedThreadPool(WORKERS, Pi::daemon))));
        entries.add(entry("fork-join", "fork-join pool, futures", () -> new Pool(new ForkJoinPool(WORKERS))));
        if (Virtual.AVAILABLE) {
            entries.add(entry("virtual", "a virtual thread for each job", VirtualThreads::new));
        }
        entries.add(entry("actors", "Pekko actors, one for each core", PiActors::new));
        entries.add(entry("lmax", "LMAX Disruptor, divided by sequence", Lmax::new));
        entries.add(entry("sluice-divided", "Sluice, divided by sequence", () -> new Ours(Share.DIVIDED)));
        entries.add(entry("sluice-partitions", "Sluice, partitions", () -> new Ours(Share.PARTITIONS)));
        entries.add(entry("sluice-pool", "Sluice, worker pool", () -> new Ours(Share.POOL)));
        return entries;
    }

    /** Makes a crew. */
    private interface CrewMaker {
        Crew make() throws Exception;
    }

    private static Entry entry(String id, String label, CrewMaker crews) {
        return new Entry(
                id,
                label,
                id.startsWith("sluice") ? Role.SLUICE : Role.PEER,
                () -> new Pi(crews.make(), Settings.jobs()));
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

    /** Does every {@code step}-th job from one on, in this thread. */
    private static Tally alone(int from, int step, int jobs) {
        Tally tally = new Tally();
        for (int number = from; number < jobs; number += step) {
            tally.add(number, job(number));
        }
        return tally;
    }

    @Override
    public double sample(long nanos) throws Exception {
        long done = 0;
        long begin = System.nanoTime();
        long now;
        do {
            check(crew.all(jobs), jobs, expected);
            done += jobs;
            now = System.nanoTime();
        } while (now - begin < nanos);
        return (now - begin) / (double) done;
    }

    static void check(Done done, int jobs, double expected) {
        if (!(Math.abs(done.sum() - expected) < CLOSE)) {
            throw new IllegalStateException("the jobs must add up to " + expected + ", but did to " + done.sum());
        }
        long numbers = (long) jobs * (jobs - 1) / 2;
        if (done.jobs() != jobs || done.numbers() != numbers) {
            throw new IllegalStateException("each of " + jobs + " jobs must be done once, numbers " + numbers + ", but "
                    + done.jobs() + " were done, numbers " + done.numbers());
        }
    }

    @Override
    public int warmUps() {
        return 4;
    }

    @Override
    public void finish() {
        crew.close();
    }

    /** One thread does it all. */
    private static final class Alone implements Crew {
        @Override
        public Done all(int jobs) {
            return done(List.of(alone(0, 1, jobs)));
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    /** A thread for each core, made for each turn. */
    private static final class Threads implements Crew {
        @Override
        public Done all(int jobs) throws InterruptedException {
            Tally[] tallies = new Tally[WORKERS];
            Thread[] threads = new Thread[WORKERS];
            for (int i = 0; i < WORKERS; i++) {
                int own = i;
                threads[i] = daemon(() -> tallies[own] = alone(own, WORKERS, jobs));
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            return done(List.of(tallies));
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    /** All tallies together; they are empty then. */
    static Done done(List<Tally> tallies) {
        Tally all = new Tally();
        tallies.forEach(all::take);
        return new Done(all.sum(), all.jobs(), all.numbers());
    }

    /** A pool, asked for a future for each job. */
    private static final class Pool implements Crew {
        private final ExecutorService pool;
        private final List<Future<Double>> results = new ArrayList<>();

        Pool(ExecutorService pool) {
            this.pool = pool;
        }

        @Override
        public Done all(int jobs) throws Exception {
            double sum = 0;
            long done = 0;
            long numbers = 0;
            for (int from = 0; from < jobs; from += WINDOW) {
                results.clear();
                for (int i = from; i < Math.min(jobs, from + WINDOW); i++) {
                    int number = i;
                    results.add(pool.submit(() -> job(number)));
                }
                for (int i = 0; i < results.size(); i++) {
                    sum += results.get(i).get(LIMIT_SECONDS, TimeUnit.SECONDS);
                    numbers += from + i;
                    done++;
                }
            }
            return new Done(sum, done, numbers);
        }

        @Override
        public void close() {
            pool.shutdown();
        }
    }

    /** A thread for each job. */
    private static final class VirtualThreads implements Crew {
        @Override
        public Done all(int jobs) throws InterruptedException {
            double sum = 0;
            long done = 0;
            long numbers = 0;
            for (int from = 0; from < jobs; from += WINDOW) {
                int count = Math.min(jobs, from + WINDOW) - from;
                double[] results = new double[count];
                Thread[] threads = new Thread[count];
                for (int i = 0; i < count; i++) {
                    int own = i;
                    int number = from + i;
                    results[i] = Double.NaN; // one that was not done is seen
                    threads[i] = Virtual.start(() -> results[own] = job(number));
                }
                for (int i = 0; i < count; i++) {
                    threads[i].join();
                    sum += results[i];
                    numbers += from + i;
                    done++;
                }
            }
            return new Done(sum, done, numbers);
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    /** The event in a slot. */
    private static final class Job {
        private long number;
    }

    /** LMAX's ring; each consumer takes the sequences that are its own. */
    private static final class Lmax implements Crew {
        private final Disruptor<Job> disruptor = new Disruptor<>(
                Job::new, SLOTS, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, new YieldingWaitStrategy());
        private final List<Tally> tallies = new ArrayList<>();
        private final List<com.lmax.disruptor.EventHandler<Job>> handlers = new ArrayList<>();
        private final com.lmax.disruptor.RingBuffer<Job> ring;

        Lmax() {
            for (int i = 0; i < WORKERS; i++) {
                int own = i;
                Tally tally = new Tally();
                tallies.add(tally);
                handlers.add((job, sequence, endOfBatch) -> {
                    if (sequence % WORKERS == own) {
                        tally.add(job.number, job(job.number));
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
        public Done all(int jobs) {
            long last = 0;
            for (int i = 0; i < jobs; i++) {
                last = ring.next();
                ring.get(last).number = i;
                ring.publish(last);
            }
            for (int i = 0; i < WORKERS; i++) {
                while (disruptor.getSequenceValueFor(handlers.get(i)) < last) {
                    Thread.yield();
                }
            }
            return done(tallies);
        }

        @Override
        public void close() {
            disruptor.halt();
        }
    }

    /** The way in which workers of a ring share the jobs. */
    private enum Share {
        /** Each worker sees all jobs, and takes its own. */
        DIVIDED,
        /** The ring gives each worker the jobs whose key belongs to it. */
        PARTITIONS,
        /** A worker that is free takes the next job. */
        POOL
    }

    /** A ring of Sluice. */
    private static final class Ours implements Crew {
        private final RingBuffer<Job> ring;
        private final Pipeline<Job> pipeline;
        private final Producer<Job> producer;
        private final List<Tally> tallies = new ArrayList<>();

        Ours(Share share) {
            ring = SluiceRing.ring(
                    Job::new,
                    new SluiceRing.Setup(
                            true, SLOTS, YieldingIdleStrategy::new, YieldingIdleStrategy::new, false, false));
            pipeline = Pipeline.on(ring);
            List<EventHandler<Job>> handlers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                int own = i;
                Tally tally = new Tally();
                tallies.add(tally);
                handlers.add((job, sequence, endOfBatch) -> {
                    if (share != Share.DIVIDED || sequence % WORKERS == own) {
                        tally.add(job.number, job(job.number));
                    }
                });
            }
            @SuppressWarnings("unchecked")
            EventHandler<Job>[] all = handlers.toArray(EventHandler[]::new);
            switch (share) {
                case DIVIDED -> pipeline.handleEventsWith(all);
                case PARTITIONS -> pipeline.handleEventsPartitionedBy(job -> job.number, all);
                case POOL -> pipeline.handleEventsWithWorkerPool(all);
            }
            pipeline.start();
            producer = ring.producer();
        }

        @Override
        public Done all(int jobs) {
            long last = 0;
            for (int i = 0; i < jobs; i++) {
                last = producer.next();
                producer.get(last).number = i;
                producer.publish(last);
            }
            if (!pipeline.awaitHandled(last, TimeUnit.SECONDS.toNanos(LIMIT_SECONDS))) {
                throw new IllegalStateException("all jobs must be done in time, but were not");
            }
            return done(tallies);
        }

        @Override
        public void close() {
            ring.close();
        }
    }
}
