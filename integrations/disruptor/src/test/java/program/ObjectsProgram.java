package program;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.DataProvider;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.EventTranslator;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.EventTranslatorThreeArg;
import com.lmax.disruptor.EventTranslatorTwoArg;
import com.lmax.disruptor.EventTranslatorVararg;
import com.lmax.disruptor.FixedSequenceGroup;
import com.lmax.disruptor.IgnoreExceptionHandler;
import com.lmax.disruptor.MultiProducerSequencer;
import com.lmax.disruptor.NoOpEventProcessor;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.SequenceGroup;
import com.lmax.disruptor.Sequencer;
import com.lmax.disruptor.SingleProducerSequencer;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.TimeoutBlockingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.EventHandlerGroup;
import com.lmax.disruptor.dsl.EventProcessorFactory;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import com.lmax.disruptor.util.Util;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Each class by itself on one thread: what it answers at its bounds, and what it refuses. */
public final class ObjectsProgram {
    private final List<String> log = new ArrayList<>();

    private ObjectsProgram() {}

    /**
     * Runs it.
     *
     * @return what happened
     */
    public static List<String> run() {
        ObjectsProgram program = new ObjectsProgram();
        program.sequences();
        program.groups();
        program.utilities();
        program.strategies();
        program.noOp();
        for (ProducerType type : ProducerType.values()) {
            program.log.add(type.toString());
            program.rings(type);
            program.singleEvents(type);
            program.sequencers(type);
            program.barriers(type);
            program.pollers(type);
            program.graphs(type);
            program.publicationsOfAGraph(type);
        }
        return program.log;
    }

    private void sequences() {
        Sequence sequence = new Sequence();
        tell("new", sequence::get);
        tell("of", () -> new Sequence(Long.MAX_VALUE));
        tell("increment", sequence::incrementAndGet);
        tell("add", () -> sequence.addAndGet(-7));
        tell("add nothing", () -> sequence.addAndGet(0));
        tell("compare wrong", () -> sequence.compareAndSet(0, 1));
        tell("compare right", () -> sequence.compareAndSet(-7, 1));
        sequence.setVolatile(12);
        tell("volatile", () -> sequence);
        sequence.set(Long.MAX_VALUE);
        tell("overflow", sequence::incrementAndGet);
    }

    private void groups() {
        SequenceGroup group = new SequenceGroup();
        tell("empty", () -> group.get() + " " + group.size());
        group.set(4);
        tell("empty set", group::get);
        Sequence member = new Sequence(3);
        group.add(member);
        group.add(member);
        group.add(new Sequence(2));
        tell("members", () -> group.get() + " " + group.size());
        tell("compare", () -> group.compareAndSet(2, 9));
        if (!isVersion3()) { // there it compares a number of its own with the lowest member, for ever
            tell("increment", group::incrementAndGet);
        }
        tell("after", group::get);
        tell("remove both", () -> group.remove(member) + " " + group.size());
        tell("remove a stranger", () -> group.remove(new Sequence(2)) + " " + group.size());
        tell("set", () -> {
            group.set(77);
            return group.get() + " " + member;
        });
        FixedSequenceGroup fixed = new FixedSequenceGroup(new Sequence[] {new Sequence(5), new Sequence(3)});
        tell("fixed", fixed::get);
        tell("fixed set", () -> {
            fixed.set(1);
            return fixed.get();
        });
        tell("fixed compare", () -> fixed.compareAndSet(3, 4));
        tell("fixed increment", fixed::incrementAndGet);
        tell("fixed add", () -> fixed.addAndGet(2));
        tell("fixed of none", () -> new FixedSequenceGroup(new Sequence[0]).get());
    }

    private void utilities() {
        for (int i :
                new int[] {Integer.MIN_VALUE, -5, -1, 0, 1, 2, 3, 8, 9, 1 << 30, (1 << 30) + 1, Integer.MAX_VALUE}) {
            tell("power " + i, () -> Util.ceilingNextPowerOfTwo(i));
            if (i > 0 || !isVersion3()) { // there a negative number is shifted to the right for ever
                tell("log " + i, () -> Util.log2(i));
            }
        }
        tell("minimum of none", () -> Util.getMinimumSequence(new Sequence[0]));
        tell("minimum", () -> Util.getMinimumSequence(new Sequence[] {new Sequence(4), new Sequence(-3)}));
        tell("minimum with", () -> Util.getMinimumSequence(new Sequence[] {new Sequence(4)}, 2));
        tell("minimum of none with", () -> Util.getMinimumSequence(new Sequence[0], 2));
        tell("sequences of none", () -> Util.getSequencesFor().length);
        if (!isVersion3()) { // it has no such method
            tell("wait without the lock", () -> awaited(new Object(), 1_000_000));
        }
        tell("a daemon", () -> DaemonThreadFactory.INSTANCE.newThread(() -> {}).isDaemon());
    }

    private static long awaited(Object mutex, long nanos) {
        try {
            return Util.awaitNanos(mutex, nanos);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With assertions on, version 4 refuses a second producer; it says so on that thread. */
    private static Object onAThread(Callable<Object> call) {
        FutureTask<Object> task = new FutureTask<>(call);
        DaemonThreadFactory.INSTANCE.newThread(task).start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            return e.getCause().getClass();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void strategies() {
        tell("sleeping", () -> new SleepingWaitStrategy(-1, -1) != null);
        tell(
                "phased",
                () -> new PhasedBackoffWaitStrategy(-1, -1, TimeUnit.SECONDS, new BlockingWaitStrategy()) != null);
        tell("time-out below 0", () -> new TimeoutBlockingWaitStrategy(-1, TimeUnit.SECONDS) != null);
        tell("time-out of no unit", () -> new TimeoutBlockingWaitStrategy(1, null) != null);
        tell("ignored", () -> {
            new IgnoreExceptionHandler()
                    .handleEventException(new IllegalStateException("ignored; part of a test"), 1, "");
            return "went on";
        });
    }

    private void noOp() {
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 4);
        NoOpEventProcessor processor = new NoOpEventProcessor(ring);
        tell(
                "no-op",
                () -> processor.isRunning() + " " + processor.getSequence().get());
        tell("run", () -> done(processor));
        tell("run again", () -> done(processor));
        tell("runs", processor::isRunning);
        ring.publish(ring.next());
        tell("follows", () -> processor.getSequence().get());
        tell("halt", () -> done(processor::halt));
        tell("halt again", () -> done(processor::halt));
        tell("halted", processor::isRunning);
        tell("run after a halt", () -> done(processor));
        tell("sequence", () -> Util.getSequencesFor(processor)[0] == processor.getSequence());
        tell("set", () -> {
            processor.getSequence().set(9);
            return processor.getSequence().get();
        });
    }

    private void rings(ProducerType type) {
        for (int size : new int[] {Integer.MIN_VALUE, -1, 0, 1, 2, 3, 12, 16}) {
            tell("size " + size, () -> ring(type, size).getBufferSize());
        }
        tell("no factory", () -> RingBuffer.create(type, null, 4, new BlockingWaitStrategy()) != null);
        tell(
                "a factory of nulls",
                () -> RingBuffer.create(type, () -> null, 4, new BlockingWaitStrategy())
                        .get(0));
        RingBuffer<long[]> ring = ring(type, 4);
        tell("one slot", () -> ring.get(1) == ring.get(5));
        tell("slots", () -> ring.get(1) == ring.get(2));
        tell("below 0", () -> ring.get(-3) == ring.get(1));
        tell("ungated room", ring::remainingCapacity);
        tell("ungated minimum", ring::getMinimumGatingSequence);
        RingBuffer<long[]> handedOver = ring(type, 4);
        tell("a claim", handedOver::next);
        tell("a claim by a second thread", () -> onAThread(handedOver::next));
        tell("none", () -> ring.next(0));
        tell("below none", () -> ring.next(-1));
        tell("try none", () -> {
            try {
                return ring.tryNext(-1);
            } catch (com.lmax.disruptor.InsufficientCapacityException e) {
                return "full";
            }
        });
        Sequence gate = new Sequence();
        ring.addGatingSequences(gate);
        for (int i = 0; i < 6; i++) {
            tell("try " + i, () -> {
                try {
                    long sequence = ring.tryNext();
                    ring.publish(sequence);
                    return sequence + " " + ring.remainingCapacity() + " " + ring.hasAvailableCapacity(1) + " "
                            + ring.hasAvailableCapacity(2);
                } catch (com.lmax.disruptor.InsufficientCapacityException e) {
                    return "full " + e.getStackTrace().length + " " + ring.getCursor();
                }
            });
        }
        tell("try to publish", () -> ring.tryPublishEvent((event, sequence) -> event[0] = sequence));
        gate.set(1);
        tell("try to publish with room", () -> ring.tryPublishEvent((event, sequence) -> event[0] = sequence));
        tell(
                "a translator that throws",
                () -> done(() -> ring.publishEvent((event, sequence) -> {
                    throw new UnsupportedOperationException();
                })));
        tell("its event is published", () -> ring.getCursor() + " " + ring.remainingCapacity());
        gate.set(5);
        tell("no translator", () -> done(() -> ring.publishEvent((com.lmax.disruptor.EventTranslator<long[]>) null)));
        tell("after that", () -> ring.getCursor() + " " + ring.remainingCapacity());
        gate.set(ring.getCursor());
        tell("claims", () -> ring.claimAndGetPreallocated(40) == ring.get(40));
        tell("claimed", ring::getCursor);
        gate.set(40);
        tell("after the claim", () -> {
            long sequence = ring.next();
            ring.publish(sequence);
            return sequence;
        });
        tell("add null", () -> done(() -> ring.addGatingSequences((Sequence[]) null)));
        tell("remove null", () -> ring.removeGatingSequence(null));
        Sequence twice = new Sequence();
        ring.addGatingSequences(twice, twice);
        tell(
                "twice",
                () -> ring.getMinimumGatingSequence() + " " + ring.removeGatingSequence(twice) + " "
                        + ring.removeGatingSequence(twice));
    }

    /** One event with each number of arguments: with room, at a full ring, with nulls, and by a translator that throws. */
    private void singleEvents(ProducerType type) {
        RingBuffer<Object[]> ring = RingBuffer.create(type, () -> new Object[] {"-"}, 2, new BlockingWaitStrategy());
        Sequence gate = new Sequence();
        ring.addGatingSequences(gate);
        publishes(ring, gate, "0", () -> ring.publishEvent(none()), () -> ring.tryPublishEvent(none()));
        for (String a : new String[] {"a", null, "throw"}) {
            publishes(ring, gate, "1", () -> ring.publishEvent(one(), a), () -> ring.tryPublishEvent(one(), a));
            publishes(ring, gate, "2", () -> ring.publishEvent(two(), a, 2), () -> ring.tryPublishEvent(two(), a, 2));
            publishes(
                    ring,
                    gate,
                    "3",
                    () -> ring.publishEvent(three(), a, 2, 'c'),
                    () -> ring.tryPublishEvent(three(), a, 2, 'c'));
            publishes(
                    ring,
                    gate,
                    "more",
                    () -> ring.publishEvent(more(), a, 2, 'c', 4L),
                    () -> ring.tryPublishEvent(more(), a, 2, 'c', 4L));
        }
        publishes(ring, gate, "more of none", () -> ring.publishEvent(more()), () -> ring.tryPublishEvent(more()));
        publishes(
                ring,
                gate,
                "more of null",
                () -> ring.publishEvent(more(), (Object[]) null),
                () -> ring.tryPublishEvent(more(), (Object[]) null));
    }

    private void publishes(
            RingBuffer<Object[]> ring, Sequence gate, String name, Runnable call, Supplier<Object> attempt) {
        gate.set(ring.getCursor());
        tell(name, () -> done(call));
        state(ring);
        tell("try " + name, attempt);
        state(ring);
        tell("try at a full ring " + name, attempt);
        state(ring);
    }

    private void state(RingBuffer<Object[]> ring) {
        log.add(ring.getCursor() + " " + ring.remainingCapacity() + " " + ring.get(0)[0] + " " + ring.get(1)[0]);
    }

    private static EventTranslator<Object[]> none() {
        return (event, sequence) -> fill(event, sequence);
    }

    private static EventTranslatorOneArg<Object[], Object> one() {
        return (event, sequence, a) -> fill(event, sequence, a);
    }

    private static EventTranslatorTwoArg<Object[], Object, Object> two() {
        return (event, sequence, a, b) -> fill(event, sequence, a, b);
    }

    private static EventTranslatorThreeArg<Object[], Object, Object, Object> three() {
        return (event, sequence, a, b, c) -> fill(event, sequence, a, b, c);
    }

    private static EventTranslatorVararg<Object[]> more() {
        return (event, sequence, args) -> fill(event, sequence, args);
    }

    private static void fill(Object[] event, long sequence, Object... args) {
        event[0] = Arrays.toString(args) + "@" + sequence;
        if (args != null && Arrays.asList(args).contains("throw")) {
            throw new UnsupportedOperationException();
        }
    }

    private void sequencers(ProducerType type) {
        Sequencer sequencer = type == ProducerType.MULTI
                ? new MultiProducerSequencer(8, new BlockingWaitStrategy())
                : new SingleProducerSequencer(8, new BlockingWaitStrategy());
        tell("cursor", sequencer::getCursor);
        tell("size", sequencer::getBufferSize);
        tell("three", () -> sequencer.next(3));
        tell("available before", () -> sequencer.isAvailable(0));
        sequencer.publish(1);
        sequencer.publish(0);
        tell("published", () -> sequencer.getHighestPublishedSequence(0, 1) + " " + sequencer.isAvailable(0));
        tell("published none", () -> sequencer.getHighestPublishedSequence(5, 4));
        sequencer.publish(2, 2);
        tell("cursor after", sequencer::getCursor);
        tell("minimum", sequencer::getMinimumSequence);
        tell("all", () -> sequencer.next(8));
        sequencer.publish(3, 10);
        tell("cursor after all", sequencer::getCursor);
        sequencer.claim(20);
        tell("claimed", () -> sequencer.getCursor() + " " + sequencer.getMinimumSequence());
        tell("room", sequencer::remainingCapacity);
        tell("room for all", () -> sequencer.hasAvailableCapacity(8) + " " + sequencer.hasAvailableCapacity(0));
    }

    private void barriers(ProducerType type) {
        RingBuffer<long[]> ring = ring(type, 4);
        SequenceBarrier barrier = ring.newBarrier();
        tell("barrier", () -> barrier.getCursor() + " " + barrier.isAlerted());
        tell("no alert", () -> done(() -> check(barrier)));
        barrier.alert();
        tell("alert", () -> done(() -> check(barrier)));
        tell("alerted", barrier::isAlerted);
        tell("wait", () -> waited(barrier, 0));
        barrier.alert();
        barrier.clearAlert();
        tell("cleared", barrier::isAlerted);
        ring.publish(ring.next());
        tell("wait again", () -> waited(barrier, 0));
        tell("wait for what is over", () -> waited(barrier, -1));
        Sequence one = new Sequence(7);
        SequenceBarrier behind = ring.newBarrier(one, new Sequence(6));
        tell("behind", () -> behind.getCursor() + " " + waited(behind, 0));
        tell("behind no array", () -> ring.newBarrier((Sequence[]) null) != null);
    }

    private static void check(SequenceBarrier barrier) {
        try {
            barrier.checkAlert();
        } catch (com.lmax.disruptor.AlertException e) {
            throw new IllegalStateException("alerted", e);
        }
    }

    private static Object waited(SequenceBarrier barrier, long sequence) {
        try {
            return barrier.waitFor(sequence);
        } catch (com.lmax.disruptor.AlertException | com.lmax.disruptor.TimeoutException | InterruptedException e) {
            return e.getClass().getSimpleName();
        }
    }

    private void pollers(ProducerType type) {
        RingBuffer<long[]> ring = ring(type, 4);
        Sequence followed = new Sequence();
        EventPoller<long[]> first = ring.newPoller();
        EventPoller<long[]> behind = ring.newPoller(followed);
        ring.addGatingSequences(first.getSequence(), behind.getSequence());
        tell("idle", () -> poll(first, true) + " " + poll(behind, true));
        for (int i = 0; i < 3; i++) {
            ring.publish(ring.next());
        }
        tell("gated", () -> poll(behind, true) + " " + behind.getSequence());
        tell("one by one", () -> poll(first, false) + " " + first.getSequence());
        tell("the others", () -> poll(first, true) + " " + first.getSequence() + " " + poll(first, true));
        followed.set(1);
        tell("as far", () -> poll(behind, true) + " " + behind.getSequence() + " " + poll(behind, true));
        tell("throws", () -> {
            followed.set(2);
            try {
                return behind.poll((event, sequence, endOfBatch) -> {
                    throw new UnsupportedOperationException();
                });
            } catch (Exception e) {
                return e.getClass().getSimpleName() + " " + behind.getSequence();
            }
        });
        tell("room", ring::remainingCapacity);
        ring.next();
        tell("claimed, not published", () -> poll(first, true));
        DataProvider<long[]> provider = ring;
        tell(
                "several",
                () -> EventPoller.newInstance(
                                provider,
                                new SingleProducerSequencer(4, new BlockingWaitStrategy()),
                                new Sequence(),
                                new Sequence(3),
                                new Sequence(2),
                                new Sequence(1))
                        .getSequence());
    }

    private static String poll(EventPoller<long[]> poller, boolean goesOn) {
        StringBuilder seen = new StringBuilder();
        try {
            Object state = poller.poll((event, sequence, endOfBatch) -> {
                seen.append(sequence).append(endOfBatch ? "! " : " ");
                return goesOn;
            });
            return seen.append(state).toString();
        } catch (Exception e) {
            return seen.append(e.getClass().getSimpleName()).toString();
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // arrays of handlers, which Java makes raw only
    private void graphs(ProducerType type) {
        Disruptor<long[]> graph = graph(type);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> stranger = (event, sequence, endOfBatch) -> {};
        tell("barrier of a stranger", () -> graph.getBarrierFor(stranger));
        tell("barrier of null", () -> graph.getBarrierFor(null));
        if (!isVersion3()) { // it takes null, and the consumer dies of the first event
            tell("handler of null", () -> done(() -> graph.handleEventsWith((EventHandler<long[]>) null)));
        }
        EventHandlerGroup<long[]> group = graph.handleEventsWith(handler);
        tell("its barrier", () -> graph.getBarrierFor(handler) != null);
        tell("its cursor", () -> graph.getBarrierFor(handler).getCursor());
        tell("none of them", () -> done(() -> graph.handleEventsWith(new EventHandler[0])));
        tell("none behind", () -> done(() -> group.then(new EventHandler[0])));
        tell("and itself", () -> group.and(group).asSequenceBarrier().getCursor());
        NoOpEventProcessor own = new NoOpEventProcessor(graph.getRingBuffer());
        tell("after one's own", () -> graph.after(own).asSequenceBarrier().getCursor());
        tell("and one's own", () -> group.and(own).asSequenceBarrier().getCursor());
        tell("after none", () -> done(() -> graph.after(new EventHandler[0]).asSequenceBarrier()));
        tell(
                "exceptions of a stranger",
                () -> done(() -> graph.handleExceptionsFor(stranger).with(new IgnoreExceptionHandler())));
        tell(
                "exceptions told to null",
                () -> done(() -> graph.handleExceptionsFor(handler).with(null)));
        EventProcessorFactory<long[]> makesNull = (ring, barriers) -> null;
        tell("a factory of null", () -> done(() -> graph.handleEventsWith(makesNull)));
        EventProcessorFactory<long[]> makes = (ring, sequences) -> {
            log.add("made behind " + Arrays.toString(sequences));
            return new NoOpEventProcessor(ring);
        };
        tell("a factory", () -> done(() -> graph(type).handleEventsWith(makes).then(makes)));
        tell("one's own processor twice", () -> {
            Disruptor<long[]> twice = graph(type);
            EventProcessor processor = new NoOpEventProcessor(twice.getRingBuffer());
            twice.handleEventsWith(processor).and(processor);
            return twice.getRingBuffer().getMinimumGatingSequence();
        });
        tell(
                "asked before the start",
                () -> graph.getSequenceValueFor(handler) + " " + graph.getCursor() + " " + graph.getBufferSize() + " "
                        + (graph.get(1) == graph.getRingBuffer().get(1)));
        tell(
                "no threads",
                () -> new Disruptor<>(
                                () -> new long[1],
                                4,
                                (java.util.concurrent.ThreadFactory) null,
                                type,
                                new BlockingWaitStrategy())
                        != null);
        tell("size 3", () -> new Disruptor<>(() -> new long[1], 3, DaemonThreadFactory.INSTANCE) != null);
    }

    /** What a graph hands on to its ring. */
    private void publicationsOfAGraph(ProducerType type) {
        Disruptor<Object[]> graph = new Disruptor<>(
                () -> new Object[] {"-"}, 2, DaemonThreadFactory.INSTANCE, type, new BlockingWaitStrategy());
        RingBuffer<Object[]> ring = graph.getRingBuffer();
        for (String a : new String[] {"a", null, "throw"}) {
            for (Runnable call : List.<Runnable>of(
                    () -> graph.publishEvent(none()),
                    () -> graph.publishEvent(one(), a),
                    () -> graph.publishEvent(two(), a, 2),
                    () -> graph.publishEvent(three(), a, 2, 'c'),
                    () -> graph.publishEvents(one(), new Object[] {a}),
                    () -> graph.publishEvents(one(), new Object[] {"b", a}),
                    () -> graph.publishEvents(one(), new Object[] {a, a, a}),
                    () -> graph.publishEvents(one(), new Object[0]))) {
                tell("a graph publishes", () -> done(call));
                state(ring);
            }
        }
    }

    private static Disruptor<long[]> graph(ProducerType type) {
        return new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE, type, new BlockingWaitStrategy());
    }

    private static RingBuffer<long[]> ring(ProducerType type, int size) {
        return RingBuffer.create(type, () -> new long[1], size, new BlockingWaitStrategy());
    }

    /** Whether the classes are those of version 3, which has a class that version 4 has not. */
    private static boolean isVersion3() {
        return ObjectsProgram.class
                        .getClassLoader()
                        .getResource("com/lmax/disruptor/SequenceReportingEventHandler.class")
                != null;
    }

    private static String done(Runnable call) {
        call.run();
        return "done";
    }

    private void tell(String name, Supplier<Object> asked) {
        try {
            log.add(name + ": " + asked.get());
        } catch (RuntimeException e) {
            log.add(name + ": " + e.getClass().getSimpleName());
        }
    }
}
