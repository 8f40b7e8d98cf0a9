package program;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.SequenceGroup;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ExceptionHandlerWrapper;
import com.lmax.disruptor.dsl.ProducerType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Graphs with a thread for each consumer, which are asked only when each thread is known to stand still: what they refuse, where
 * sequences stand after halts and deaths, and who is told of what.
 */
public final class GraphProgram {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final List<String> log = Collections.synchronizedList(new ArrayList<>());

    private GraphProgram() {}

    /**
     * Runs it.
     *
     * @return what happened
     * @throws Exception if a thread does not come to its end
     */
    public static List<String> run() throws Exception {
        GraphProgram program = new GraphProgram();
        for (ProducerType type : ProducerType.values()) {
            program.log.add(type.toString());
            program.refusals(type);
            program.deaths(type);
            program.noExceptionHandler(type);
            program.halts(type);
            program.gates(type);
            program.diamond(type);
            program.ownProcessor(type);
            if (isVersion3()) { // there a processor becomes part of the graph if others come after it
                program.afterOwnProcessor(type);
            }
        }
        return program.log;
    }

    private void refusals(ProducerType type) throws Exception {
        Threads threads = new Threads();
        Disruptor<long[]> graph = graph(type, threads);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> stranger = (event, sequence, endOfBatch) -> {};
        tell("after a stranger", () -> graph.after(stranger));
        tell("progress of a stranger", () -> graph.getSequenceValueFor(stranger));
        tell("barrier of a stranger", () -> log.add("is " + graph.getBarrierFor(stranger)));
        graph.handleEventsWith(handler).then(handler);
        tell("progress", () -> log.add("at " + graph.getSequenceValueFor(handler)));
        graph.handleExceptionsWith(new Told("all"));
        tell("default after all", () -> graph.setDefaultExceptionHandler(new Told("default")));
        Disruptor<long[]> wrapped = graph(type, new Threads());
        ExceptionHandlerWrapper<long[]> wrapper = new ExceptionHandlerWrapper<>();
        wrapped.handleExceptionsWith(wrapper);
        tell("default after a wrapper", () -> wrapped.setDefaultExceptionHandler(new Told("wrapped")));
        tell("the wrapper", () -> wrapper.handleEventException(new IllegalStateException(), 7, new long[] {8}));
        graph.start();
        tell("second start", graph::start);
        tell("late handler", () -> graph.handleEventsWith(stranger));
        tell("late follower", () -> graph.after(handler).then(stranger));
        graph.shutdown();
        threads.join();
        tell("start after shutdown", graph::start);
        tell("second shutdown", graph::shutdown);
        tell("halt after shutdown", graph::halt);
        log.add("cursor " + graph.getCursor() + " of " + graph.getBufferSize());
    }

    private void deaths(ProducerType type) throws Exception {
        for (int told = 0; told < 3; told++) {
            Threads threads = new Threads();
            Disruptor<long[]> graph = graph(type, threads);
            Told rethrows = new Told("rethrows " + told);
            rethrows.rethrows = true;
            EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
                log.add("event " + event[0]);
                if (sequence == 2) {
                    throw new IllegalStateException();
                }
            };
            if (told == 0) {
                graph.setDefaultExceptionHandler(rethrows);
            } else if (told == 1) {
                graph.handleExceptionsWith(rethrows);
            }
            graph.handleEventsWith(handler);
            if (told == 2) {
                graph.handleExceptionsFor(handler).with(rethrows);
            }
            for (int i = 0; i < 5; i++) {
                publish(graph, i);
            }
            graph.start();
            threads.join();
            RingBuffer<long[]> ring = graph.getRingBuffer();
            log.add("died at " + ring.getMinimumGatingSequence() + ", room " + ring.remainingCapacity() + ", uncaught "
                    + threads.uncaught);
            graph.shutdown();
        }
    }

    /** Null takes the exception handler of all away: handlers that are added then have the default. */
    private void noExceptionHandler(ProducerType type) throws Exception {
        Threads threads = new Threads();
        Disruptor<long[]> graph = graph(type, threads);
        graph.handleExceptionsWith(null);
        tell("default after none", () -> graph.setDefaultExceptionHandler(new Told("default")));
        tell(
                "handler without an exception handler",
                () -> graph.handleEventsWith((event, sequence, endOfBatch) -> {
                    throw new IllegalStateException("fatal by the default; this is part of the test");
                }));
        publish(graph, 0);
        graph.start();
        threads.join();
        log.add("uncaught " + threads.uncaught);
        graph.shutdown();
    }

    private void halts(ProducerType type) throws Exception {
        Threads threads = new Threads();
        Disruptor<long[]> graph = graph(type, threads);
        CountDownLatch inHand = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Sequence seen = new Sequence();
        graph.handleEventsWith((event, sequence, endOfBatch) -> {
            if (sequence == 1) {
                inHand.countDown();
                goOn.await();
            }
            seen.set(sequence);
        });
        for (int i = 0; i < 4; i++) {
            publish(graph, i);
        }
        graph.start();
        inHand.await();
        RingBuffer<long[]> ring = graph.getRingBuffer();
        log.add("in the batch: at " + ring.getMinimumGatingSequence() + ", room " + ring.remainingCapacity());
        tell("shutdown in time", () -> {
            try {
                graph.shutdown(5, TimeUnit.MILLISECONDS);
            } catch (com.lmax.disruptor.TimeoutException e) {
                throw new IllegalStateException("in time");
            }
        });
        graph.halt();
        publish(graph, 4);
        goOn.countDown();
        threads.join();
        log.add("halted: at " + ring.getMinimumGatingSequence() + ", seen " + seen + ", cursor " + ring.getCursor()
                + ", room " + ring.remainingCapacity() + " " + ring.hasAvailableCapacity(4) + " "
                + isAvailable(ring, 4));
    }

    private void gates(ProducerType type) throws Exception {
        Threads threads = new Threads();
        Disruptor<long[]> graph = graph(type, threads);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        graph.handleEventsWith(handler);
        RingBuffer<long[]> ring = graph.start();
        for (int i = 0; i < 6; i++) {
            publish(graph, i);
        }
        awaitProgress(graph, handler, 5);
        Sequence late = new Sequence(77);
        ring.addGatingSequences(late);
        SequenceGroup group = new SequenceGroup();
        Sequence member = new Sequence(88);
        group.addWhileRunning(ring, member);
        log.add("joined at " + late + " " + member + " " + group.get() + " " + group.size());
        for (int i = 0; i < 3; i++) {
            publish(graph, i);
        }
        awaitProgress(graph, handler, 8);
        log.add("held by " + ring.getMinimumGatingSequence() + ", room " + ring.remainingCapacity() + ", full "
                + !ring.tryPublishEvents(
                        (event, sequence, value) -> event[0] = value, new Long[] {1L, 2L, 3L, 4L, 5L, 6L}));
        for (long room = ring.remainingCapacity(); room > 0; room--) {
            publish(graph, 0);
        }
        Thread producer = threads.newThread(() -> publish(graph, 9));
        if (type == ProducerType.MULTI) { // it waits for the late gate, and goes on without it
            producer.start();
            awaitWait(producer);
        }
        log.add("removed " + ring.removeGatingSequence(late) + " " + ring.removeGatingSequence(late) + " "
                + group.remove(member) + " " + group.remove(member) + " " + group.get());
        awaitProgress(graph, handler, type == ProducerType.MULTI ? 14 : 13);
        log.add("free " + ring.getMinimumGatingSequence() + ", room " + ring.remainingCapacity());
        group.add(late);
        group.set(3);
        log.add("set " + late + " " + group);
        graph.shutdown();
        threads.join();
    }

    private void diamond(ProducerType type) throws Exception {
        Threads threads = new Threads();
        Disruptor<long[]> graph = graph(type, threads);
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> event[0]++;
        EventHandler<long[]> second = (event, sequence, endOfBatch) -> event[0] *= 2;
        EventHandler<long[]> last = (event, sequence, endOfBatch) -> log.add("last " + event[0]);
        graph.handleEventsWith(first).then(second);
        graph.after(first).and(graph.after(second)).then(last);
        SequenceBarrier behind = graph.after(last).asSequenceBarrier();
        graph.start();
        for (int i = 0; i < 20; i++) {
            publish(graph, i);
        }
        log.add("behind " + (behind.waitFor(19) >= 19));
        graph.shutdown();
        threads.join();
        log.add("ends " + graph.getSequenceValueFor(first) + " " + graph.getSequenceValueFor(second) + " "
                + graph.getSequenceValueFor(last) + " "
                + graph.getBarrierFor(last).isAlerted());
    }

    private void ownProcessor(ProducerType type) throws Exception {
        Threads threads = new Threads();
        Disruptor<long[]> graph = graph(type, threads);
        Own own = new Own(graph.getRingBuffer());
        EventHandler<long[]> last = (event, sequence, endOfBatch) -> log.add("behind one's own " + event[0]);
        graph.handleEventsWith(own).then(last);
        graph.start();
        for (int i = 0; i < 10; i++) {
            publish(graph, i);
        }
        awaitProgress(graph, last, 9); // the Disruptor's shutdown does not wait for a thread that has not begun
        graph.shutdown();
        threads.join();
        log.add("own at " + own.sequence + ", " + own.halts + " halts, end " + graph.getSequenceValueFor(last));
        log.add("threads for processors: " + threads.given);
    }

    private void afterOwnProcessor(ProducerType type) throws Exception {
        Threads threads = new Threads();
        Disruptor<long[]> graph = graph(type, threads);
        Own own = new Own(graph.getRingBuffer());
        EventHandler<long[]> last = (event, sequence, endOfBatch) -> log.add("after one's own " + event[0]);
        graph.after(own).handleEventsWith(last);
        graph.start();
        for (int i = 0; i < 10; i++) {
            publish(graph, i);
        }
        awaitProgress(graph, last, 9);
        graph.shutdown();
        threads.join();
        log.add("own at " + own.sequence + ", " + own.halts + " halts, end " + graph.getSequenceValueFor(last));
    }

    private static boolean isVersion3() {
        return GraphProgram.class.getClassLoader().getResource("com/lmax/disruptor/SequenceReportingEventHandler.class")
                != null;
    }

    /** By the name that version 4 has for it, or the one of version 3. */
    private static Object isAvailable(RingBuffer<long[]> ring, long sequence) throws ReflectiveOperationException {
        Method asks = Arrays.stream(RingBuffer.class.getMethods())
                .filter(method -> method.getName().matches("isAvailable|isPublished"))
                .findFirst()
                .orElseThrow();
        return asks.invoke(ring, sequence);
    }

    private static void awaitWait(Thread thread) {
        long start = System.nanoTime();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException("it must wait, but is " + thread.getState());
            }
            Thread.onSpinWait();
        }
    }

    private static void awaitProgress(Disruptor<long[]> graph, EventHandler<long[]> handler, long wanted) {
        long start = System.nanoTime();
        while (graph.getSequenceValueFor(handler) < wanted) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException("it must come to " + wanted);
            }
            LockSupport.parkNanos(10_000);
        }
    }

    private static Disruptor<long[]> graph(ProducerType type, Threads threads) {
        return new Disruptor<>(() -> new long[1], 8, threads, type, new BlockingWaitStrategy());
    }

    private static void publish(Disruptor<long[]> graph, long value) {
        graph.publishEvent((event, sequence, given) -> event[0] = given, value);
    }

    private void tell(String name, Runnable call) {
        try {
            call.run();
            log.add(name + ": done");
        } catch (RuntimeException e) {
            log.add(name + ": " + e.getClass().getSimpleName());
        }
    }

    private final class Told implements ExceptionHandler<long[]> {
        private final String name;
        private boolean rethrows;

        Told(String name) {
            this.name = name;
        }

        @Override
        public void handleEventException(Throwable ex, long sequence, long[] event) {
            log.add(name + " told " + ex.getClass().getSimpleName() + " " + sequence + " " + event[0]);
            if (rethrows) {
                throw new IllegalArgumentException();
            }
        }

        @Override
        public void handleOnStartException(Throwable ex) {
            log.add(name + " told of the start");
        }

        @Override
        public void handleOnShutdownException(Throwable ex) {
            log.add(name + " told of the shutdown");
        }
    }

    /** A processor as programs write it: a loop over a barrier, and a flag. */
    private static final class Own implements EventProcessor {
        private final RingBuffer<long[]> ring;
        private final SequenceBarrier barrier;
        private final Sequence sequence = new Sequence();
        private final AtomicBoolean running = new AtomicBoolean();
        private final AtomicInteger halts = new AtomicInteger();

        Own(RingBuffer<long[]> ring) {
            this.ring = ring;
            barrier = ring.newBarrier();
        }

        @Override
        public Sequence getSequence() {
            return sequence;
        }

        @Override
        public void halt() {
            halts.incrementAndGet();
            running.set(false);
            barrier.alert();
        }

        @Override
        public boolean isRunning() {
            return running.get();
        }

        @Override
        public void run() {
            running.set(true);
            long next = 0;
            while (running.get()) {
                try {
                    for (long available = barrier.waitFor(next); next <= available; next++) {
                        ring.get(next)[0] += 100;
                        sequence.set(next);
                    }
                } catch (Exception e) {
                    // the loop looks at the flag
                }
            }
        }
    }

    /** Makes threads, waits for their end, and counts what they throw. */
    private static final class Threads implements ThreadFactory {
        private final Queue<Thread> all = new ConcurrentLinkedQueue<>();
        private final Queue<String> uncaught = new ConcurrentLinkedQueue<>();
        private final Queue<Boolean> given = new ConcurrentLinkedQueue<>();

        @Override
        public Thread newThread(Runnable run) {
            given.add(run instanceof BatchEventProcessor || run instanceof Own);
            Thread thread = new Thread(run);
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler(
                    (dead, thrown) -> uncaught.add(thrown.getClass().getSimpleName()));
            all.add(thread);
            return thread;
        }

        void join() throws InterruptedException {
            for (Thread thread : all) {
                thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
                if (thread.isAlive()) {
                    throw new IllegalStateException("the thread must end, but does not");
                }
            }
        }
    }
}
