package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.EventProcessorFactory;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.RandomPrograms.Totals;
import io.sluice.testing.SeededProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs with real threads: producers claim one slot or several and wait for room, while consumers are halted and run again,
 * readers gate the ring for a while, and the graph is shut down, with a limit and without.
 *
 * <p>The model. Each consumer gets each published event once and in order, with its content, behind the one that it follows. A reader
 * finds no event written over. When a shutdown has returned, each consumer has handled what was published when it was called, and what
 * those have published since who were waiting for room then. In the end all is handled. A program that hangs fails.
 */
@Tag("concurrency")
@Timeout(value = 4, unit = TimeUnit.HOURS) // the programs have a watchdog of their own
class WaitingProgramsTest {
    private static final int STEPS = 24;
    private static final int CLAIMS_A_STEP = 6;

    /** Of shutdowns that came while a producer waited, and were over. */
    private static final AtomicInteger WAITED_FOR = new AtomicInteger();

    /** A round is a program; a step, what is done beside the producers. */
    @Test
    void eachEventIsHandledOnceAndInOrderWhoeverWaitsAndIsHalted() throws Exception {
        Totals totals = RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    new World(program).run();
                    return 1;
                })
                .budget("io.sluice.dropin.rounds", 100)
                .limit(Duration.ofSeconds(30))
                .run();
        assertThat(totals.replay() || WAITED_FOR.get() > 0)
                .as("a shutdown while a producer waits")
                .isTrue();
    }

    /** An event: who has published it, its number there, its sequence. */
    private static final int BY = 0;

    private static final int NUMBER = 1;
    private static final int AT = 2;

    private static final class World {
        private final SeededProgram program;
        private final int size;
        private final Disruptor<long[]> graph;
        private final RingBuffer<long[]> ring;
        private final List<Consumer> consumers = new ArrayList<>();
        private final List<Publisher> publishers = new ArrayList<>();
        private final List<Reader> readers = new ArrayList<>();
        private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
        private final AtomicReference<@Nullable Throwable> wrong = new AtomicReference<>();
        private final String described;
        private volatile boolean over;

        World(SeededProgram program) {
            this.program = program;
            SplittableRandom random = program.random();
            size = 1 << random.nextInt(5);
            ProducerType type = random.nextBoolean() ? ProducerType.MULTI : ProducerType.SINGLE;
            WaitStrategy strategy = switch (random.nextInt(4)) {
                case 0 -> new BlockingWaitStrategy();
                case 1 -> new TimeoutBlockingWaitStrategy(1, MILLISECONDS);
                case 2 -> new YieldingWaitStrategy();
                default -> new SleepingWaitStrategy();
            };
            graph = new Disruptor<>(() -> new long[3], size, this::thread, type, strategy);
            ring = graph.getRingBuffer();
            int producers = type == ProducerType.SINGLE ? 1 : 1 + random.nextInt(4);
            boolean follows = random.nextBoolean();
            consumers.add(new Consumer(this, 0, null, producers, 1 + random.nextInt(8)));
            EventProcessorFactory<long[]> first =
                    (events, after) -> consumers.get(0).processor(events, after);
            if (random.nextBoolean()) {
                consumers.add(
                        new Consumer(this, 1, follows ? consumers.get(0) : null, producers, 1 + random.nextInt(8)));
                EventProcessorFactory<long[]> second =
                        (events, after) -> consumers.get(1).processor(events, after);
                if (follows) {
                    graph.handleEventsWith(first).then(second);
                } else {
                    graph.handleEventsWith(first, second);
                }
            } else {
                graph.handleEventsWith(first);
            }
            for (int i = 0; i < producers; i++) {
                publishers.add(new Publisher(this, i, program.random(-2 - i)));
            }
            described = size + " slots, " + type + ", " + producers + " producers, " + consumers.size() + " consumers"
                    + (follows ? " in a row, " : ", ") + strategy.getClass().getSimpleName();
        }

        private Thread thread(Runnable task) {
            Thread thread = DaemonThreadFactory.INSTANCE.newThread(() -> {
                try {
                    task.run();
                } catch (IllegalStateException e) {
                    // two runs wait for the end of one that was halted, and the other one was faster
                    if (!String.valueOf(e.getMessage()).startsWith("the processor must not run")) {
                        wrong.compareAndSet(null, e);
                    }
                } catch (Throwable t) {
                    wrong.compareAndSet(null, t);
                }
            });
            threads.add(thread);
            return thread;
        }

        private Thread started(Runnable task) {
            Thread thread = thread(task);
            thread.start();
            return thread;
        }

        void wrong(String what, Object... arguments) {
            AssertionError error = new AssertionError(String.format(Locale.ROOT, what, arguments) + "; " + described);
            wrong.compareAndSet(null, error);
            throw error;
        }

        /** A moment in a wait of the test's own. */
        private void pause() throws InterruptedException {
            throwWrong();
            if (Thread.interrupted()) {
                throw new InterruptedException(); // it hangs, and has been told so
            }
            LockSupport.parkNanos(20_000);
        }

        private void throwWrong() {
            Throwable t = wrong.get();
            if (t != null) {
                throw new AssertionError(t.toString(), t);
            }
        }

        void run() throws InterruptedException {
            try {
                graph.start();
                List<Thread> launched = List.copyOf(threads); // behind the publishers'
                for (int i = 0; i < consumers.size(); i++) {
                    consumers.get(i).thread = launched.get(publishers.size() + i);
                }
                publishers.forEach(one -> one.thread.start());
                for (int step : program.steps()) {
                    step(program.random(step));
                    throwWrong();
                }
                runAll();
                for (Publisher one : publishers) {
                    awaitEnd(one.thread);
                }
                shutDown(-1);
                for (Thread thread : threads) {
                    while (thread.isAlive()) {
                        consumers.forEach(Consumer::haltIfItCameLate);
                        pause();
                    }
                }
                throwWrong();
                for (Consumer consumer : consumers) {
                    for (Publisher one : publishers) {
                        consumer.checkHandled(one.number, one.published, "the end");
                    }
                }
            } finally { // so that no thread stays behind, whatever has failed
                over = true;
                for (Consumer consumer : consumers) {
                    ring.removeGatingSequence(consumer.processor.getSequence());
                    consumer.processor.halt();
                }
                readers.forEach(reader -> ring.removeGatingSequence(reader.poller.getSequence()));
            }
        }

        private void awaitEnd(Thread thread) throws InterruptedException {
            while (thread.isAlive()) {
                pause();
            }
        }

        private void step(SplittableRandom choice) throws InterruptedException {
            Consumer consumer = consumers.get(choice.nextInt(consumers.size()));
            switch (choice.nextInt(10)) {
                case 0, 1 -> {
                    for (int i = 1 + choice.nextInt(3); i > 0; i--) {
                        consumer.processor.halt();
                    }
                    if (choice.nextBoolean()) {
                        consumer.thread = started(consumer.processor); // waits for the end of the one that was halted
                    }
                }
                case 2 -> run(consumer);
                case 3 -> {
                    if (readers.size() < 3) {
                        readers.add(new Reader(this));
                    }
                }
                case 4 -> readers.forEach(Reader::poll);
                case 5 -> {
                    if (!readers.isEmpty()) {
                        readers.remove(choice.nextInt(readers.size())).leave();
                    }
                }
                case 6 -> shutDown(choice.nextInt(3_000));
                case 7 -> shutDown(choice.nextBoolean() ? 0 : -1);
                default -> LockSupport.parkNanos(choice.nextInt(300_000));
            }
        }

        /** Until it runs and is not halted. */
        private void run(Consumer consumer) throws InterruptedException {
            while (!consumer.goesOn || !consumer.processor.state.mayContinue()) {
                if (!consumer.thread.isAlive()) {
                    consumer.thread = started(consumer.processor);
                }
                pause();
            }
        }

        /** Nobody is in the way of who waits. */
        private void runAll() throws InterruptedException {
            readers.forEach(Reader::leave);
            readers.clear();
            for (Consumer consumer : consumers) {
                run(consumer);
            }
        }

        /**
         * Shuts down; what goes on publishing is not handled then, until the consumers are run again.
         *
         * @param limit in microseconds; below 0 without
         */
        private void shutDown(int limit) throws InterruptedException {
            runAll();
            long[] promised = new long[publishers.size()];
            boolean waits = false;
            for (Publisher one : publishers) {
                long begun = one.begun; // before the look at the thread
                boolean parked = LockSupport.getBlocker(one.thread) == RoomPause.class;
                promised[one.number] = parked ? begun : one.published;
                waits |= parked;
            }
            if (limit < 0) {
                awaitEnd(started(graph::shutdown));
            } else {
                try {
                    graph.shutdown(limit, MICROSECONDS);
                } catch (TimeoutException tooLate) {
                    return; // all go on
                }
            }
            throwWrong();
            for (Consumer consumer : consumers) {
                for (Publisher one : publishers) {
                    consumer.checkHandled(one.number, promised[one.number], waits ? "a wait" : "a shutdown");
                }
            }
            if (waits) {
                WAITED_FOR.incrementAndGet();
            }
        }
    }

    /** Its fields are of who runs it, but for what it has handled. */
    private static final class Consumer implements EventHandler<long[]> {
        private final World world;
        private final int number;
        private final @Nullable Consumer follows;
        private final int slow;
        /** The number of the last event of each producer. */
        private final AtomicLongArray handled;

        private long next;
        private BatchEventProcessor<long[]> processor;
        /** Of the test's thread: the one that runs it, or will. */
        private Thread thread;
        /** Whether it is in a run that was not halted when it began: a run hears counted halts only then. */
        private volatile boolean goesOn;

        Consumer(World world, int number, @Nullable Consumer follows, int producers, int slow) {
            this.world = world;
            this.number = number;
            this.follows = follows;
            this.slow = slow;
            handled = new AtomicLongArray(producers);
        }

        EventProcessor processor(RingBuffer<long[]> ring, Sequence[] after) {
            processor = Processors.of(ring, ring.newBarrier(after), this);
            return processor;
        }

        /** A run that was asked for may begin only when another one has ended. */
        void haltIfItCameLate() {
            if (processor.state.mayContinue()) {
                processor.halt();
            }
        }

        @Override
        public void onStart() {
            goesOn = processor.state.mayContinue();
        }

        @Override
        public void onShutdown() {
            goesOn = false;
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            if (sequence != next) {
                world.wrong("consumer %d gets %d, and %d is next", number, sequence, next);
            }
            next++;
            int by = (int) event[BY];
            if (event[AT] != sequence || event[NUMBER] != handled.get(by) + 1) {
                world.wrong(
                        "consumer %d gets at %d event %d of producer %d, which is of %d, behind %d",
                        number, sequence, event[NUMBER], by, event[AT], handled.get(by));
            }
            if (follows != null && follows.processor.getSequence().get() < sequence) {
                world.wrong("consumer %d gets %d before the one that it follows", number, sequence);
            }
            handled.set(by, event[NUMBER]);
            if (sequence % slow == 0) {
                LockSupport.parkNanos(10_000); // so that producers wait
            }
        }

        void checkHandled(int by, long promised, String when) {
            if (handled.get(by) < promised) {
                world.wrong(
                        "consumer %d has handled %d events of producer %d, of %d, after %s",
                        number, handled.get(by), by, promised, when);
            }
        }
    }

    private static final class Publisher {
        private final World world;
        private final int number;
        private final SplittableRandom random;
        private final Thread thread;
        private long last; // of its thread
        /** How many events it has published; and with those of the claim that is under way. */
        private volatile long published;

        private volatile long begun;

        Publisher(World world, int number, SplittableRandom random) {
            this.world = world;
            this.number = number;
            this.random = random;
            thread = world.thread(this::publish);
        }

        private void publish() {
            RingBuffer<long[]> ring = world.ring;
            for (int i = CLAIMS_A_STEP * world.program.size(); i > 0 && !world.over; i--) {
                int n = random.nextInt(3) == 0 ? 1 + random.nextInt(world.size) : 1;
                begun = last + n;
                int form = random.nextInt(4);
                if (form == 0 && n == 1) {
                    ring.publishEvent((event, sequence) -> fill(event, sequence));
                } else {
                    long hi = form == 1 ? tryNext(ring, n) : ring.next(n);
                    if (hi < 0) {
                        return;
                    }
                    long lo = hi - n + 1;
                    for (long sequence = lo; sequence <= hi; sequence++) {
                        fill(ring.get(sequence), sequence);
                    }
                    if (form == 2) {
                        for (long sequence = lo; sequence <= hi; sequence++) {
                            ring.publish(sequence);
                        }
                    } else {
                        ring.publish(lo, hi);
                    }
                }
                published = last;
            }
        }

        private void fill(long[] event, long sequence) {
            event[BY] = number;
            event[NUMBER] = ++last;
            event[AT] = sequence;
        }

        @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
        private long tryNext(RingBuffer<long[]> ring, int n) {
            while (!world.over) {
                try {
                    return ring.tryNext(n);
                } catch (InsufficientCapacityException full) {
                    Thread.yield();
                }
            }
            return -1;
        }
    }

    /** Gates from its making on, and checks what it reads. Of the test's thread. */
    private static final class Reader {
        private final World world;
        private final EventPoller<long[]> poller;
        private long next;

        Reader(World world) {
            this.world = world;
            poller = world.ring.newPoller();
            world.ring.addGatingSequences(poller.getSequence());
            next = poller.getSequence().get() + 1;
        }

        void poll() {
            try {
                poller.poll((event, sequence, endOfBatch) -> {
                    if (sequence != next || event[AT] != sequence) {
                        world.wrong("a reader gets the event of %d at %d, and %d is next", event[AT], sequence, next);
                    }
                    next++;
                    return true;
                });
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        void leave() {
            if (!world.ring.removeGatingSequence(poller.getSequence())) {
                world.wrong("a reader that gates is not there");
            }
        }
    }
}
