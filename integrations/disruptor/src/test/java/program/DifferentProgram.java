package program;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.DataProvider;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.FixedSequenceGroup;
import com.lmax.disruptor.IgnoreExceptionHandler;
import com.lmax.disruptor.NoOpEventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.SequenceGroup;
import com.lmax.disruptor.SingleProducerSequencer;
import com.lmax.disruptor.TimeoutBlockingWaitStrategy;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Where the answers differ from the Disruptor's: one line for each. */
public final class DifferentProgram {
    private DifferentProgram() {}

    /**
     * Runs it.
     *
     * @return the answers
     * @throws Exception if a thread does not come to its end
     */
    public static List<String> run() throws Exception {
        List<String> log = new ArrayList<>();
        log.add("default exception handler after the start: " + defaultAfterTheStart());
        givenBarrier(log);
        nulls(log);
        claimAtAFullRing(log);
        for (ProducerType type : ProducerType.values()) {
            log.add("a claim of more than a ring holds, " + type + ": " + claimOfTooMany(type));
        }
        log.add("a sequence whose slot is used again is available: " + oldIsAvailable());
        log.add("BlockingWaitStrategy, its locks are held: " + publication(new BlockingWaitStrategy()));
        log.add("TimeoutBlockingWaitStrategy, its locks are held: "
                + publication(new TimeoutBlockingWaitStrategy(1, TimeUnit.SECONDS)));
        log.add("a time limit of 0, at the first event: " + timeOfNothing());
        log.add("who follows a slow consumer: " + following());
        log.add("whose event is claimed and not published: " + unpublished());
        log.add("whose strategy comes back early: " + early(0));
        log.add("whose strategy holds an event back: " + early(1));
        strategyThrows(log);
        strategyThrowsAfterAnEvent(log);
        joins(log);
        log.add("threads for a processor that is added twice: " + threadsOfOneAddedTwice());
        log.add("a handler after a processor that is not in the graph: " + afterAStranger());
        startOfABatchThrows(log);
        providerThrows(log);
        if (isVersion3()) {
            startOfNoBatchThrows(log);
        }
        return log;
    }

    private static String defaultAfterTheStart() {
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        graph.handleEventsWith(handler);
        graph.start();
        try {
            ExceptionHandler<Object> ignores = new IgnoreExceptionHandler();
            graph.setDefaultExceptionHandler(ignores);
            return "done";
        } catch (IllegalStateException e) {
            return "refused";
        } finally {
            graph.halt();
        }
    }

    /** The barrier that a wait strategy is given for one of two that wait at the same one, after the other was halted. */
    private static void givenBarrier(List<String> log) throws Exception {
        AtomicReference<SequenceBarrier> given = new AtomicReference<>();
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        WaitStrategy strategy = new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                    throws InterruptedException {
                given.set(barrier);
                waits.countDown();
                goOn.await();
                return dependent.get();
            }

            @Override
            public void signalAllWhenBlocking() {}
        };
        Disruptor<long[]> graph =
                new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, strategy);
        RingBuffer<long[]> ring = graph.getRingBuffer();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        graph.handleEventsWith(handler);
        SequenceBarrier shared = graph.getBarrierFor(handler);
        BatchEventProcessor<long[]> halted = processor(ring, shared, handler);
        graph.start();
        waits.await();
        log.add("the strategy has the program's barrier: " + (given.get() == shared));
        halted.halt();
        log.add("the program's barrier is alerted by a halt: " + shared.isAlerted());
        log.add("the halt of one is heard by the other: " + given.get().isAlerted());
        log.add("who was halted before a run runs: " + halted.isRunning());
        graph.halt();
        goOn.countDown();
    }

    private static void nulls(List<String> log) {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4);
        log.add("no wait strategy: " + taken(() -> RingBuffer.createMultiProducer(() -> new long[1], 4, null)));
        log.add("a null in a group: " + taken(() -> new SequenceGroup().add(null)));
        log.add("a null in a fixed group: " + taken(() -> new FixedSequenceGroup(new Sequence[] {null})));
        log.add("a barrier behind null: " + taken(() -> ring.newBarrier((Sequence) null)));
        log.add("a barrier behind two, one null: " + taken(() -> ring.newBarrier(new Sequence(), null)));
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE);
        log.add("no default exception handler: " + taken(() -> graph.setDefaultExceptionHandler(null)));
    }

    private static String taken(Runnable call) {
        try {
            call.run();
            return "taken";
        } catch (NullPointerException e) {
            return "refused";
        }
    }

    /** Asks the ring in the middle of a claim, from the third look at whom it waits for. */
    private static void claimAtAFullRing(List<String> log) {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 2);
        boolean[] waits = {false};
        Sequence gate = new Sequence() {
            private int looks;

            @Override
            public long get() {
                if (waits[0] && ++looks == 3) {
                    waits[0] = false;
                    log.add("cursor while a claim waits: " + ring.getCursor());
                    log.add("remaining capacity while a claim waits: " + ring.remainingCapacity());
                    set(0);
                }
                return super.get();
            }
        };
        ring.addGatingSequences(gate);
        ring.publish(ring.next());
        ring.publish(ring.next());
        waits[0] = true;
        log.add("claimed in the end: " + ring.next());
    }

    private static String claimOfTooMany(ProducerType type) {
        RingBuffer<long[]> ring = RingBuffer.create(type, () -> new long[1], 4, new BlockingWaitStrategy());
        boolean[] claims = {false};
        ring.addGatingSequences(new Sequence() {
            private int looks;

            @Override
            public long get() {
                if (claims[0] && ++looks == 100) {
                    throw new UnsupportedOperationException();
                }
                return super.get();
            }
        });
        claims[0] = true;
        try {
            return "done " + ring.next(5);
        } catch (IllegalArgumentException e) {
            return "refused";
        } catch (UnsupportedOperationException e) {
            return "waits";
        }
    }

    private static boolean oldIsAvailable() {
        SingleProducerSequencer sequencer = new SingleProducerSequencer(4, new BlockingWaitStrategy());
        for (int i = 0; i < 5; i++) {
            sequencer.publish(sequencer.next());
        }
        return sequencer.isAvailable(0);
    }

    /** A publication while another thread holds each lock that the strategy has. */
    private static String publication(WaitStrategy strategy) throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4, strategy);
        ring.publish(ring.next());
        Set<Object> locks = Collections.newSetFromMap(new IdentityHashMap<>());
        collect(strategy, locks);
        Thread publisher = DaemonThreadFactory.INSTANCE.newThread(() -> ring.publish(ring.next()));
        String[] answer = new String[1];
        holding(locks.iterator(), () -> {
            publisher.start();
            answer[0] = endOf(publisher);
        });
        publisher.join();
        return answer[0];
    }

    private static void collect(Object object, Set<Object> found) throws IllegalAccessException {
        if (object == null || !found.add(object)) {
            return;
        }
        for (Class<?> type = object.getClass();
                type != null && type.getName().matches("(com[.]lmax|io[.]sluice)[.].*");
                type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    collect(field.get(object), found);
                }
            }
        }
    }

    private static void holding(Iterator<Object> locks, Runnable call) {
        if (!locks.hasNext()) {
            call.run();
            return;
        }
        Object next = locks.next();
        if (next instanceof Lock lock) {
            lock.lock();
            try {
                holding(locks, call);
            } finally {
                lock.unlock();
            }
        } else {
            synchronized (next) {
                holding(locks, call);
            }
        }
    }

    /** Whether a thread comes to its end, or stands still for a while. */
    private static String endOf(Thread thread) {
        for (int still = 0; still < 50; still = isStill(thread) ? still + 1 : 0) {
            if (thread.getState() == Thread.State.TERMINATED) {
                return "goes on";
            }
            LockSupport.parkNanos(1_000_000);
        }
        return "waits";
    }

    private static boolean isStill(Thread thread) {
        Thread.State state = thread.getState();
        return state == Thread.State.BLOCKED || state == Thread.State.WAITING;
    }

    /** The cursor is ahead, whom the consumer follows is not. */
    private static String following() throws Exception {
        AtomicLong looks = new AtomicLong();
        Sequence followed = new Sequence(4) {
            @Override
            public long get() {
                looks.incrementAndGet();
                return super.get();
            }
        };
        WaitStrategy strategy = new BlockingWaitStrategy();
        SequenceBarrier barrier =
                RingBuffer.createMultiProducer(() -> "", 8, strategy).newBarrier();
        FutureTask<Long> wait = new FutureTask<>(() -> strategy.waitFor(5, new Sequence(5), followed, barrier));
        Thread waits = DaemonThreadFactory.INSTANCE.newThread(wait);
        waits.start();
        String how = restOf(waits, looks);
        followed.set(5);
        return how + ", then gets " + wait.get();
    }

    private static String unpublished() throws Exception {
        AtomicLong looks = new AtomicLong();
        WaitStrategy blocking = new BlockingWaitStrategy();
        WaitStrategy counting = new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                    throws AlertException, InterruptedException, TimeoutException {
                looks.incrementAndGet();
                return blocking.waitFor(sequence, cursor, dependent, barrier);
            }

            @Override
            public void signalAllWhenBlocking() {
                blocking.signalAllWhenBlocking();
            }
        };
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4, counting);
        CountDownLatch handled = new CountDownLatch(1);
        BatchEventProcessor<long[]> processor =
                processor(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> handled.countDown());
        long claimed = ring.next();
        Thread waits = DaemonThreadFactory.INSTANCE.newThread(processor);
        waits.start();
        String how = restOf(waits, looks);
        ring.publish(claimed);
        handled.await();
        processor.halt();
        waits.join();
        return how;
    }

    private static String timeOfNothing() throws InterruptedException {
        WaitStrategy strategy = new TimeoutBlockingWaitStrategy(0, TimeUnit.SECONDS);
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4, strategy);
        SequenceBarrier barrier = ring.newBarrier();
        FutureTask<Long> wait = new FutureTask<>(() -> barrier.waitFor(0));
        Thread waits = DaemonThreadFactory.INSTANCE.newThread(wait);
        waits.start();
        while (!wait.isDone() && waits.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        ring.publish(ring.next());
        try {
            return "gets " + wait.get();
        } catch (ExecutionException e) {
            return e.getCause().getClass().getSimpleName();
        }
    }

    /** The strategy says how far the ring has come instead of waiting, and nothing is claimed; or one event less. */
    private static String early(int events) throws Exception {
        AtomicLong looks = new AtomicLong();
        WaitStrategy strategy = new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier) {
                looks.incrementAndGet();
                return dependent.get() - events;
            }

            @Override
            public void signalAllWhenBlocking() {}
        };
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4, strategy);
        publish(ring, events);
        BatchEventProcessor<long[]> processor = processor(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> {});
        Thread waits = DaemonThreadFactory.INSTANCE.newThread(processor);
        waits.start();
        String how = restOf(waits, looks);
        processor.halt();
        waits.join();
        return how;
    }

    private static void strategyThrows(List<String> log) throws Exception {
        Steps steps = new Steps();
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8, steps);
        List<Long> handled = new ArrayList<>();
        BatchEventProcessor<long[]> processor =
                processor(ring, ring.newBarrier(), handler(size -> {}, event -> handled.add(event[0])));
        processor.setExceptionHandler(new Telling("a wait strategy", log));
        steps.then(() -> {
                    throw new UnsupportedOperationException();
                })
                .then(() -> publish(ring, 1))
                .then(processor::halt);
        processor.run();
        log.add("handled after a wait strategy has thrown: " + handled);
    }

    private static void strategyThrowsAfterAnEvent(List<String> log) throws Exception {
        Steps steps = new Steps();
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8, steps);
        List<Long> handled = new ArrayList<>();
        BatchEventProcessor<long[]> processor =
                processor(ring, ring.newBarrier(), handler(size -> {}, event -> handled.add(event[0])));
        processor.setExceptionHandler(new Telling("a wait strategy after an event", log));
        publish(ring, 2);
        steps.then(() -> {
                    throw new UnsupportedOperationException();
                })
                .then(() -> publish(ring, 2))
                .then(processor::halt);
        processor.run();
        log.add("handled after a later throw of a wait strategy: " + handled);
    }

    /** A sequence that begins to gate while the one producer has claimed two events and published neither. */
    private static void joins(List<String> log) {
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 4);
        publish(ring, 3);
        long first = ring.next();
        long second = ring.next();
        Sequence joined = new Sequence();
        ring.addGatingSequences(joined);
        log.add("who joins while claims are open begins at: " + joined);
        ring.publish(first);
        ring.publish(second);
        int claims = 0;
        while (ring.tryPublishEvent((event, sequence) -> event[0] = sequence)) {
            claims++;
        }
        log.add("claims until the ring is full: " + claims);
    }

    private static String afterAStranger() {
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        return taken(
                () -> graph.after(new NoOpEventProcessor(graph.getRingBuffer())).handleEventsWith(handler));
    }

    private static int threadsOfOneAddedTwice() {
        AtomicLong threads = new AtomicLong();
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, task -> {
            threads.incrementAndGet();
            return DaemonThreadFactory.INSTANCE.newThread(() -> {});
        });
        NoOpEventProcessor processor = new NoOpEventProcessor(graph.getRingBuffer());
        graph.handleEventsWith(processor).and(processor);
        graph.start();
        return threads.intValue();
    }

    /** Whether a thread that looks again and again parks, or looks a million times without that. */
    private static String restOf(Thread thread, AtomicLong looks) {
        while (looks.get() < 1_000_000) {
            if (thread.getState() == Thread.State.TIMED_WAITING) {
                return "parks";
            }
        }
        return "spins";
    }

    private static void startOfABatchThrows(List<String> log) throws Exception {
        Steps steps = new Steps();
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8, steps);
        int[] starts = {0};
        BatchEventProcessor<long[]> processor = processor(
                ring,
                ring.newBarrier(),
                handler(
                        size -> {
                            if (starts[0]++ % 2 == 0) {
                                throw new UnsupportedOperationException();
                            }
                        },
                        event -> {}));
        processor.setExceptionHandler(new Telling("onBatchStart", log));
        publish(ring, 3);
        steps.then(() -> publish(ring, 1)).then(processor::halt);
        processor.run();
    }

    private static void providerThrows(List<String> log) throws Exception {
        Steps steps = new Steps();
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8, steps);
        int[] refusals = {0};
        DataProvider<long[]> provider = sequence -> {
            if (sequence == 0 || (sequence == 2 && refusals[0]++ == 0)) {
                throw new UnsupportedOperationException();
            }
            return ring.get(sequence);
        };
        BatchEventProcessor<long[]> processor =
                processor(provider, ring.newBarrier(), handler(size -> {}, event -> {}));
        processor.setExceptionHandler(new Telling("a data provider", log));
        publish(ring, 3);
        steps.then(processor::halt);
        processor.run();
    }

    /** Only version 3 tells the start of a batch of none. */
    private static void startOfNoBatchThrows(List<String> log) throws Exception {
        Steps steps = new Steps();
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8, steps);
        List<Long> handled = new ArrayList<>();
        int[] none = {0};
        BatchEventProcessor<long[]> processor = processor(
                ring,
                ring.newBarrier(),
                handler(
                        size -> {
                            if (size == 0 && none[0]++ == 0) {
                                throw new UnsupportedOperationException();
                            }
                        },
                        event -> handled.add(event[0])));
        processor.setExceptionHandler(new Telling("onBatchStart(0)", log));
        steps.then(() -> {}).then(() -> publish(ring, 1)).then(processor::halt);
        processor.run();
        log.add("handled after onBatchStart(0) has thrown: " + handled);
    }

    private static void publish(RingBuffer<long[]> ring, int events) {
        for (int i = 0; i < events; i++) {
            ring.publishEvent((event, sequence) -> event[0] = 10 + sequence);
        }
    }

    /** Where a processor would wait, it goes on by the next step. */
    private static final class Steps implements WaitStrategy {
        private final Deque<Runnable> left = new ArrayDeque<>();

        Steps then(Runnable step) {
            left.add(step);
            return this;
        }

        @Override
        public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                throws AlertException {
            if (dependent.get() < sequence) {
                left.remove().run();
            }
            barrier.checkAlert();
            return dependent.get();
        }

        @Override
        public void signalAllWhenBlocking() {}
    }

    private static final class Telling implements ExceptionHandler<long[]> {
        private final String who;
        private final List<String> log;

        Telling(String who, List<String> log) {
            this.who = who;
            this.log = log;
        }

        @Override
        public void handleEventException(Throwable ex, long sequence, long[] event) {
            log.add(who + " throws at " + sequence + ", told: " + (event == null ? "none" : event[0]));
        }

        @Override
        public void handleOnStartException(Throwable ex) {
            log.add("start: " + ex);
        }

        @Override
        public void handleOnShutdownException(Throwable ex) {
            log.add("shutdown: " + ex);
        }
    }

    /** A handler that is told of the start of a batch in the way of either version. */
    @SuppressWarnings("unchecked")
    private static EventHandler<long[]> handler(LongConsumer onBatchStart, Consumer<long[]> onEvent)
            throws ClassNotFoundException {
        List<Class<?>> faces = new ArrayList<>(List.of(EventHandler.class));
        ClassLoader loader = DifferentProgram.class.getClassLoader();
        if (isVersion3()) {
            faces.add(loader.loadClass("com.lmax.disruptor.BatchStartAware"));
        }
        return (EventHandler<long[]>) Proxy.newProxyInstance(
                loader, faces.toArray(new Class<?>[0]), (proxy, method, args) -> {
                    if (method.getName().equals("onBatchStart")) {
                        onBatchStart.accept((long) args[0]);
                    } else if (method.getName().equals("onEvent")) {
                        onEvent.accept((long[]) args[0]);
                    }
                    return null;
                });
    }

    /** Whether the classes are those of version 3, which has a class that version 4 has not. */
    private static boolean isVersion3() {
        return DifferentProgram.class
                        .getClassLoader()
                        .getResource("com/lmax/disruptor/SequenceReportingEventHandler.class")
                != null;
    }

    /** By the builder of version 4, or the constructor of version 3. */
    @SuppressWarnings("unchecked")
    private static BatchEventProcessor<long[]> processor(
            DataProvider<long[]> events, SequenceBarrier barrier, EventHandler<long[]> handler)
            throws ReflectiveOperationException {
        ClassLoader loader = RingBuffer.class.getClassLoader();
        Class<?> provider = loader.loadClass("com.lmax.disruptor.DataProvider");
        try {
            Class<?> builder = loader.loadClass("com.lmax.disruptor.BatchEventProcessorBuilder");
            return (BatchEventProcessor<long[]>)
                    builder.getMethod("build", provider, SequenceBarrier.class, EventHandler.class)
                            .invoke(builder.getConstructor().newInstance(), events, barrier, handler);
        } catch (ClassNotFoundException version3) {
            return (BatchEventProcessor<long[]>) BatchEventProcessor.class
                    .getConstructor(provider, SequenceBarrier.class, EventHandler.class)
                    .newInstance(events, barrier, handler);
        }
    }
}
