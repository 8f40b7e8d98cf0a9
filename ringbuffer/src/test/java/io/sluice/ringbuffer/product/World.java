package io.sluice.ringbuffer.product;

import io.sluice.core.RunnerAgent;
import io.sluice.core.Sequence;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.conflation.LatestByKey;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.ClaimInterruptedException;
import io.sluice.ringbuffer.DroppingMessageProducer;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.EventTranslator;
import io.sluice.ringbuffer.EventTranslatorBatch;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.EventTranslatorTwoLongs;
import io.sluice.ringbuffer.FailingWakeUps;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingClosedException;
import io.sluice.ringbuffer.RingException;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.monitor.Watchdog;
import io.sluice.ringbuffer.monitor.WatchdogLooks;
import io.sluice.ringbuffer.pipeline.ConsumerFailedException;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventClearer;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.InvokedTurns;
import io.sluice.ringbuffer.pipeline.Join;
import io.sluice.ringbuffer.pipeline.MessageKey;
import io.sluice.ringbuffer.pipeline.NewConsumer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import io.sluice.ringbuffer.pipeline.SlotClearer;
import io.sluice.ringbuffer.pipeline.SlotKey;
import io.sluice.ringbuffer.product.Node.Arm;
import io.sluice.ringbuffer.product.Node.Deed;
import io.sluice.ringbuffer.product.Node.Outcome;
import io.sluice.ringbuffer.product.Node.Planned;
import io.sluice.ringbuffer.product.Node.PlannedError;
import io.sluice.ringbuffer.product.Node.Stage;
import io.sluice.ringbuffer.product.Node.Where;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program against a ring, one step after another, and holds each answer against a sequential model of what is promised.
 *
 * <p>A step runs on the main thread, on one other thread that lives as long, or on a thread that ends with the step; nobody
 * else runs meanwhile. A handler may run further steps of the program itself, and so may the idle strategy of a producer that
 * waits for room.
 */
final class World {
    static final int NOBODY = -1;
    private static final int MAIN = 0;
    private static final int OTHER = 1;
    private static final long CLEAR = Long.MIN_VALUE;
    private static final int KEYS = 8;

    /** How many handlers are on the stack at once, at most. */
    private static final int MOST_DEPTH = 3;

    private static final int MOST_NODES = 8;

    private static final long SHORT = 1_000;
    private static final long LONG = 10_000_000_000L;
    /** A limit for what has to return at once: the watchdog of the program ends sooner. */
    private static final long A_DAY = 86_400_000_000_000L;

    private static final long WATCHDOG_NANOS = 1_000_000;

    /** How often a drain that is over looks at the gates still. */
    private static final int MOST_LATE_LOOKS = 64;

    /** What a consumer returned to a caller that told the sum only. */
    private static final long UNKNOWN = -1;

    private enum Status {
        OPEN,
        LIVE,
        ABORTED
    }

    /** What the consumers that the caller runs are called for, one after another. */
    private enum Turns {
        NONE,
        OF_START,
        OF_WORK,
        OF_END
    }

    private static final class Slot {
        final Prod owner;
        Status status = Status.OPEN;
        boolean lost;
        /** On a ring that tracks claims: an abort was cut off, so its owner may be told of a loss, or that nothing is open. */
        boolean cutOff;

        /** It was given up by a close when others had its slot already, so nothing was published there for it. */
        boolean droppedByClose;

        int type; // of a message
        long value;
        boolean cleared;
        Set<Node> finishers = Set.of();

        Slot(Prod owner) {
            this.owner = owner;
        }
    }

    /** A message, or what a producer of messages is asked to take for one. */
    private record Offered(int type, SafeBuffer buffer, int offset, int length, boolean handlerThrows) {}

    private static final class Prod {
        final int id;
        final @Nullable Producer<Object> real;
        /** Instead, on a ring of messages. */
        final @Nullable MessageProducer sender;

        final Waiting idle;
        int owner = NOBODY;
        /** Whether a claim was granted, so that no other thread is let in. */
        boolean granted;

        /** Whether it waits for room, while others take their steps. */
        boolean waits;

        /** Whether the steps within its wait may use it, and how often they have. */
        boolean usedInItsWait;

        int usesInItsWait;

        boolean closed;
        boolean acknowledged;

        @Nullable
        DroppingProducer<Object> dropping;

        /** Instead, on a ring of messages. */
        @Nullable
        DroppingMessageProducer droppingSender;

        /** The message that it offers where it drops the newest. */
        @Nullable
        Offered offered;

        boolean newest;
        long patience;
        final List<Long> lost = new ArrayList<>();
        long dropped;
        /** How many it is to have dropped as the newest. */
        long toDrop;

        Prod(int id, @Nullable Producer<Object> real, @Nullable MessageProducer sender, Waiting idle) {
            this.id = id;
            this.real = real;
            this.sender = sender;
            this.idle = idle;
        }

        Producer<Object> real() {
            return Objects.requireNonNull(real);
        }

        MessageProducer sender() {
            return Objects.requireNonNull(sender);
        }

        boolean drops() {
            return dropping != null || droppingSender != null;
        }

        // by the sequences of the ring

        long claim() {
            return sender == null ? real().tryNext(1) : sender.tryClaim(1, Item.MESSAGE_LENGTH);
        }

        void publish(long lo, long hi) {
            if (sender != null) {
                sender.commit(lo);
            } else if (lo == hi) {
                real().publish(lo);
            } else {
                real().publish(lo, hi);
            }
        }

        void abort(long lo, long hi) {
            if (sender != null) {
                sender.abort(lo);
            } else {
                real().abort(lo, hi);
            }
        }

        void close() {
            if (sender != null) {
                sender.close();
            } else {
                real().close();
            }
        }

        @Override
        public String toString() {
            return "producer" + id;
        }
    }

    /** How a producer waits: as any other does, or while further steps of the program run. */
    private static final class Waiting implements IdleStrategy {
        private final IdleStrategy plain = new BackoffIdleStrategy(100, 10, 1_000, 50_000);

        @Nullable
        Runnable step;

        /** Once, at the end of a wait. */
        @Nullable
        Runnable atItsEnd;

        boolean failsAtItsEnd;

        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            Runnable present = step;
            if (present == null) {
                plain.idle();
            } else {
                present.run();
            }
        }

        @Override
        public void reset() {
            plain.reset();
            Runnable last = atItsEnd;
            if (last != null) {
                atItsEnd = null;
                last.run();
            }
            if (failsAtItsEnd) {
                throw new PlannedError();
            }
        }
    }

    @FunctionalInterface
    interface Body {
        void run() throws Exception;
    }

    private final Program program;
    private final @Nullable List<String> trace;
    final int capacity;
    final int retain;
    final boolean shed;
    private final boolean bytes;
    final boolean messages;
    /** How many sequences an event takes: the model counts events. */
    final int unit;

    final int window;
    final RingBuffer<Object> ring;
    /** Those of the pipeline's calls, in some programs. */
    private final FailingWakeUps<Object> wakeUps;

    private final Pipeline<Object> pipeline;
    private final StalledClaimDetector watch;
    private final RingMonitor monitor;
    private final Watchdog watchdog;
    private final EnumSet<Feature> met = EnumSet.noneOf(Feature.class);

    // threads
    private int here = MAIN;
    /** Whether the idle strategy of the next producer is one that is refused. */
    private boolean noIdle;

    /** That of the producer that was made last. */
    private @Nullable Waiting newIdle;

    /** How many producers wait for room while others take their steps. */
    private int waiting;

    /** Whether an end of the ring has ended a wait. */
    private boolean waitEnded;

    private final Deque<Integer> chain = new ArrayDeque<>(List.of(MAIN));
    private int dying = 2;
    private @Nullable Other other;

    // the program
    private int next;
    int steps;
    private int depth;
    private int reports;
    private int failedTwice; // consumers whose onShutdown failed too: that is told as well
    private @Nullable Throwable wrong;

    // the model
    private State state = State.RUNNING;
    private @Nullable Throwable cause;
    private boolean started;
    private boolean everClaimed;
    private final List<Slot> slots = new ArrayList<>();
    private long contiguous = -1;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Node> present = new ArrayList<>();
    private @Nullable Node clearer;
    private final List<Prod> prods = new ArrayList<>();
    /** Progress of consumers that are not the pipeline's. */
    private final List<Gate> gates = new ArrayList<>();

    /** What happens while a drain waits: at each look at a gate. */
    private @Nullable Runnable meanwhile;

    // the consumers that the caller runs, if it runs them all
    private @Nullable RunnerAgent invoked;
    private @Nullable Turn turn;
    private Turns turns = Turns.NONE;
    private boolean turnsMoved;
    private boolean turnsWorkKnown;
    private long turnsWork;

    private @Nullable Prod current;
    private long highestLimit = Long.MIN_VALUE;
    private long baseLow = -1;
    private long baseHigh = -1;
    long askedHigh = -1;
    private long askedLow = -1;
    private final Deque<Node> running = new ArrayDeque<>();

    private final LatestByKey<Long> latest = new LatestByKey<>(KEYS, value -> {});
    private final long[] latestOf = new long[KEYS];
    private final boolean[] latestPending = new boolean[KEYS];

    // of the watchdog
    private long watchdogTime;
    private long stoodSince;
    private long stoodAt = Long.MAX_VALUE;
    private boolean standsStill;
    private boolean toldOfStanding;

    World(Program program, @Nullable List<String> trace) {
        this.program = program;
        this.trace = trace;
        capacity = program.capacity();
        retain = program.retain();
        shed = program.shed();
        bytes = program.slots() == Item.Kind.BYTES;
        messages = program.slots() == Item.Kind.MESSAGES;
        unit = messages ? Item.MESSAGE_UNITS : 1;
        window = capacity - retain;
        RingBufferBuilder<Object> builder = builder(program, capacity).retain(retain);
        if (shed) {
            builder.shedding((consumer, event, sequence) -> nodeOf(consumer).shed(event, number(sequence)));
        }
        if (program.watched()) {
            builder.onAbandonedClaim(1, this::told);
        }
        builder.producersIdle(this::producerIdle);
        ring = builder.build();
        wakeUps = new FailingWakeUps<>(ring);
        pipeline = Pipeline.on(program.salt() % 4 == 3 ? wakeUps.ring() : ring);
        pipeline.errorHandler(this::reported);
        watch = StalledClaimDetector.of(ring);
        monitor = RingMonitor.of(ring);
        watchdog = Watchdog.on(ring).after(Duration.ofNanos(WATCHDOG_NANOS));
        meets(program.single() ? Feature.SINGLE : Feature.MULTI);
        meets(
                switch (program.slots()) {
                    case OBJECTS -> Feature.OBJECTS;
                    case BYTES -> Feature.BYTES;
                    case MESSAGES -> Feature.MESSAGES;
                });
        if (program.tracked()) {
            meets(Feature.TRACK);
        }
        if (retain > 0) {
            meets(Feature.RETAIN);
        }
    }

    /** What decides which classes its producers have, and what their publications call. */
    private static RingBufferBuilder<Object> builder(Program program, int capacity) {
        RingBufferBuilder<Object> builder = Item.ring(program.slots(), capacity);
        if (program.single()) {
            builder.singleProducer();
        }
        if (program.tracked()) {
            builder.trackClaims();
        }
        if (program.idle() > 0) {
            builder.consumersIdle(program.idle() == 1 ? SignalledIdle::timed : SignalledIdle::exact);
        }
        return builder;
    }

    private IdleStrategy producerIdle() {
        if (noIdle) {
            return SignalledIdle.exact();
        }
        Waiting made = new Waiting();
        newIdle = made;
        return made;
    }

    private Node nodeOf(String consumer) {
        for (Node node : nodes) {
            if (node.consumer.name().equals(consumer)) {
                return node;
            }
        }
        throw new AssertionError("no consumer " + consumer);
    }

    EnumSet<Feature> met() {
        return met;
    }

    void meets(Feature feature) {
        met.add(feature);
    }

    // checks

    void check(boolean holds, String what, Object... arguments) {
        if (!holds) {
            AssertionError error = new AssertionError(String.format(Locale.ROOT, what, arguments));
            wrong(error);
            throw error;
        }
    }

    void wrong(Throwable t) {
        if (wrong == null) {
            wrong = t;
        }
    }

    void say(String what, Object... arguments) {
        if (trace != null) {
            trace.add("  ".repeat(2 * depth)
                    + (here == MAIN ? "" : here == OTHER ? "[other thread] " : "[thread that ends] ")
                    + String.format(Locale.ROOT, what, arguments));
        }
    }

    // threads

    private static final class Other {
        final SynchronousQueue<Body> work = new SynchronousQueue<>();
        final SynchronousQueue<Object> done = new SynchronousQueue<>();

        Other() {
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (; ; ) {
                                Body body = work.take();
                                if (body == STOP) {
                                    return;
                                }
                                Object result = OK;
                                try {
                                    body.run();
                                } catch (Throwable t) {
                                    result = t;
                                }
                                done.put(result);
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "product-other");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static final Object OK = new Object();
    private static final Body STOP = () -> {};

    private boolean alive(int thread) {
        return thread == MAIN || thread == OTHER || chain.contains(thread);
    }

    /** Which thread a step asks for: 0 to 43 main, to 57 the other, to 63 one that ends. */
    private void on(int selector, Body body) throws Exception {
        if (selector < 44) {
            onThread(MAIN, body);
        } else if (selector < 58) {
            onThread(OTHER, body);
        } else {
            onThread(dying++, body);
        }
    }

    private void onThread(int thread, Body body) throws Exception {
        if (chain.contains(thread)) {
            body.run(); // it waits for us: the present thread does it on its behalf, as another step of its own
            return;
        }
        int before = here;
        chain.push(thread);
        here = thread;
        Object[] result = {OK};
        try {
            if (thread == OTHER) {
                if (other == null) {
                    other = new Other();
                }
                other.work.put(body);
                result[0] = other.done.take();
            } else {
                Thread one = new Thread(
                        () -> {
                            try {
                                body.run();
                            } catch (Throwable t) {
                                result[0] = t;
                            }
                        },
                        "product-ends");
                one.setDaemon(true);
                one.start();
                one.join();
            }
        } finally {
            here = before;
            chain.pop();
        }
        if (result[0] instanceof Error error) {
            throw error;
        } else if (result[0] instanceof Exception exception) {
            throw exception;
        }
    }

    // the program

    void run() throws Exception {
        try {
            while (next < program.ops().size()) {
                top(program.ops().get(next++));
            }
            end();
        } finally {
            if (other != null) {
                other.work.put(STOP);
            }
        }
    }

    private void top(Op op) throws Exception {
        steps++;
        try {
            step(op);
        } catch (Throwable t) {
            wrong(t);
        }
        throwWrong();
        checkAll();
        throwWrong();
    }

    /** Not to go on where a step within a call of the ring has failed, whatever became of what that threw. */
    private void throwIfWrong() {
        if (wrong != null) {
            throw new AssertionError("within another step: " + wrong, wrong);
        }
    }

    private void throwWrong() throws Exception {
        if (wrong instanceof Error error) {
            throw error;
        } else if (wrong instanceof Exception exception) {
            throw exception;
        }
    }

    /** Further steps of the program, within a handler or an idle strategy. */
    void nested(int count) {
        within(() -> {
            for (int i = count; i > 0 && next < program.ops().size(); i--) {
                top(program.ops().get(next++));
                for (Node node : running) {
                    node.maxAvailable = Math.max(node.maxAvailable, available(node));
                }
            }
        });
    }

    private void within(Body body) {
        if (depth >= MOST_DEPTH) {
            return;
        }
        depth++;
        try {
            body.run();
        } catch (Throwable t) {
            wrong(t);
            throw new AssertionError("within another step: " + t, t);
        } finally {
            depth--;
        }
    }

    private void step(Op op) throws Exception {
        switch (op.kind()) {
            case DECLARE -> declare(op);
            case CLEAR -> declareClearer();
            case START -> start(op);
            case PRODUCER -> on(op.thread(), this::newProducer);
            case CLAIM -> by(op, prod -> claim(prod, op));
            case PUBLISH -> by(op, prod -> publish(prod, op));
            case EVENT -> by(op, prod -> event(prod, op));
            case WRAP -> by(op, prod -> wrap(prod, op));
            case DROP -> by(op, prod -> drop(prod, op));
            case CLOSE_PRODUCER -> by(op, prod -> closeProducer(prod, op));
            case WATCH -> on(op.thread(), () -> look(op));
            case RUN -> runOne(op);
            case ARM -> arm(op);
            case JOIN -> on(op.thread(), () -> join(op));
            case SHARE -> on(op.thread(), () -> share(op));
            case REMOVE -> on(op.thread(), () -> remove(op));
            case PAUSE -> {
                Node node = pick(present, op.a());
                if (node != null) {
                    say("%s.pause()", node);
                    node.consumer().pause();
                    node.paused = true;
                    meets(Feature.PAUSE);
                }
            }
            case RESUME -> {
                Node node = pick(present, op.a());
                if (node != null) {
                    say("%s.resume()", node);
                    node.consumer().resume();
                    node.paused = false;
                }
            }
            case HALT -> {
                Node node = pick(present, op.a());
                if (node != null && node.processor != null && !node.invoked) {
                    say("%s.halt()", node);
                    node.processor.halt();
                    node.haltAsked = true;
                    meets(Feature.HALTED);
                }
            }
            case END_PROCESSOR -> on(op.thread(), () -> endProcessor(op));
            case DRAIN ->
                on(op.thread(), () -> {
                    if (op.b() % 4 == 2 && !gates.isEmpty()) {
                        drainWhileOthersGoOn(1 + op.c() % 24);
                    } else {
                        drain(op.b() % 4);
                    }
                });
            case CLOSE -> on(op.thread(), () -> close(op.a() % 2 == 1));
            case AWAIT -> on(op.thread(), () -> await(op));
            case DUMP -> {
                String dump = monitor.sample().dump();
                say("dump: %s", dump);
            }
            case LATEST -> drainLatest();
            case GATE -> on(op.thread(), () -> gate(op));
            case STRANGER -> on(op.thread(), () -> stranger(op));
            case WATCHDOG -> lookOfTheWatchdog(op);
        }
    }

    private static <T> @Nullable T pick(List<T> list, int number) {
        return list.isEmpty() ? null : list.get(number % list.size());
    }

    // the model counts events, the ring sequences

    /** The first sequence of an event. */
    long first(long number) {
        return number * unit;
    }

    /** The last sequence of an event. */
    long last(long number) {
        return number * unit + unit - 1;
    }

    /** The event that begins with a sequence. */
    long number(long sequence) {
        check(sequence % unit == 0, "no event begins at %d", sequence);
        return sequence / unit;
    }

    /** The event that ends with a sequence. */
    long done(long sequence) {
        check((sequence + 1) % unit == 0, "no event ends at %d", sequence);
        return (sequence + 1) / unit - 1;
    }

    /** An event as it is in the ring. */
    Object item(long number) {
        return ring.get(first(number));
    }

    private long progressOf(Node node) {
        return done(node.consumer().sequence().get());
    }

    // the model's questions

    private long claimed() {
        return slots.size() - 1L;
    }

    private @Nullable Slot slot(long sequence) {
        return sequence >= 0 && sequence < slots.size() ? slots.get((int) sequence) : null;
    }

    private Slot known(long sequence) {
        return slots.get((int) sequence);
    }

    long available(Node node) {
        long available = node.upstream.isEmpty() ? contiguous : Long.MAX_VALUE;
        for (Node one : node.upstream) {
            available = Math.min(available, one.progress());
        }
        return available;
    }

    private long minProgress() {
        long min = Long.MAX_VALUE;
        for (Node node : present) {
            min = Math.min(min, node.progress());
        }
        return min;
    }

    /** Whether nobody's progress bounds the claims. */
    private boolean isUngated() {
        return present.isEmpty() && gates.isEmpty();
    }

    /** What claims go by: the consumers and the gates. */
    private long minGate() {
        long min = minProgress();
        for (Gate gate : gates) {
            min = Math.min(min, done(gate.get()));
        }
        return min;
    }

    private long maxProgress() {
        long max = -1;
        for (Node node : present) {
            max = Math.max(max, node.progress());
        }
        return max;
    }

    /** The highest sequence that is granted for sure. */
    private long limit() {
        long limit = (isUngated() ? claimed() : minGate()) + window;
        highestLimit = Math.max(highestLimit, limit);
        return limit;
    }

    private boolean passable(Node node, long sequence) {
        Slot slot = slot(sequence);
        if (slot == null || slot.status == Status.OPEN) {
            return false;
        }
        if (slot.status == Status.ABORTED) {
            return true;
        }
        for (Node one : slot.finishers) {
            if (node.skips.contains(one)) {
                return true;
            }
        }
        return (node.type == Node.Type.PARTITION
                        && Math.floorMod(keyOf(slot.value), (long) node.partCount) != node.partIndex)
                || node.keySkipped.contains(sequence);
    }

    private static long keyOf(long value) {
        return (value >>> 7) & (KEYS - 1);
    }

    void checkPassable(Node node, long from, long to) {
        for (long sequence = from; sequence <= to; sequence++) {
            check(passable(node, sequence), "%s has passed over %d, which is %s", node, sequence, status(sequence));
        }
    }

    private String status(long sequence) {
        Slot slot = slot(sequence);
        return slot == null
                ? "not claimed"
                : slot.status + (slot.finishers.isEmpty() ? "" : ", finished by " + slot.finishers);
    }

    boolean hasEnded() {
        return state == State.CLOSED || state == State.FAILED;
    }

    // what handlers ask

    void tryTake(Node node, long sequence) {
        Stage stage = Objects.requireNonNull(node.stage);
        if (!(node.anyFailure && node.current == sequence && stage.inFlight.contains(sequence))) {
            finishInFlight(node, stage);
            check(sequence > stage.taken, "%s takes %d, which is taken", node, sequence);
            node.at = stage.taken;
            stage.taken = sequence;
            stage.inFlight.add(sequence);
            node.anyFailure = false;
            node.maxAvailable = Math.max(node.maxAvailable, available(node));
        } else {
            node.at = sequence - 1; // again
        }
    }

    static void finishInFlight(Node node, Stage stage) {
        if (stage.inFlight.remove(node.current)) {
            stage.highestDone = Math.max(stage.highestDone, node.current);
        }
    }

    /** A poller of a ring that sheds goes event by event. */
    private void sync(Node node) {
        if (shed && node.type == Node.Type.POLLER) {
            long real = progressOf(node);
            check(
                    real >= node.progress && real <= node.at + slots.size(),
                    "%s went from %d to %d",
                    node,
                    node.progress,
                    real);
            checkPassable(node, node.at + 1, real);
            node.progress = real;
            node.at = Math.max(node.at, real);
        }
    }

    void checkEvent(Node node, Object item, long sequence, boolean dropped) {
        sync(node);
        check(node.depth > 0, "%s is called outside its run", node);
        check(sequence > node.at, "%s gets %d, and stands at %d", node, sequence, node.at);
        checkPassable(node, node.at + 1, sequence - 1);
        Slot slot = slot(sequence);
        check(
                slot != null && slot.status == Status.LIVE && !passable(node, sequence),
                "%s gets %d, which is %s",
                node,
                sequence,
                status(sequence));
        long available = Math.max(node.maxAvailable, available(node));
        check(sequence <= available, "%s gets %d, available is %d", node, sequence, available);
        check(item == item(sequence), "%s gets another event at %d", node, sequence);
        check(
                (item instanceof Messages all
                                ? all.type(first(sequence)) == known(sequence).type
                                : Item.sequence(item, sequence) == sequence)
                        && Item.value(item, first(sequence)) == known(sequence).value,
                "%s gets the content of %d at %d%s",
                node,
                item instanceof Messages all ? all.type(first(sequence)) : Item.sequence(item, sequence),
                sequence,
                Item.value(item, first(sequence)) == CLEAR ? ", cleared" : "");
        if (shed && !dropped && node.type != Node.Type.BATCHES && sequence > node.begun) {
            check(sequence > askedLow || isOver(node), "%s gets %d, to be dropped up to %d", node, sequence, askedHigh);
        }
    }

    /** Whether all that was asked is over: what needed that room is published. Who follows others drops it all the same, as they have. */
    private boolean isOver(Node node) {
        return node.upstream.isEmpty() && askedLow <= contiguous - window;
    }

    void handled(Node node, Object item, long sequence) {
        if (node.latest) {
            int key = (int) (messages ? keyOf(known(sequence).value) : Item.key(item, sequence));
            boolean replaced = latest.offer(key, sequence);
            check(replaced == latestPending[key], "offer(%d) replaced: %s", key, replaced);
            latestPending[key] = true;
            latestOf[key] = sequence;
        }
    }

    private void drainLatest() {
        int[] count = {0};
        int most = 1 + next % KEYS;
        int result = latest.drain(
                (key, value) -> {
                    count[0]++;
                    check(
                            latestPending[key] && latestOf[key] == value,
                            "key %d: %d, latest is %d",
                            key,
                            value,
                            latestOf[key]);
                    latestPending[key] = false;
                },
                most);
        int left = 0;
        for (boolean pending : latestPending) {
            left += pending ? 1 : 0;
        }
        check(result == count[0] && (left == 0 || result == most), "drain of the latest: %d, left %d", result, left);
        if (result > 0) {
            meets(Feature.LATEST);
        }
    }

    void finishes(Node node, Where where, long sequence, int parameter) {
        long target = where == Where.EVENT && parameter % 8 != 0
                ? sequence
                : where == Where.EVENT ? sequence - 1 - parameter % 3 : node.progress() + parameter % 2;
        boolean within = messages && parameter / 8 % 4 == 3; // the record
        boolean allowed = node.finisher
                && where == Where.EVENT
                && !within
                && (node.isWorker() ? target == sequence : target > node.progress && target >= 0);
        RuntimeException thrown = null;
        try {
            node.consumer().finish(within ? last(target) : first(target));
        } catch (IllegalStateException | IllegalArgumentException refused) {
            thrown = refused;
        }
        say(
                "      %s.finish(%d%s): %s",
                node, target, within ? ", within the record" : "", thrown == null ? "done" : thrown);
        check(
                (thrown == null) == allowed,
                "%s.finish(%d) in %s: %s",
                node,
                target,
                where,
                thrown == null ? "accepted" : thrown);
        check(
                where == Where.EVENT || thrown instanceof IllegalStateException,
                "%s.finish(%d) in %s: %s",
                node,
                target,
                where,
                thrown);
        check(
                thrown == null || where != Where.EVENT || !node.finisher || thrown instanceof IllegalArgumentException,
                "%s.finish(%d) of what it may not finish: %s",
                node,
                target,
                thrown);
        if (thrown == null) {
            meets(Feature.FINISH);
            Slot slot = known(target);
            slot.finishers = new HashSet<>(slot.finishers);
            slot.finishers.add(node.tag);
        }
    }

    void makesProgress(Node node, Where where, long sequence) {
        long target = where == Where.EVENT ? sequence : node.progress();
        boolean allowed = where == Where.EVENT
                && !node.isWorker()
                && target > node.progress
                && node.type != Node.Type.CLEARER
                && !messages;
        if (node.type == Node.Type.CLEARER) {
            return;
        }
        RuntimeException thrown = null;
        try {
            node.consumer().progress(last(target));
        } catch (IllegalStateException | IllegalArgumentException refused) {
            thrown = refused;
        }
        say("      %s.progress(%d): %s", node, target, thrown == null ? "done" : thrown);
        check(
                (thrown == null) == allowed,
                "%s.progress(%d) in %s: %s",
                node,
                target,
                where,
                thrown == null ? "accepted" : thrown);
        if (thrown == null) {
            meets(Feature.PROGRESS);
            node.progress = target;
        }
    }

    void failed(Node node, Throwable thrown) {
        node.failed = true;
        node.ended = true;
        if (!hasEnded()) {
            state = State.FAILED;
            cause = thrown;
        }
    }

    /** It has left, or was to leave, before it began: its handler hears of nothing. */
    private boolean leftUnbegun(Node node) {
        return !node.startedUp && (node.leaving || !present.contains(node));
    }

    /** By onShutdown. */
    void failedLate(Node node, Throwable thrown) {
        if (node.failed) {
            failedTwice++;
        }
        node.failed = true;
        if (!hasEnded()) {
            state = State.FAILED;
            cause = thrown;
        }
    }

    private void reported(Throwable report) {
        if (report instanceof ConsumerFailedException) {
            reports++;
            check(
                    report.getCause() instanceof Planned || report.getCause() instanceof PlannedError,
                    "reported: %s",
                    report.getCause());
        }
    }

    private void told(AbandonedClaim claim) {
        Slot slot = slot(contiguous + 1);
        check(
                slot != null && claim.lowest() == first(contiguous + 1),
                "told of %s, the publications stand at %d",
                claim,
                contiguous);
        meets(Feature.WATCHED);
    }

    void checkClear(Node node, Object item, long sequence) {
        check(item == ring.get(sequence), "the clearer gets another event than %d", sequence);
        for (Node one : present) {
            check(
                    one == node || one.progress() >= sequence,
                    "%d is cleared, %s is at %d",
                    sequence,
                    one,
                    one.progress());
        }
    }

    void cleared(Object item, long sequence) {
        Item.setValue(item, sequence, CLEAR);
        known(sequence).cleared = true;
        meets(Feature.CLEAR);
    }

    // the graph

    private static Node.Type type(int number) {
        return switch (number % 8) {
            case 0, 1, 2 -> Node.Type.EVENTS;
            case 3 -> Node.Type.BATCHES;
            case 4, 5 -> Node.Type.POLLER;
            case 6 -> Node.Type.WORKER;
            default -> Node.Type.PARTITION;
        };
    }

    /** On a ring of messages, a kind that it has in place of one that it refuses. */
    private Node.Type ofRing(Node.Type type) {
        if (!messages || (type != Node.Type.BATCHES && type != Node.Type.PARTITION)) {
            return type;
        }
        NewConsumer<Object> consumer = newConsumer(new Node(this, nodes.size(), type));
        if (type == Node.Type.PARTITION) {
            checkNotForMessages("a key of no message", () -> pipeline.handleEventsPartitionedBy(event -> 0, consumer));
            return type;
        }
        checkNotForMessages("BATCHES", () -> pipeline.handleEventsWith(consumer));
        return Node.Type.EVENTS;
    }

    /** The lowest batch limit that lets so many events into a batch: the last one only has to begin within it. */
    private long ofRing(long limit) {
        return (limit - 1) * unit + 1;
    }

    private void checkNotForMessages(String call, Runnable body) {
        Throwable thrown = null;
        try {
            body.run();
        } catch (IllegalStateException | IllegalArgumentException refused) {
            thrown = refused;
        }
        say("%s on a ring of messages: %s", call, thrown);
        check(thrown != null, "%s on a ring of messages is accepted", call);
    }

    private void declare(Op op) {
        Node.Type type = ofRing(type(op.a()));
        if (nodes.size() >= MOST_NODES) {
            return;
        }
        List<Node> upstream = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).type != Node.Type.POLLER
                    && nodes.get(i).type != Node.Type.CLEARER
                    && ((op.b() >>> (2 * i)) & 3) == 1) {
                upstream.add(nodes.get(i));
            }
        }
        int count = type == Node.Type.WORKER || type == Node.Type.PARTITION ? 1 + op.c() % 3 : 1;
        List<Node> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Node node = new Node(this, nodes.size() + made.size(), type);
            node.latest = (op.d() >>> 6 & 7) == 1;
            node.extend = (op.d() & 3) == 1 && type == Node.Type.EVENTS;
            made.add(node);
        }
        boolean refused = started || everClaimed;
        boolean finishes = (op.d() >>> 9 & 1) == 1 && type != Node.Type.POLLER;
        try {
            declare(type, made, upstream, op, finishes);
        } catch (IllegalStateException thrown) {
            say("declare %s after %s: %s", made, upstream, thrown.getMessage());
            check(refused, "declaration of %s refused: %s", made, thrown);
            return;
        }
        say("declare %s after %s", made, upstream);
        check(!refused, "declaration of %s is accepted", made);
        Stage stage = type == Node.Type.WORKER ? new Stage() : null;
        // who follows one worker follows all
        List<Node> follows = withColleagues(upstream);
        for (int i = 0; i < count; i++) {
            Node node = made.get(i);
            node.upstream = new ArrayList<>(follows);
            node.stage = stage;
            if (stage != null && node.finisher) {
                stage.finishers.add(node);
            }
            node.partIndex = i;
            node.partCount = count;
            if (type != Node.Type.POLLER) {
                node.consumer = pipeline.consumer(node);
            } else {
                node.consumer = Objects.requireNonNull(node.poller).consumer();
            }
            nodes.add(node);
            present.add(node);
            if (node.extend) {
                meets(Feature.EXTENDS);
            }
        }
        meetsKind(type);
    }

    /** Declares a stage; it throws what the pipeline does. */
    private void declare(Node.Type type, List<Node> made, List<Node> upstream, Op op, boolean finishes) {
        var stage = upstream.isEmpty()
                ? null
                : pipeline.after(upstream.stream().map(Node::consumer).toArray(ConsumerHandle[]::new));
        if (type == Node.Type.POLLER) {
            Node node = made.get(0);
            node.poller = stage == null ? pipeline.poller(node.name()) : stage.thenPoller(node.name());
            return;
        }
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        NewConsumer<Object>[] consumers =
                made.stream().map(node -> newConsumer(node, op, finishes)).toArray(NewConsumer[]::new);
        switch (type) {
            case WORKER -> {
                if (stage == null) {
                    pipeline.handleEventsWithWorkerPool(consumers);
                } else {
                    stage.thenWorkerPool(consumers);
                }
            }
            case PARTITION -> {
                ToLongFunction<Object> key = keys();
                if (stage == null) {
                    pipeline.handleEventsPartitionedBy(key, consumers);
                } else {
                    stage.thenPartitionedBy(key, consumers);
                }
            }
            default -> {
                if (stage == null) {
                    pipeline.handleEventsWith(consumers);
                } else {
                    stage.then(consumers);
                }
            }
        }
    }

    /** Asks whoever runs for the key of an event. */
    @SuppressWarnings("unchecked") // events are Objects to the programs
    private ToLongFunction<Object> keys() {
        SlotKey ofSlot = (buffer, offset) ->
                Objects.requireNonNull(running.peek()).key(buffer.getLong(offset + 8), buffer.getLong(offset + 16));
        MessageKey ofMessage = (type, buffer, offset, length) -> {
            long sequence = messageAt(type, buffer, offset, length);
            return Objects.requireNonNull(running.peek()).key(sequence, keyOf(buffer.getLong(offset)));
        };
        if (bytes) {
            return (ToLongFunction<Object>) (ToLongFunction<?>) ofSlot;
        } else if (messages) {
            return (ToLongFunction<Object>) (ToLongFunction<?>) ofMessage;
        }
        return item -> Objects.requireNonNull(running.peek()).key(Item.sequence(item), Item.key(item));
    }

    /** Which message it is that is published there now. */
    private long messageAt(int type, DirectBuffer buffer, int offset, int length) {
        Messages all = (Messages) ring.get(0);
        check(buffer == all.buffer() && length == Item.MESSAGE_LENGTH, "a key of %d bytes at %d", length, offset);
        long sequence = claimed();
        while (sequence >= 0 && all.offset(first(sequence)) != offset) {
            sequence--;
        }
        if (sequence >= capacity && known(sequence).status == Status.OPEN) {
            sequence -= capacity; // the slot is claimed anew where nobody gates
        }
        check(
                sequence >= 0
                        && known(sequence).status == Status.LIVE
                        && known(sequence).type == type
                        && known(sequence).value == buffer.getLong(offset),
                "a key is asked for %d at %d, of which %d is %s",
                type,
                offset,
                sequence,
                status(sequence));
        return sequence;
    }

    /** Has a node clear events. */
    @SuppressWarnings("unchecked") // events are Objects to the programs
    private EventClearer<Object> clears(Node node) {
        SlotClearer ofSlots = (buffer, offset, length) -> {
            ByteSlots slots = (ByteSlots) ring.get(0);
            check(
                    program.tracked()
                            || (buffer == slots.buffer()
                                    && offset == slots.offset(node.clearsNext())
                                    && length == Item.LENGTH),
                    "the clearer gets %d bytes at %d, another slot than that of %d",
                    length,
                    offset,
                    node.clearsNext());
            node.clear(ring.get(node.clearsNext()));
        };
        return bytes ? (EventClearer<Object>) (EventClearer<?>) ofSlots : node::clear;
    }

    private NewConsumer<Object> newConsumer(Node node, Op op, boolean finishes) {
        NewConsumer<Object> consumer = newConsumer(node);
        if ((op.d() >>> 2 & 3) == 1) {
            node.limit = 1L + op.c() % 5;
            consumer.batchLimit(ofRing(node.limit));
        }
        if ((op.d() >>> 4 & 3) == 1 && node.type != Node.Type.BATCHES) {
            node.timeout = true;
            consumer.timeout(1);
        }
        node.finisher = finishes;
        return finishes ? consumer.finishesEvents() : consumer;
    }

    private NewConsumer<Object> newConsumer(Node node) {
        NewConsumer<Object> consumer = node.type == Node.Type.BATCHES
                ? pipeline.batchConsumer(node.name(), node)
                : pipeline.consumer(node.name(), node);
        return consumer.onFailure(node::decide);
    }

    private void meetsKind(Node.Type type) {
        meets(
                switch (type) {
                    case EVENTS -> Feature.EVENTS;
                    case BATCHES -> Feature.BATCHES;
                    case POLLER -> Feature.POLLER;
                    case WORKER -> Feature.WORKERS;
                    case PARTITION -> Feature.PARTITION;
                    case CLEARER -> Feature.CLEAR;
                });
    }

    private List<Node> withColleagues(List<Node> some) {
        Set<Node> all = new LinkedHashSet<>(some);
        for (Node one : some) {
            for (Node node : present) {
                if (node.stage != null && node.stage == one.stage) {
                    all.add(node);
                }
            }
        }
        return new ArrayList<>(all);
    }

    private void declareClearer() {
        Node node = new Node(this, nodes.size(), Node.Type.CLEARER);
        if (messages) {
            checkNotForMessages(
                    "clearEventsWith", () -> pipeline.clearEventsWith(pipeline.clearer(node.name(), clears(node))));
            return;
        }
        try {
            pipeline.clearEventsWith(pipeline.clearer(node.name(), clears(node)).onFailure(node::decide));
        } catch (IllegalStateException thrown) {
            say("clearEventsWith: %s", thrown.getMessage());
            check(started || everClaimed || clearer != null, "clearer refused: %s", thrown);
            return;
        }
        say("clearEventsWith %s", node);
        check(!started && !everClaimed && clearer == null, "a clearer is accepted");
        node.consumer = pipeline.consumers().get(pipeline.consumers().size() - 1);
        clearer = node;
        nodes.add(node);
        present.add(node);
    }

    private void start(Op op) {
        boolean byCaller = op.a() % 4 == 1;
        boolean refused = started
                || hasEnded()
                || (present.size() == (clearer == null ? 0 : 1) && nodes.size() <= (clearer == null ? 0 : 1));
        List<EventProcessor> processors;
        try {
            if (byCaller) {
                invoked = pipeline.startInvoked();
                processors = InvokedTurns.watch(invoked, this::nextTurn);
            } else {
                processors = pipeline.startProcessors();
            }
        } catch (IllegalStateException thrown) {
            say("start: %s", thrown.getMessage());
            check(refused || present.size() <= 1, "start refused: %s", thrown);
            return;
        }
        say(byCaller ? "start, invoked" : "start");
        check(!refused, "start is accepted");
        started = true;
        if (clearer != null && present.contains(clearer)) {
            for (Node node : present) {
                boolean leaf = node != clearer;
                for (Node one : present) {
                    leaf &= one == clearer || !one.upstream.contains(node);
                }
                if (leaf) {
                    clearer.upstream.add(node);
                }
            }
        }
        int at = 0;
        for (Node node : present) {
            if (node.type != Node.Type.POLLER) {
                node.processor = processors.get(at++);
                node.invoked = byCaller;
            }
        }
        for (int i = 0; i < present.size(); i++) { // as often as there are levels, at most
            for (Node node : present) {
                node.skips = finishersBefore(node.upstream);
            }
        }
        for (Node node : present) {
            if (level(node) >= 3) {
                meets(Feature.LEVELS);
            }
        }
        if (invoked != null && op.b() % 2 == 1) { // else each begins with its first run
            callAll(Turns.OF_START, invoked::onStart);
        }
    }

    private int level(Node node) {
        int level = 0;
        for (Node one : node.upstream) {
            level = Math.max(level, level(one));
        }
        return level + 1;
    }

    private static Set<Node> finishersBefore(List<Node> upstream) {
        Set<Node> all = new HashSet<>();
        for (Node one : upstream) {
            if (one.stage != null) {
                all.addAll(one.stage.finishers);
            } else if (one.finisher) {
                all.add(one.tag);
            }
            all.addAll(one.skips);
        }
        return all;
    }

    private boolean inHandlerHere() {
        for (Node node : running) {
            if (node.runner == here) {
                return true;
            }
        }
        return false;
    }

    private boolean atRest(Node node) {
        return node.runner != NOBODY && (node.runner == here ? !running.contains(node) : !alive(node.runner));
    }

    private boolean holdable(Node node) {
        return node.ended || atRest(node);
    }

    private static boolean behind(Node node, Node other) {
        for (Node one : node.upstream) {
            if (one == other || behind(one, other)) {
                return true;
            }
        }
        return false;
    }

    private void join(Op op) throws Exception {
        if (nodes.size() >= 3 * MOST_NODES || present.size() >= MOST_NODES) {
            return;
        }
        Node.Type type = ofRing(type(op.a() % 6));
        Node node = new Node(this, nodes.size(), type);
        List<Node> after = chosen(op.b(), 3);
        List<Node> before = chosen(op.c(), 5);
        boolean fromNow = (op.d() & 7) == 2;
        boolean from = fromNow || ((op.d() & 1) == 1 && !messages);
        long first = fromNow ? contiguous + 1 : -1;
        if (from && !fromNow) {
            first = switch (op.d() >>> 1 & 3) {
                case 0 -> contiguous + 1;
                case 1 -> Math.max(0, contiguous - retain);
                case 2 -> Math.max(0, (present.isEmpty() ? 0 : minProgress()) + 1 - (op.d() >>> 5) % (retain + 2));
                default -> Math.max(0, contiguous + 2 - (op.d() >>> 5) % (capacity + 2));
            };
        }
        node.extend = (op.a() >>> 3 & 3) == 1 && type == Node.Type.EVENTS;
        node.extendThrows = node.extend && (op.a() >>> 5 & 7) == 1;
        node.noMemory = (op.a() >>> 10 & 1) == 1;
        node.latest = (op.a() >>> 5 & 7) == 2;
        NewConsumer<Object> consumer = newConsumer(node);
        if ((op.a() >>> 8 & 3) == 1 && type != Node.Type.POLLER) {
            node.limit = 1L + op.b() % 5;
            consumer.batchLimit(ofRing(node.limit));
        }
        Join<Object> join = type == Node.Type.POLLER ? pipeline.joinPoller(node.name()) : pipeline.join(consumer);
        join.after(after.stream().map(Node::consumer).toArray(ConsumerHandle[]::new));
        join.before(before.stream().map(Node::consumer).toArray(ConsumerHandle[]::new));
        if (fromNow) {
            join.fromNow();
        } else if (from) {
            join.from(first);
        } else if (messages) {
            checkNotForMessages("from", () -> join.from(0));
        }
        String what = "join " + node + (after.isEmpty() ? "" : " after " + after)
                + (before.isEmpty() ? "" : " before " + before)
                + (fromNow ? " from now" : from ? " from " + first : "");

        List<Node> follows = withColleagues(after);
        List<Node> followers = new ArrayList<>(before);
        if (clearer != null && present.contains(clearer) && !followers.contains(clearer)) {
            followers.add(clearer);
        }
        List<Node> held = withColleagues(followers);
        boolean needsGate = followers.isEmpty() || from;
        node.skips = finishersBefore(follows);
        boolean allRun = present.stream().allMatch(one -> one.runner != NOBODY);
        List<Class<?>> reasons = new ArrayList<>();
        boolean maybe = false;
        if (!started || inHandlerHere() || hasEnded() || (needsGate && present.isEmpty())) {
            reasons.add(IllegalStateException.class);
        }
        for (Node one : follows) {
            if (one.left || followers.contains(one)) {
                reasons.add(IllegalArgumentException.class);
            }
            for (Node follower : followers) {
                if (behind(one, follower)) {
                    reasons.add(IllegalArgumentException.class);
                }
            }
        }
        for (Node one : before) {
            if (one.left || !one.skips.containsAll(node.skips)) {
                reasons.add(IllegalArgumentException.class);
            }
        }
        if (held.stream().anyMatch(one -> !holdable(one))) {
            reasons.add(TimeoutException.class);
        }
        if (needsGate && present.stream().noneMatch(this::holdable)) {
            reasons.add(TimeoutException.class);
        } else if (needsGate && present.stream().anyMatch(one -> !holdable(one))) {
            maybe = true;
        }
        long low = present.isEmpty() ? -1 : minProgress();
        long high = maxProgress();
        if (!needsGate) {
            low = held.stream().mapToLong(Node::progress).min().orElse(-1);
            high = low;
        } else if (allRun) {
            high = low;
        }
        long newBaseLow = Math.max(baseLow, low);
        long newBaseHigh = Math.max(baseHigh, high);
        boolean rangeMaybe = false;
        if (from && !fromNow) {
            if (first > contiguous + 1 || first < Math.max(0, newBaseLow - retain + 1)) {
                reasons.add(IllegalArgumentException.class);
            } else if (first < Math.max(0, newBaseHigh - retain + 1)) {
                rangeMaybe = true;
            }
        }
        Throwable thrown = null;
        wakeUps.cutOff(op.d() >>> 9 & 3, (op.d() >>> 8 & 1) == 1);
        try {
            if (type == Node.Type.POLLER) {
                node.poller = join.poller(0);
                node.consumer = node.poller.consumer();
            } else {
                node.processor = join.processor(0);
                node.consumer = pipeline.consumer(node);
            }
        } catch (IllegalStateException
                | IllegalArgumentException
                | TimeoutException
                | Planned
                | StackOverflowError
                | OutOfMemoryError refused) {
            thrown = refused;
        }
        boolean cut = isCutOff(what, thrown);
        boolean planned = thrown instanceof Planned || thrown instanceof OutOfMemoryError;
        say("%s: %s", what, thrown == null ? "joined from " + node.consumer().joinedFrom() : thrown);
        if (thrown == null || planned) {
            baseLow = newBaseLow;
            baseHigh = newBaseHigh;
        } else if (thrown instanceof IllegalArgumentException) {
            baseHigh = newBaseHigh; // it may have been refused before that
        } else if (cut) {
            baseHigh = newBaseHigh; // as above
            return;
        }
        Throwable refusal = thrown;
        if (reasons.isEmpty() && planned && node.extendThrows) {
            say("      its extendsBatch throws: nothing has joined");
            return;
        }
        if (!reasons.isEmpty()) {
            check(
                    thrown != null
                            && (reasons.stream().anyMatch(one -> one.isInstance(refusal))
                                    || (maybe && thrown instanceof TimeoutException)
                                    || (rangeMaybe && thrown instanceof IllegalArgumentException)),
                    "%s: %s, to be refused by %s",
                    what,
                    thrown == null ? "accepted" : thrown,
                    reasons);
            return;
        }
        if (thrown != null) {
            check(
                    (maybe && thrown instanceof TimeoutException)
                            || (rangeMaybe && thrown instanceof IllegalArgumentException),
                    "%s: refused: %s",
                    what,
                    thrown);
            return;
        }
        check(!node.extendThrows, "%s: its extendsBatch was not asked", what);
        long joined = number(node.consumer().joinedFrom());
        if (from) {
            check(joined == first, "%s: joined from %d", what, joined);
        } else if (followers.isEmpty()) {
            check(
                    joined - 1 >= low && joined - 1 <= high,
                    "%s: joined from %d, at the gate %d to %d",
                    what,
                    joined,
                    low,
                    high);
        } else {
            long most = held.stream()
                    .mapToLong(one -> Math.max(one.progress(), one.stage == null ? -1 : one.stage.taken))
                    .max()
                    .orElse(-1);
            check(joined - 1 >= most, "%s: joined from %d, the furthest is at %d", what, joined, most);
            check(
                    joined - 1 == most || held.stream().anyMatch(Node::isWorker),
                    "%s: joined from %d, the furthest is at %d",
                    what,
                    joined,
                    most);
        }
        check(claimed() - joined < capacity, "%s: joined from %d, and %d is claimed already", what, joined, claimed());
        node.progress = joined - 1;
        node.at = joined - 1;
        node.begun = joined - 1;
        node.upstream = follows;
        node.overAtJoin = follows.isEmpty() ? contiguous - window : -1;
        for (Node one : held) {
            one.upstream.add(node);
        }
        nodes.add(node);
        present.add(node);
        meetsKind(type);
        meets(Feature.JOIN);
        if (!after.isEmpty()) {
            meets(Feature.AFTER);
        }
        if (!before.isEmpty()) {
            meets(Feature.BEFORE);
        }
        if (from) {
            meets(fromNow ? Feature.FROM_NOW : Feature.FROM);
        }
        if (level(node) >= 3) {
            meets(Feature.LEVELS);
        }
    }

    /** Whether one of its wake-ups was cut off: then nothing has joined, and nothing is in the way. */
    private boolean isCutOff(String what, @Nullable Throwable thrown) {
        boolean cut = wakeUps.end();
        check(
                cut == thrown instanceof StackOverflowError,
                "%s, of which a wake-up was cut off %s: %s",
                what,
                cut,
                thrown == null ? "done" : thrown);
        if (cut) {
            meets(Feature.CUT_JOIN);
        }
        return cut;
    }

    private List<Node> chosen(int bits, int rarity) {
        List<Node> some = new ArrayList<>();
        if (bits % rarity == 0 || nodes.isEmpty()) {
            return some;
        }
        int rest = bits / rarity;
        if (rarity == 5 && rest % 2 == 0) {
            return some;
        }
        // the later ones, which are there still, more often
        List<Node> from = rest % 16 == 1 ? nodes : present;
        if (!from.isEmpty()) {
            some.add(from.get(rest / 2 % from.size()));
            if (rest % 5 == 0) {
                Node second = from.get(rest / 3 % from.size());
                if (!some.contains(second)) {
                    some.add(second);
                }
            }
        }
        return some;
    }

    private void share(Op op) throws Exception {
        List<Node> workers = nodes.stream().filter(Node::isWorker).toList();
        Node colleague = pick(workers, op.a());
        if (colleague == null || present.size() >= MOST_NODES || nodes.size() >= 3 * MOST_NODES) {
            return;
        }
        Node node = new Node(this, nodes.size(), Node.Type.WORKER);
        boolean refusedState = !started || inHandlerHere() || hasEnded();
        Throwable thrown = null;
        wakeUps.cutOff(op.d() >>> 9 & 3, (op.d() >>> 8 & 1) == 1);
        try {
            node.processor = pipeline.join(newConsumer(node))
                    .sharingWith(colleague.consumer())
                    .processor(0);
            node.consumer = pipeline.consumer(node);
        } catch (IllegalStateException | IllegalArgumentException | TimeoutException | StackOverflowError refused) {
            thrown = refused;
        }
        say("join %s sharing with %s: %s", node, colleague, thrown == null ? "done" : thrown);
        if (isCutOff("join sharing with " + colleague, thrown)) {
            return;
        }
        if (refusedState || colleague.left) {
            check(
                    (refusedState && thrown instanceof IllegalStateException)
                            || (colleague.left && thrown instanceof IllegalArgumentException),
                    "sharing with %s: %s",
                    colleague,
                    thrown);
            return;
        }
        check(thrown == null, "sharing with %s refused: %s", colleague, thrown);
        Stage stage = Objects.requireNonNull(colleague.stage);
        node.stage = stage;
        check(
                number(node.consumer().joinedFrom()) > stage.taken,
                "%s joined from %d, taken is %d",
                node,
                node.consumer().joinedFrom(),
                stage.taken);
        node.finisher = colleague.finisher;
        node.tag = colleague.tag;
        node.skips = new HashSet<>(colleague.skips);
        node.upstream = new ArrayList<>(colleague.upstream);
        for (Node one : present) {
            if (one.upstream.contains(colleague)) {
                one.upstream.add(node);
            }
        }
        nodes.add(node);
        present.add(node);
        meets(Feature.JOIN);
        meets(Feature.SHARE);
    }

    private void remove(Op op) {
        Node node = pick(op.b() % 8 == 0 ? nodes : present, op.a());
        if (node == null || node.consumer == null) {
            return;
        }
        Removal expected;
        boolean leavesNow = false;
        if (node.left) {
            expected = Removal.LEFT;
        } else if (node.runner == here && running.contains(node)) {
            expected = state == State.CLOSED ? Removal.NEVER : Removal.LATER;
        } else if (atRest(node) || node.ended || (started && node.runner == NOBODY)) {
            expected = Removal.LEFT;
            leavesNow = true;
        } else {
            expected = state == State.CLOSED ? Removal.NEVER : Removal.LATER;
        }
        Removal result = node.consumer().remove(0);
        say("%s.remove(0): %s", node, result);
        check(result == expected, "%s.remove(0): %s", node, result);
        node.leaving = true;
        if (leavesNow) {
            leave(node);
        }
    }

    /** Whether some consumer has not been asked to leave. */
    private boolean someStay() {
        return present.stream().anyMatch(one -> !one.leaving);
    }

    private void leave(Node node) {
        meets(Feature.LEAVE);
        node.left = true;
        node.ended = true;
        present.remove(node);
        boolean stays = node.stage != null && present.stream().anyMatch(one -> one.stage == node.stage);
        for (Node one : present) {
            if (one.upstream.remove(node) && !stays) {
                for (Node upstream : node.upstream) {
                    if (!one.upstream.contains(upstream)) {
                        one.upstream.add(upstream);
                    }
                }
            }
        }
    }

    private void endProcessor(Op op) {
        Node node = pick(present, op.a());
        if (node == null || node.processor == null || running.contains(node)) {
            return;
        }
        if (node.invoked) {
            callAll(Turns.OF_END, Objects.requireNonNull(invoked)::onClose);
            return;
        }
        say("%s: its runner ends", node);
        int before = node.runner;
        node.begin();
        node.runner = here;
        running.push(node);
        node.depth++;
        try {
            node.processor.onClose();
        } finally {
            node.depth--;
            running.pop();
        }
        node.ended = true;
        if (node.runner == before) {
            node.runner = here;
        }
        leaveIfClosed(node, true);
    }

    /** One that was to leave leaves at its end at the latest, but from no closed ring. */
    private void leaveIfClosed(Node node, boolean closed) {
        if (closed && node.leaving && !node.left && state != State.CLOSED) {
            leave(node);
        }
    }

    // consumers

    /** What a runner asks after a cycle, to wait a little before the next one. */
    private void checkWait(Node node, EventProcessor processor, long work) {
        if (node.spins) {
            meets(Feature.SPINS);
        }
        if (work > 0) {
            long since = processor.eventsSinceIdle((int) work);
            check(since == 0 || since >= work, "%s handled %d, and %d since it had caught up", node, work, since);
            check(processor.backOffBatchLimit() >= 1, "%s has a limit of %d", node, processor.backOffBatchLimit());
        }
    }

    private void runOne(Op op) throws Exception {
        Node node = pick(op.b() % 16 == 0 ? nodes : present, op.a());
        if (node == null || running.contains(node) || (node.poller == null && node.processor == null)) {
            return;
        }
        on(op.thread(), () -> {
            if (node.processor != null && !node.invoked) {
                node.spins = op.c() / 8 % 2 == 1;
                node.processor.dedicatedSpinner(node.spins);
            }
            runHere(node, 1 + op.c() % 8);
        });
    }

    /** One call of a consumer, which others may interrupt by steps of their own. */
    private final class Turn {
        final Node node;
        final long before;
        final boolean may;
        final long available;
        final boolean wasEnded;

        Turn(Node node) {
            this.node = node;
            before = node.progress();
            may = node.mayWork();
            available = available(node);
            node.begin();
            wasEnded = node.ended;
            node.runner = here;
            if (here != MAIN && here != OTHER) {
                meets(Feature.RUNNER_DIES);
            }
            running.push(node);
            node.depth++;
        }

        void leaves() {
            node.depth--;
            running.pop();
        }
    }

    private boolean runHere(Node node, int limit) throws Exception {
        if (node.invoked) {
            return runAll();
        }
        Turn turn = new Turn(node);
        long result = 0;
        Throwable thrown = null;
        try {
            if (node.poller != null) {
                result = node.poller.poll(node::onEvent, (int) ofRing(limit));
                if (result > 0) {
                    check(result % unit == 0, "%s passed %d sequences", node, result);
                    result /= unit;
                }
            } else {
                EventProcessor processor = Objects.requireNonNull(node.processor);
                result = processor.doWork();
                node.asked &= result == 0;
                checkOwesNothing(node, result > 0);
                checkWait(node, processor, result);
            }
        } catch (Planned planned) {
            thrown = planned;
        } finally {
            turn.leaves();
        }
        throwWrong();
        check(result >= 0, "%s: %d", node, result);
        return over(turn, limit, result, thrown);
    }

    private void checkOwesNothing(Node node, boolean worked) {
        check(
                !node.owes
                        || worked
                        || node.outcome != Outcome.NORMAL
                        || Objects.requireNonNull(node.processor).isDone(),
                "%s owes something, and has had no time-out",
                node);
    }

    // a pipeline that the caller runs

    /** Runs all consumers that were declared, each in its turn. */
    private boolean runAll() throws Exception {
        if (turns != Turns.NONE) {
            return false; // within one of their handlers
        }
        RunnerAgent agent = Objects.requireNonNull(invoked);
        List<Node> ended = nodes.stream()
                .filter(node -> node.invoked && node.ended && node.type.tellsOfItsEnd())
                .toList();
        turns = Turns.OF_WORK;
        turnsMoved = false;
        turnsWork = 0;
        turnsWorkKnown = true;
        try {
            int work = agent.doWork();
            endTurn();
            throwWrong();
            say("run all: %d", work);
            check(!turnsWorkKnown || work == turnsWork, "all have handled %d, and say %d", turnsWork, work);
        } finally {
            noTurns();
        }
        for (Node node : ended) {
            check(node.shutDown || leftUnbegun(node), "%s had ended, and all have run since: no onShutdown", node);
        }
        check(agent.backOffBatchLimit() >= 1, "all have a limit of %d", agent.backOffBatchLimit());
        if (turnsMoved) {
            meets(Feature.INVOKED);
        }
        return turnsMoved;
    }

    /** The runner of all consumers that were declared begins, or ends. */
    private void callAll(Turns what, Runnable call) {
        if (turns != Turns.NONE) {
            return;
        }
        say("the runner of all consumers: %s", what);
        turns = what;
        try {
            call.run();
            endTurn();
        } finally {
            noTurns();
        }
    }

    private void noTurns() {
        turns = Turns.NONE;
        if (turn != null) { // something has failed in it
            turn.leaves();
            turn = null;
        }
    }

    /** The turn of the next consumer begins, and so the one before has ended. */
    private void nextTurn(EventProcessor loop) {
        if (turns != Turns.NONE) {
            endTurn();
            turn = new Turn(nodeOf(loop.roleName()));
        }
    }

    private void endTurn() {
        Turn last = turn;
        if (last == null) {
            return;
        }
        turn = null;
        last.leaves();
        Node node = last.node;
        if (turns != Turns.OF_WORK) {
            node.ended |= turns == Turns.OF_END;
            leaveIfClosed(node, turns == Turns.OF_END);
            return;
        }
        if (wrong != null) {
            throw new AssertionError("in the turn of " + node, wrong);
        }
        long went = progressOf(node) - last.before;
        node.asked &= went == 0 && !node.isWorker();
        checkOwesNothing(node, went > 0 || node.called > 0);
        turnsWorkKnown &= !messages && !node.isWorker() && node.outcome != Outcome.PARTIAL;
        turnsWork +=
                node.outcome == Outcome.NORMAL ? went : 0; // what has failed says 0, though it may have made progress
        turnsMoved |= over(last, 1, UNKNOWN, null);
        turnsMoved |= node.outcome == Outcome.PARTIAL;
        boolean saysNothing = !node.type.tellsOfItsEnd() || !node.startedUp;
        leaveIfClosed(node, node.shutDown || (node.ended && saysNothing));
    }

    /**
     * What the turn of a consumer has come to.
     *
     * @param result what it returned, or UNKNOWN
     */
    private boolean over(Turn turn, int limit, long result, @Nullable Throwable thrown) {
        Node node = turn.node;
        long before = turn.before;
        boolean may = turn.may;
        long available = turn.available;
        boolean wasEnded = turn.wasEnded;
        boolean moved = false;
        long after = progressOf(node);
        say(
                "%s %s: %s, at %d%s",
                node.poller == null ? "run" : "poll(" + limit + ")",
                node,
                thrown != null ? thrown : result == UNKNOWN ? "with all" : result,
                after,
                node.outcome == Outcome.NORMAL ? "" : ", " + node.outcome);
        if (thrown != null) {
            check(node.poller != null, "%s let %s through", node, thrown);
            node.outcome = Outcome.THREW;
        }
        if (!may) {
            check(
                    (result == 0 || result == UNKNOWN) && (after == before || node.isWorker()),
                    "%s worked, though it may not: %d, at %d",
                    node,
                    result,
                    after);
            if (node.outcome != Outcome.HALTED && !wasEnded) {
                if (node.haltAsked || (node.stage != null && node.stage.dead)) {
                    node.ended |= node.processor != null && node.processor.isDone();
                    check(node.ended, "%s has not ended", node);
                } else if (node.leaving) {
                    leave(node);
                }
            }
            return node.ended != wasEnded;
        }
        if (node.isWorker()) {
            checkWorker(node, before, after);
            moved = after > before || result > 0 || (result == UNKNOWN && node.called > 0);
        } else {
            switch (node.outcome) {
                case NORMAL -> {
                    check(
                            result == after - before
                                    || result == UNKNOWN
                                    || (messages && node.poller == null && result > 0 && result < after - before),
                            "%s went from %d to %d, and says %d",
                            node,
                            before,
                            after,
                            result);
                    check(
                            after > before == available > before,
                            "%s went from %d to %d, available was %d",
                            node,
                            before,
                            after,
                            available);
                    check(after >= node.at, "%s is at %d, having handled %d", node, after, node.at);
                    if (node.type == Node.Type.CLEARER) {
                        node.at = Math.max(node.at, after);
                    } else {
                        checkPassable(node, node.at + 1, after);
                    }
                    if (!shed) {
                        check(
                                after - before
                                        <= (node.type == Node.Type.POLLER
                                                ? limit
                                                : Math.min(node.limit, Math.max(1, capacity / 4))),
                                "%s went from %d to %d in one batch",
                                node,
                                before,
                                after);
                    }
                }
                case PARTIAL, THREW -> {
                    check(
                            after >= node.at || after == node.progress,
                            "%s is at %d, having handled %d",
                            node,
                            after,
                            node.at);
                    checkPassable(node, node.at + 1, after);
                }
                case HALTED, GAVE_UP -> {
                    check(after == node.progress, "%s is at %d, was at %d", node, after, node.progress);
                    check(result == 0 || result == UNKNOWN, "%s: %d", node, result);
                }
            }
            moved = after > before;
            node.progress = after;
            node.at = after;
        }
        if (node.outcome == Outcome.GAVE_UP && node.haltAsked) {
            node.ended = true;
        }
        if (!node.ended
                && state == State.FAILED
                && available <= before
                && node.upstream.stream().allMatch(one -> one.ended)) {
            boolean really =
                    node.poller == null ? Objects.requireNonNull(node.processor).isDone() : node.poller.isDone();
            check(
                    really || node.isWorker() || node.called > 0,
                    "%s has not ended: the ring has failed, nothing comes",
                    node);
            node.ended |= really;
        }
        if (node.isWorker() && !node.ended && node.processor != null && node.processor.isDone()) {
            check(
                    state == State.FAILED
                            || node.outcome != Outcome.NORMAL
                            || node.haltAsked
                            || stageDead(node)
                            || node.leaving,
                    "%s has ended",
                    node);
            node.ended = true;
        }
        if (!node.left
                && node.leaving
                && (node.isWorker() || shed)
                && !pipeline.consumers().contains(node.consumer())) {
            leave(node); // between two events
        }
        if (shed && node.poller != null && (node.haltAsked || state == State.FAILED) && node.poller.isDone()) {
            node.ended = true;
        }
        return moved || node.ended != wasEnded;
    }

    private static boolean stageDead(Node node) {
        return node.stage != null && node.stage.dead;
    }

    private void checkWorker(Node node, long before, long after) {
        Stage stage = Objects.requireNonNull(node.stage);
        if (node.outcome == Outcome.NORMAL) {
            finishInFlight(node, stage);
        }
        long lowest = stage.inFlight.stream().mapToLong(one -> one).min().orElse(Long.MAX_VALUE);
        check(after < lowest, "progress of %s is %d, and %d is not done", node, after, lowest);
        if (!stage.dead) {
            long least = lowest == Long.MAX_VALUE ? stage.highestDone : -1;
            check(after >= least, "progress of %s is %d, and %d is done", node, after, least);
        }
        long available = available(node);
        check(
                after == before || after <= Math.max(available, node.maxAvailable),
                "progress of %s is %d, available %d",
                node,
                after,
                available);
        long from = Math.max(stage.taken, -1) + 1;
        if (lowest == Long.MAX_VALUE) {
            for (long sequence = from; sequence <= after; sequence++) {
                check(passable(node, sequence), "%s passed over %d, which is %s", node, sequence, status(sequence));
            }
            stage.taken = Math.max(stage.taken, after);
        }
    }

    private void arm(Op op) {
        Node node = pick(present, op.a());
        if (node == null || node.arms.size() > 3) {
            return;
        }
        int what = op.b() % 64;
        Deed deed = what == 0
                ? Deed.HALT
                : what == 1
                        ? (op.b() / 64 % 2 == 0 ? Deed.ERROR : Deed.POLICY_THROWS)
                        : what < 11
                                ? Deed.SKIP
                                : what < 21
                                        ? Deed.RETRY
                                        : what < 30
                                                ? Deed.REWIND
                                                : what < 46
                                                        ? Deed.NEST
                                                        : what < 56
                                                                ? Deed.FINISH
                                                                : what < 60
                                                                        ? Deed.PROGRESS
                                                                        : what < 62 ? Deed.PARTIAL : Deed.AGAIN;
        int at = op.c() % 20;
        Where where = at < 12
                ? Where.EVENT
                : at == 12
                        ? Where.BATCH_START
                        : at == 13
                                ? Where.BATCH_END
                                : at == 14
                                        ? Where.TIMEOUT
                                        : at == 15
                                                ? Where.SHUTDOWN
                                                : at == 16
                                                        ? Where.KEY
                                                        : at == 17
                                                                ? Where.STARTUP
                                                                : at == 18 && shed ? Where.SHED : Where.EVENT;
        where = fit(node, where);
        switch (deed) {
            case NEST -> {
                if ((where != Where.EVENT && where != Where.BATCH_END)
                        || node.isWorker()
                        || node.type == Node.Type.CLEARER) {
                    where = Where.EVENT;
                }
            }
            case FINISH, PROGRESS -> {
                if (node.type == Node.Type.CLEARER
                        || (node.type == Node.Type.BATCHES && deed == Deed.PROGRESS && where != Where.EVENT)) {
                    return;
                }
                if (where == Where.BATCH_START
                        || where == Where.BATCH_END
                        || where == Where.KEY
                        || where == Where.SHED) {
                    where = Where.EVENT;
                }
            }
            case AGAIN -> where = Where.EVENT;
            case PARTIAL -> {
                if (node.type != Node.Type.BATCHES) {
                    return;
                }
                where = Where.EVENT;
            }
            case SKIP, RETRY, REWIND, POLICY_THROWS -> {
                if (where == Where.STARTUP || where == Where.SHUTDOWN) {
                    where = Where.EVENT;
                }
                if (node.type == Node.Type.POLLER && deed == Deed.POLICY_THROWS) {
                    return;
                }
            }
            default -> {
                if (node.type == Node.Type.POLLER) {
                    return;
                }
            }
        }
        Arm arm = new Arm(where, deed, deed == Deed.NEST ? 1 + op.d() % 6 : op.d());
        say("arm %s: %s", node, arm);
        node.arms.addLast(arm);
    }

    private static Where fit(Node node, Where where) {
        return switch (node.type) {
            case POLLER -> where == Where.SHED ? where : Where.EVENT;
            case BATCHES, CLEARER -> where == Where.SHED && node.type == Node.Type.BATCHES ? where : Where.EVENT;
            case PARTITION -> where;
            default -> where == Where.KEY ? Where.EVENT : where;
        };
    }

    /** From within the handler: the same events would be handed out again. */
    void runsAgain(Node node) {
        Throwable thrown = null;
        try {
            if (node.poller != null) {
                node.poller.poll(node::onEvent, 1);
            } else {
                Objects.requireNonNull(node.processor).doWork();
            }
        } catch (Exception refused) {
            thrown = refused;
        }
        check(
                thrown instanceof IllegalStateException
                        && String.valueOf(thrown.getMessage())
                                .contains(" must be called once the handler of " + node.name() + " has returned"),
                "a run of %s from within its handler: %s",
                node,
                thrown);
        meets(Feature.AGAIN);
    }

    // consumers that are not the pipeline's

    /** Progress of a consumer that is not the pipeline's. */
    private final class Gate implements SequenceView {
        final Sequence progress = new Sequence(-1);

        @Override
        public long get() {
            Runnable step = meanwhile;
            if (step != null) {
                meanwhile = null; // who looks within the step only looks
                step.run();
                meanwhile = step;
            }
            return progress.get();
        }
    }

    private void gate(Op op) {
        Node node = pick(present, op.a());
        int what = op.b() % 8;
        if (what == 0 && node != null) {
            Throwable thrown = null;
            try {
                if (op.c() % 2 == 0) {
                    ring.addGating(node.consumer().sequence());
                } else {
                    ring.removeGating(node.consumer().sequence());
                }
            } catch (IllegalArgumentException refused) {
                thrown = refused;
            }
            check(thrown != null, "the progress of %s is accepted as a gate, or removed as one", node);
        } else if (what < 3) {
            addGate();
        } else if (what < 7) {
            Gate gate = pick(gates, op.a());
            if (gate != null) {
                gate.progress.setRelease(last(Math.min(contiguous, done(gate.get()) + 1 + op.c() % capacity)));
                say("gate%d moves to %d", gates.indexOf(gate), done(gate.get()));
            }
        } else {
            Gate gate = op.c() % 8 == 0 ? null : pick(gates, op.a());
            boolean removed = ring.removeGating(gate == null ? new Sequence(-1) : gate);
            say("remove gate%d: %s", gates.indexOf(gate), removed);
            check(removed == (gate != null), "a gate is removed: %s", removed);
            gates.remove(gate);
        }
    }

    private void addGate() {
        Gate gate = new Gate();
        Throwable thrown = null;
        try {
            ring.addGating(gate);
        } catch (IllegalStateException refused) {
            thrown = refused;
        }
        say("add gate%d: %s", gates.size(), thrown == null ? "done" : thrown);
        check((thrown == null) == !everClaimed, "a gate is added: %s", thrown == null ? "done" : thrown);
        if (thrown == null) {
            gates.add(gate);
            meets(Feature.GATE);
        }
    }

    // producers

    /** A producer is its first thread's: nothing that another one asks of it has an effect. */
    private void stranger(Op op) {
        List<Prod> bound = prods.stream()
                .filter(prod -> prod.granted && prod.owner != here)
                .toList();
        Prod prod = pick(bound, op.a());
        int what = op.b() % 5;
        if (prod == null || (what == 0 && (prod.closed || !alive(prod.owner)))) { // who has ended may be closed by any
            return;
        }
        Throwable thrown = null;
        try {
            switch (what) {
                case 0 -> prod.close();
                case 1 -> {
                    if (messages) {
                        prod.sender().abort(first(claimed()));
                    } else {
                        prod.real().abort(claimed(), claimed());
                    }
                }
                case 2 -> {
                    if (messages) {
                        prod.sender().tryClaim(1, 1);
                    } else {
                        prod.real().tryNext(1);
                    }
                }
                case 3 -> {
                    if (messages) {
                        prod.sender().commit(first(claimed()));
                    } else {
                        prod.real().tryNextUpTo(1);
                    }
                }
                default -> {
                    if (prod.droppingSender != null) {
                        prod.droppingSender.offer(1, SafeBuffer.allocate(1), 0, 1);
                        break;
                    }
                    if (messages) {
                        prod.sender().offer(1, SafeBuffer.allocate(1), 0, 1);
                        break;
                    }
                    prod.real().tryPublishEvent((item, sequence) -> Item.setValue(item, sequence, 0));
                }
            }
        } catch (IllegalStateException refused) {
            thrown = refused;
        }
        say("another thread uses %s, %d: %s", prod, what, thrown);
        check(
                thrown != null
                        && String.valueOf(thrown.getMessage())
                                .startsWith(
                                        what == 0
                                                ? "a producer must be closed by its own thread"
                                                : "a producer must be used by one thread only"),
                "%s is used by another thread, %d: %s",
                prod,
                what,
                thrown);
        meets(Feature.STRANGER);
    }

    @FunctionalInterface
    private interface ByProd {
        void run(Prod prod) throws Exception;
    }

    private void by(Op op, ByProd body) throws Exception {
        List<Prod> open = prods.stream()
                .filter(prod -> (!prod.waits || mayBeUsedInItsWait(prod, op)) && (!prod.closed || (op.d() % 32 == 31)))
                .toList();
        Prod prod = pick(open, op.a());
        if (prod == null) {
            if (prods.isEmpty() || op.a() % 2 == 0) {
                on(op.thread(), this::newProducer);
            }
            return;
        }
        if (prod.owner == NOBODY) {
            on(op.thread(), () -> body.run(prod));
        } else if (alive(prod.owner) && (prod.owner == here || !chain.contains(prod.owner))) {
            onThread(prod.owner, () -> body.run(prod));
        } else if (!alive(prod.owner) && op.kind() == Op.Kind.CLOSE_PRODUCER) {
            body.run(prod);
        }
    }

    /**
     * What of a producer may be used within its own wait: nothing that may wait, too. A message that is claimed there is a test of its own,
     * in OvertakenAndSettledTest.
     */
    private boolean mayBeUsedInItsWait(Prod prod, Op op) {
        return prod.usedInItsWait
                && prod.owner == here
                && ((op.kind() == Op.Kind.CLAIM && !messages)
                        || op.kind() == Op.Kind.PUBLISH
                        || op.kind() == Op.Kind.EVENT
                        || op.kind() == Op.Kind.CLOSE_PRODUCER
                        || (op.kind() == Op.Kind.DROP && (!prod.drops() || prod.newest)));
    }

    private static void used(Prod prod) {
        if (prod.waits) {
            prod.usesInItsWait++;
        }
    }

    private void newProducer() {
        boolean takesOne = state == State.RUNNING && !(program.single() && current != null && !current.closed);
        if (takesOne) {
            noIdle = true;
            checkUnfit("a producer whose idle strategy nobody wakes", () -> {
                Object made = messages ? newSender() : ring.producer();
                say("made %s", made);
            });
            noIdle = false; // what is left shows that nothing is left of it
        }
        Throwable thrown = null;
        Producer<Object> real = null;
        MessageProducer sender = null;
        try {
            if (messages) {
                sender = newSender();
            } else {
                real = ring.producer();
            }
        } catch (IllegalStateException refused) {
            thrown = refused;
        }
        say("new producer%d: %s", prods.size(), thrown == null ? "done" : thrown);
        if (state != State.RUNNING) {
            check(
                    state == State.FAILED
                            ? thrown instanceof RingFailedException
                            : thrown instanceof RingClosedException,
                    "producer of a ring that is %s: %s",
                    state,
                    thrown);
        } else if (program.single() && current != null && !current.closed) {
            check(thrown instanceof IllegalStateException, "a second producer: %s", thrown);
        } else {
            check(thrown == null, "producer refused: %s", thrown);
            Prod prod = new Prod(prods.size(), real, sender, Objects.requireNonNull(newIdle));
            prods.add(prod);
            current = prod;
        }
    }

    private void checkUnfit(String what, Runnable body) {
        Throwable thrown = null;
        try {
            body.run();
        } catch (IllegalArgumentException refused) {
            thrown = refused;
        }
        check(thrown != null, "%s is accepted", what);
    }

    private MessageProducer newSender() {
        return sender(ring);
    }

    @SuppressWarnings("unchecked") // events are Objects to the programs
    private static MessageProducer sender(RingBuffer<Object> ring) {
        return MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring);
    }

    /** A claim binds its producer. */
    private void bind(Prod prod) {
        if (prod.owner == NOBODY) {
            prod.owner = here;
            if (here != MAIN && here != OTHER) {
                meets(Feature.OWNER_DIES);
            }
        }
    }

    private long lowestOpen(Prod prod) {
        for (long sequence = lowestOpenEver(); sequence <= claimed(); sequence++) {
            if (known(sequence).status == Status.OPEN && known(sequence).owner == prod) {
                return sequence;
            }
        }
        return Long.MAX_VALUE;
    }

    private long refusalCode(Prod prod) {
        return state == State.FAILED ? Producer.FAILED : state != State.RUNNING || prod.closed ? Producer.CLOSED : 0;
    }

    /** Whether a claim that has to wait is refused instead, since it would wait for itself or for nobody. */
    private boolean waitsInVain(Prod prod, long hi) {
        return endsInVain(prod, hi) || present.stream().anyMatch(node -> node.runner == here && !node.ended);
    }

    /** Whether a wait that is under way has become one in vain. Who runs a consumer by its idle strategy is not asked again. */
    private boolean endsInVain(Prod prod, long hi) {
        if (hi - window >= lowestOpen(prod)) {
            return true;
        }
        for (Node node : present) {
            if (node.ended
                    && node.progress() < hi - window
                    && present.stream().noneMatch(one -> one.stage != null && one.stage == node.stage && !one.ended)) {
                return true;
            }
        }
        return false;
    }

    /** Below this no claim can be open: where somebody gates, its slot was passed; else others may have overtaken it. */
    private long lowestOpenEver() {
        return isUngated() ? 0 : Math.max(0, claimed() - capacity + 1);
    }

    /** Whether others have claimed its slot again: where nobody gates, whatever has become of it. */
    private boolean isOvertaken(long sequence) {
        return sequence <= claimed() - capacity;
    }

    /** Whether the slot of a sequence is published for a later one. */
    private boolean isPublishedOver(long sequence) {
        for (long later = sequence + capacity; later <= claimed(); later += capacity) {
            if (known(later).status != Status.OPEN && !known(later).droppedByClose) {
                return true;
            }
        }
        return false;
    }

    private void meetsOvertaken(long lo, long hi) {
        for (long sequence = lo; sequence <= hi; sequence++) {
            if (isOvertaken(sequence) && known(sequence).status == Status.OPEN) {
                meets(Feature.OVERTAKEN);
            }
        }
    }

    private void take(Prod prod, int n) {
        used(prod);
        everClaimed = true;
        prod.granted = true;
        for (int i = 0; i < n; i++) {
            slots.add(new Slot(prod));
            long sequence = claimed();
            known(sequence).type = messageType(sequence);
            check(
                    isUngated() || sequence - capacity <= minGate(),
                    "%s got %d, whose slot %s has not finished",
                    prod,
                    sequence,
                    present.stream()
                            .filter(one -> one.progress() < sequence - capacity)
                            .toList());
            if (clearer != null
                    && present.contains(clearer)
                    && sequence >= capacity
                    && !known(sequence - capacity).lost) {
                check(known(sequence - capacity).cleared, "%s got %d, whose slot is not cleared", prod, sequence);
            }
        }
        moveContiguous(); // it may have overtaken others
    }

    /** The clearer's policy has skipped an event. */
    void passedByClearer(long sequence) {
        known(sequence).cleared = true;
    }

    private void claim(Prod prod, Op op) {
        if (messages) {
            claimMessage(prod, op);
            return;
        }
        int form = op.c() % 7;
        int n = op.b() % 32 == 31
                ? (op.b() % 64 == 31 ? 0 : window + 1)
                : 1 + op.b() / 32 % Math.min(window, 1 + op.b() % 16);
        boolean bad = n < 1 || n > window;
        long was = claimed();
        long hi = was + n;
        long limit = limit();
        long refusal = refusalCode(prod);
        if (!bad) {
            bind(prod);
        }
        boolean granted = hi <= limit;
        boolean maybe = !granted && hi <= highestLimit;
        if (prod.waits && (form == 3 || form == 4)) {
            form = 0;
        }
        if ((form == 3 || form == 4) && !bad && op.d() % 4 == 1 && wouldWait(prod, n)) {
            awaitRoom(prod, n, form == 4, op);
            return;
        }
        if (form == 4 && !bad && refusal == 0 && !granted && (maybe || !waitsInVain(prod, hi))) {
            form = 3;
        }
        String what = "";
        long result = 0;
        Throwable thrown = null;
        try {
            switch (form) {
                case 0, 1 -> {
                    what = "tryNext(" + n + ")";
                    result = prod.real().tryNext(n);
                }
                case 2 -> {
                    what = "next(" + n + ", 0)";
                    result = prod.real().next(n, 0);
                }
                case 3 -> {
                    what = "next(" + n + ", 1 us)";
                    result = prod.real().next(n, SHORT);
                }
                case 4 -> {
                    what = "next(" + n + ")";
                    result = n == 1 ? prod.real().next() : prod.real().next(n);
                }
                default -> {
                    what = "tryNextUpTo(" + n + ")";
                    result = prod.real().tryNextUpTo(n);
                }
            }
        } catch (IllegalStateException | IllegalArgumentException refused) {
            thrown = refused;
        }
        say("%s.%s: %s", prod, what, thrown == null ? Producer.resultName(result) : thrown);
        meets(form < 2 || form == 4 ? Feature.CLAIM : form < 4 ? Feature.TIMED : Feature.UP_TO);
        if (bad) {
            check(thrown instanceof IllegalArgumentException, "%s.%s: %d %s", prod, what, result, thrown);
            return;
        }
        if (refusal != 0) {
            if (state != State.RUNNING) {
                prod.acknowledged |= !prod.closed;
            }
            if (form == 4) {
                check(
                        state == State.FAILED
                                ? thrown instanceof RingFailedException
                                : thrown instanceof RingClosedException,
                        "%s.%s on a ring that is %s: %s",
                        prod,
                        what,
                        state,
                        thrown);
            } else {
                check(
                        thrown == null && result == refusal,
                        "%s.%s on a ring that is %s: %s",
                        prod,
                        what,
                        state,
                        thrown == null ? Producer.resultName(result) : thrown);
            }
            return;
        }
        if (form >= 5) {
            check(thrown == null, "%s.%s: %s", prod, what, thrown);
            long most = Math.min(n, Math.max(limit, highestLimit) - was);
            long least = Math.min(n, limit - was);
            if (result >= 0) {
                check(
                        result <= was + most && result >= was + least && result > was,
                        "%s.%s behind %d: %d, room for %d",
                        prod,
                        what,
                        was,
                        result,
                        limit - was);
                check(
                        prod.real().claimedFrom() == was + 1,
                        "%s.%s: claimedFrom %d",
                        prod,
                        what,
                        prod.real().claimedFrom());
                take(prod, (int) (result - was));
            } else {
                check(
                        result == Producer.FULL && least <= 0,
                        "%s.%s behind %d: %s, room for %d",
                        prod,
                        what,
                        was,
                        Producer.resultName(result),
                        limit - was);
            }
            return;
        }
        if (thrown == null && result >= 0) {
            check(
                    result == hi && (granted || maybe),
                    "%s.%s behind %d: %d, room for %d",
                    prod,
                    what,
                    was,
                    result,
                    limit - was);
            take(prod, n);
            return;
        }
        check(
                !granted,
                "%s.%s behind %d: %s, room for %d",
                prod,
                what,
                was,
                thrown == null ? Producer.resultName(result) : thrown,
                limit - was);
        if (form < 2) {
            check(
                    thrown == null && result == Producer.FULL,
                    "%s.%s: %s",
                    prod,
                    what,
                    thrown == null ? Producer.resultName(result) : thrown);
        } else if (form == 2 || !waitsInVain(prod, hi)) {
            check(
                    thrown == null && result == Producer.TIMED_OUT,
                    "%s.%s: %s",
                    prod,
                    what,
                    thrown == null ? Producer.resultName(result) : thrown);
        } else {
            check(
                    thrown instanceof IllegalStateException,
                    "%s.%s: %s, and it would wait for itself, or for nobody",
                    prod,
                    what,
                    thrown == null ? Producer.resultName(result) : thrown);
        }
    }

    // waits for room, while others take their steps

    /** Whether a claim would wait now, for what others may do. */
    private boolean wouldWait(Prod prod, int n) {
        long hi = claimed() + n;
        return refusalCode(prod) == 0
                && hi > Math.max(limit(), highestLimit)
                && !waitsInVain(prod, hi)
                && someStay()
                && depth < MOST_DEPTH
                && (!messages || lowestOpen(prod) == Long.MAX_VALUE);
    }

    private boolean isWaitOver(Prod prod, int n) {
        if (prod.usesInItsWait > 0) {
            return prod.closed
                    || state != State.RUNNING
                    || claimed() + n <= limit(); // one that is in vain by now may wait on
        }
        return state != State.RUNNING || claimed() + n <= limit() || endsInVain(prod, claimed() + n);
    }

    /**
     * Claims where there is no room. At each call of its idle strategy one further step of the program runs. In the end the strategy
     * throws, or the ring ends, or the thread is interrupted, unless the wait is over before; and the strategy may throw at the end of
     * any wait.
     */
    private void awaitRoom(Prod prod, int n, boolean forever, Op op) {
        int[] left = {1 + op.d() / 32 % 24};
        int how = op.d() / 4 % 16;
        boolean idleThrows = how % 8 == 1;
        boolean failsAtItsEnd = how % 8 == 2;
        boolean[] ends = {how == 3 || how == 4};
        boolean[] threw = {false};
        boolean uses = how >= 12;
        boolean[] took = {false};
        long[] lastWaitedFor = {0};
        int type = messageType(claimed() + 1);
        String what = "next(" + n + (forever ? ")" : ", 10 s)") + ", waiting,";
        bind(prod);
        if (messages) {
            prod.lost.clear(); // it learns of it before it waits
        }
        prod.waits = true;
        waiting++;
        prod.idle.failsAtItsEnd = failsAtItsEnd;
        prod.usedInItsWait = uses && how < 15;
        prod.usesInItsWait = 0;
        if (uses && how >= 14) {
            prod.idle.atItsEnd = () -> {
                if (!program.single() && !prod.closed && isGrantedNow(n)) { // its claim comes first
                    took(prod, n, type);
                    prod.usesInItsWait--;
                    took[0] = true;
                    lastWaitedFor[0] = messages ? first(claimed()) : claimed();
                }
                usesAtTheEndOfItsWait(prod, op);
            };
        }
        prod.idle.step = () -> {
            check(
                    !isWaitOver(prod, n),
                    "%s waits on behind %d: the ring is %s, its limit %d",
                    prod,
                    claimed(),
                    state,
                    limit());
            if (left[0]-- > 0 && next < program.ops().size()) {
                nested(1);
            } else if (ends[0]) {
                ends[0] = false;
                within(() -> endTheRing(how == 3, op));
            } else if (idleThrows) {
                threw[0] = true;
                throw new PlannedError();
            } else {
                Thread.currentThread().interrupt();
            }
        };
        say("%s.%s behind %d ...", prod, what, claimed());
        long result = 0;
        Throwable thrown = null;
        boolean interrupted;
        try {
            result = messages
                    ? prod.sender().claim(type, Item.MESSAGE_LENGTH, LONG)
                    : forever ? prod.real().next(n) : prod.real().next(n, LONG);
        } catch (IllegalStateException | PlannedError refused) {
            thrown = refused;
        } finally {
            interrupted = Thread.interrupted();
            prod.idle.step = null;
            prod.idle.failsAtItsEnd = false;
            prod.idle.atItsEnd = null;
            waiting--;
            prod.waits = false;
            prod.usedInItsWait = false;
        }
        throwIfWrong();
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        say("%s.%s: %s", prod, what, answer);
        boolean used = prod.usesInItsWait > 0;
        prod.usesInItsWait = 0;
        if (used) {
            meets(Feature.IN_ITS_WAIT);
        }
        prod.acknowledged |= state != State.RUNNING;
        if (thrown instanceof PlannedError) {
            check(failsAtItsEnd || threw[0], "%s.%s: %s", prod, what, answer);
            meets(Feature.IDLE_THROWS);
            if (failsAtItsEnd && isGrantedNow(n) && !program.single()) { // its claim came first, and was given up
                took(prod, n, type);
                for (long sequence = claimed() - n + 1; sequence <= claimed(); sequence++) {
                    known(sequence).status = Status.ABORTED;
                }
                moveContiguous();
            }
            return;
        }
        check(!failsAtItsEnd && !threw[0], "%s.%s: %s, and its idle strategy has thrown", prod, what, answer);
        boolean code = thrown == null && !(forever && result < 0);
        if (took[0] && !prod.closed) { // before its idle strategy was told of the end
            check(code && result == lastWaitedFor[0], "%s.%s: %s", prod, what, answer);
            meets(Feature.WAIT);
            return;
        }
        if (state != State.RUNNING) {
            check(
                    code
                            ? result == refusalCode(prod)
                            : state == State.FAILED
                                    ? thrown instanceof RingFailedException
                                    : thrown instanceof RingClosedException,
                    "%s.%s on a ring that is %s now: %s",
                    prod,
                    what,
                    state,
                    answer);
            if (!waitEnded) {
                waitEnded = true;
                meets(state == State.FAILED ? Feature.WAIT_FAILED : Feature.WAIT_CLOSED);
            }
        } else if (prod.closed) {
            boolean over =
                    how >= 14 && (interrupted || thrown instanceof IllegalStateException); // before it was closed
            check(
                    over
                            || (forever
                                    ? thrown instanceof RingClosedException
                                    : thrown == null && result == Producer.CLOSED),
                    "%s.%s, which was closed meanwhile: %s",
                    prod,
                    what,
                    answer);
        } else if (isGrantedNow(n)) {
            long hi = claimed() + n;
            check(code && result == (messages ? first(hi) : hi), "%s.%s, not %d: %s", prod, what, hi, answer);
            took(prod, n, type);
            meets(Feature.WAIT);
        } else if (endsInVain(prod, claimed() + n) && !(used && interrupted && (program.single() || how >= 14))) {
            check(
                    thrown instanceof IllegalStateException && !(thrown instanceof RingException),
                    "%s.%s: %s, and it would wait for itself, or for nobody",
                    prod,
                    what,
                    answer);
        } else {
            check(
                    interrupted
                            && (forever
                                    ? thrown instanceof ClaimInterruptedException
                                    : thrown == null && result == Producer.INTERRUPTED),
                    "%s.%s, interrupted %s: %s",
                    prod,
                    what,
                    interrupted,
                    answer);
        }
    }

    /** Publishes, claims or closes by the producer whose wait ends. */
    private void usesAtTheEndOfItsWait(Prod prod, Op op) {
        try {
            int how = op.a() / 16 % 4;
            Op derived = new Op(Op.Kind.EVENT, 0, op.b() >> 2, op.c() >> 2, 0, op.thread());
            if (how < 2) {
                closeProducer(prod);
            } else if (how == 2 && !messages) { // as above
                claim(prod, derived);
            } else {
                event(prod, derived);
            }
            checkAll();
        } catch (Throwable t) {
            wrong(t);
            throw new AssertionError("at the end of a wait: " + t, t);
        }
    }

    /** Drains it, closes it, or lets the next event of a consumer fail it, if one comes. */
    private void endTheRing(boolean closes, Op op) throws Exception {
        List<Node> mayFail = present.stream()
                .filter(node -> node.processor != null && !running.contains(node) && node.mayWork())
                .toList();
        Node node = pick(mayFail, op.a());
        if (closes) {
            onThread(dying++, op.c() % 2 == 0 ? () -> drain(0) : () -> close(op.b() % 2 == 0));
        } else if (node != null) {
            node.arms.addFirst(new Arm(Where.EVENT, Deed.HALT, 0));
            onThread(MAIN, () -> runHere(node, 8));
        }
        throwWrong();
        checkAll();
        throwWrong();
        for (Node one : running) {
            one.maxAvailable = Math.max(one.maxAvailable, available(one));
        }
    }

    private boolean isGrantedNow(int n) {
        return state == State.RUNNING && claimed() + n <= limit();
    }

    private void took(Prod prod, int n, int type) {
        take(prod, n);
        if (messages) {
            known(claimed()).type = type; // asked for before others claimed
        }
    }

    // publications that the end of the stack cuts off

    /** The kinds of rings whose publications have been loaded and linked. */
    private static final Set<String> LINKED = ConcurrentHashMap.newKeySet();

    /** Publishes, aborts and is refused on another ring of the kind, with what there would be no stack for. */
    private static void link(Program program) throws InterruptedException {
        if (!LINKED.add(program.ring().replaceAll("^ring of \\d+", ""))) {
            return;
        }
        RingBufferBuilder<Object> builder = builder(program, 4);
        if (program.watched()) {
            builder.onAbandonedClaim(1, claim -> {});
        }
        RingBuffer<Object> ring = builder.build();
        StalledClaimDetector looks = StalledClaimDetector.of(ring);
        for (int i = 0; i < 3; i++) {
            Prod prod = linking(program, ring);
            publishEvents(prod);
            long sequence = prod.claim();
            prod.publish(sequence, sequence);
            sequence = prod.claim();
            prod.abort(sequence, sequence);
            refused(prod, sequence);
            sequence = prod.claim();
            if (program.tracked()) {
                Objects.requireNonNull(looks.look(0)).abort();
                refused(prod, sequence);
                prod.claim();
            }
            prod.close();
            Thread ends = new Thread(() -> linking(program, ring).claim(), "product-links");
            ends.start();
            ends.join();
            Objects.requireNonNull(looks.look(0)).abort();
        }
    }

    private static Prod linking(Program program, RingBuffer<Object> ring) {
        MessageProducer sender = program.slots() == Item.Kind.MESSAGES ? sender(ring) : null;
        return new Prod(0, sender == null ? ring.producer() : null, sender, new Waiting());
    }

    /** In the forms that claim, fill and publish. */
    private static void publishEvents(Prod prod) {
        Producer<Object> real = prod.real;
        if (real == null) {
            return;
        }
        real.tryPublishEvent((item, sequence) -> {});
        real.tryPublishEvents((item, sequence, i) -> {}, 2);
        for (int n = 1; n <= 2; n++) {
            try {
                if (n == 1) {
                    real.tryPublishEvent((item, sequence) -> {
                        throw new PlannedTranslation();
                    });
                } else {
                    real.tryPublishEvents(
                            (item, sequence, i) -> {
                                throw new PlannedTranslation();
                            },
                            n);
                }
            } catch (PlannedTranslation thrown) {
                // what it has claimed is aborted
            }
        }
    }

    private static void refused(Prod prod, long sequence) {
        for (Runnable call :
                List.<Runnable>of(() -> prod.publish(sequence, sequence), () -> prod.abort(sequence, sequence))) {
            try {
                call.run();
            } catch (IllegalArgumentException | ClaimAbortedException ended) {
                // as it has to be
            }
        }
    }

    /** Publishes where there is hardly any stack. If that is cut off, it is published, or aborted, once more: whatever became of it. */
    private void publishAtTheEndOfTheStack(Prod prod, long sequence, Op op) throws InterruptedException {
        link(program);
        Runnable publish = () -> prod.publish(first(sequence), first(sequence));
        boolean abort = op.d() / 16 % 4 == 3;
        boolean aborted = false;
        String then = "";
        if (EndOfStack.cutsOff(op.c() % 48, op.b() % 8, publish)) {
            meets(Feature.CUT_OFF);
            then = ", cut off; again: done";
            try {
                if (!abort) {
                    publish.run();
                } else {
                    prod.abort(first(sequence), first(sequence));
                }
                aborted = abort;
            } catch (IllegalArgumentException | ClaimAbortedException published) {
                then = ", cut off behind the publication"; // the cursor tells whether that is so
            }
        }
        say("%s.publish(%d) at the end of the stack%s%s", prod, sequence, then, aborted ? ", aborted" : "");
        known(sequence).status = aborted ? Status.ABORTED : Status.LIVE;
        moveContiguous();
    }

    /**
     * Aborts where there is hardly any stack, again and again with a little more. What that leaves is published then, or aborted, or its
     * producer is closed. Who is not refused has done it, of all that he asked for; what is refused has been aborted.
     */
    private void abortAtTheEndOfTheStack(Prod prod, long lo, long hi, Op op) throws InterruptedException {
        link(program);
        boolean[] ended = {false};
        Runnable abort = () -> {
            try {
                prod.abort(first(lo), first(hi));
            } catch (IllegalArgumentException refused) {
                ended[0] = true; // or a part of it
            }
        };
        int cut = 0;
        boolean whole = false;
        for (int more = 0; !whole && more <= op.b() / 8 % 8; more++) {
            whole = !EndOfStack.cutsOff(op.c() % 48 + more, op.b() % 8, abort);
            cut += whole ? 0 : 1;
        }
        say("%s.abort(%d, %d) at the end of the stack: cut off %d times%s", prod, lo, hi, cut, whole ? "" : ", open");
        check(cut > 0 || !ended[0], "%s.abort(%d, %d) of what is open is refused", prod, lo, hi);
        meets(Feature.ABORT);
        if (cut > 0) {
            meets(Feature.CUT_ABORT);
            noteCutOff(prod, lo, hi);
        }
        if (whole && !ended[0]) {
            for (long sequence = lo; sequence <= hi; sequence++) {
                known(sequence).status = Status.ABORTED;
            }
        } else {
            endWhatIsLeft(prod, lo, hi, op.d() / 128 % 8);
        }
        moveContiguous();
    }

    private void noteCutOff(Prod prod, long lo, long hi) {
        for (long sequence = lo; program.tracked() && sequence <= hi; sequence++) {
            Slot slot = known(sequence);
            slot.cutOff |= slot.owner == prod && slot.status == Status.OPEN;
        }
        if (program.single()) {
            prod.lost.clear(); // it knows of the last loss only
        }
    }

    private void endWhatIsLeft(Prod prod, long lo, long hi, int how) {
        if (how == 0) {
            closeProducer(prod);
            return;
        }
        if (how == 1 && program.tracked()) {
            abortLeftOnItsBehalf(lo, hi);
        } else if (how == 2 && !program.single()) {
            publishAnother(prod, lo, hi);
        }
        boolean publishes = how > 1 && how < 7;
        boolean atOnce = lo == hi || program.single();
        if (atOnce || (publishes && !program.tracked())) {
            boolean done = ends(prod, publishes, lo, hi);
            for (long sequence = lo; (done || atOnce) && sequence <= hi; sequence++) {
                known(sequence).status = done && publishes ? Status.LIVE : Status.ABORTED;
            }
        }
        for (long sequence = lo; sequence <= hi; sequence++) {
            if (known(sequence).status == Status.OPEN) {
                boolean done = ends(prod, publishes, sequence, sequence);
                known(sequence).status = done && publishes ? Status.LIVE : Status.ABORTED;
            }
        }
    }

    /** Whether it was not refused. */
    private boolean ends(Prod prod, boolean publishes, long lo, long hi) {
        Throwable thrown = null;
        try {
            if (publishes) {
                prod.publish(first(lo), first(hi));
            } else {
                prod.abort(first(lo), first(hi));
            }
        } catch (IllegalArgumentException | ClaimAbortedException refused) {
            thrown = refused;
        }
        say("%s.%s(%d, %d) then: %s", prod, publishes ? "publish" : "abort", lo, hi, thrown == null ? "done" : thrown);
        check(
                program.tracked() || !(thrown instanceof ClaimAbortedException),
                "%s is told that others have aborted what is its own: %s",
                prod,
                thrown);
        return thrown == null;
    }

    private void abortLeftOnItsBehalf(long lo, long hi) {
        AbandonedClaim claim = watch.look(0);
        if (claim == null || claim.lowest() < first(lo) || claim.highest() > last(hi)) {
            return;
        }
        long aborted = claim.abort();
        say("abort of what is left, on its behalf: %d", aborted);
        check(
                aborted >= 0 && aborted <= claim.highest() - claim.lowest() + 1,
                "abort on its behalf of what was cut off: %d",
                aborted);
        meets(Feature.IN_STEAD);
        for (long sequence = number(claim.lowest()); sequence <= claim.highest() / unit; sequence++) {
            known(sequence).status = Status.ABORTED; // the last stamps of a message may be written already
        }
    }

    /** Another claim of the producer, before it comes back to what was cut off. */
    private void publishAnother(Prod prod, long lo, long hi) {
        for (long sequence = lowestOpenEver(); sequence <= claimed() && !messages; sequence++) {
            Slot slot = known(sequence);
            if ((sequence < lo || sequence > hi)
                    && slot.owner == prod
                    && slot.status == Status.OPEN
                    && !isOvertakenByAny(sequence, lo, hi)) {
                say("%s.publish(%d) before that", prod, sequence);
                fillClaimed(prod, sequence, content(sequence));
                prod.real().publish(sequence);
                slot.status = Status.LIVE;
                return;
            }
        }
    }

    /** Where nobody gates, what was cut off may have been done in part: then it has overtaken an earlier claim of the same slot. */
    private boolean isOvertakenByAny(long sequence, long lo, long hi) {
        return isUngated()
                && hi > sequence
                && (hi - sequence) / capacity > (Math.max(lo, sequence) - 1 - sequence) / capacity;
    }

    private long content(long sequence) {
        long mixed = (program.salt() + sequence) * 0x9E3779B97F4A7C15L;
        return (mixed ^ mixed >>> 29) & Long.MAX_VALUE;
    }

    private void fill(Object item, long sequence, long value) {
        Item.fill(item, sequence, value, keyOf(value));
        known(sequence).value = value;
    }

    private void moveContiguous() {
        boolean passesOver = !program.single() || (bytes && !program.tracked()); // as it looks at a lap only
        if (passesOver && isUngated()) {
            contiguous = Math.max(contiguous, claimed() - capacity);
        }
        while (contiguous < claimed() && known(contiguous + 1).status != Status.OPEN) {
            contiguous++;
        }
    }

    private void publish(Prod prod, Op op) throws InterruptedException {
        if (messages) {
            commit(prod, op);
            return;
        }
        List<Long> open = new ArrayList<>();
        for (long sequence = lowestOpenEver(); sequence <= claimed(); sequence++) {
            if (known(sequence).owner == prod && known(sequence).status == Status.OPEN) {
                open.add(sequence);
            }
        }
        prod.lost.removeIf(sequence -> sequence <= claimed() - capacity);
        if (!prod.lost.isEmpty() && (open.isEmpty() || op.d() % 2 == 0)) {
            publishLost(prod, op);
            return;
        }
        if (open.isEmpty() && mayBeTold(prod)) {
            return; // once more, or not, that it is lost
        }
        if (open.isEmpty()) {
            Throwable thrown = null;
            try {
                if (op.d() % 2 == 0) {
                    prod.real().publish(claimed());
                } else {
                    prod.real().abort(claimed(), claimed());
                }
            } catch (IllegalArgumentException refused) {
                thrown = refused;
            }
            check(thrown != null, "%s published or aborted %d, which is not its own", prod, claimed());
            return;
        }
        used(prod);
        long lo = open.get(program.single() ? 0 : op.b() % open.size());
        long hi = lo;
        int most = 1 + op.c() % capacity;
        // Not promised: a call that was cut off, and is made again where others have overtaken what it has settled.
        boolean mayBeCut = program.single() || !isOvertaken(lo);
        boolean abortCut = mayBeCut && isAbortCut(op);
        boolean cut = abortCut || (mayBeCut && op.d() % 16 == 6);
        while (hi < claimed()
                && (!cut || abortCut)
                && hi - lo + 1 < most
                && known(hi + 1).status == Status.OPEN
                && known(hi + 1).owner == prod) {
            hi++;
        }
        boolean abort = op.d() % 4 == 3;
        if (cut) {
            for (long sequence = lo; sequence <= hi; sequence++) {
                fillClaimed(prod, sequence, content(sequence));
            }
            meetsOvertaken(lo, hi);
            if (abortCut) {
                abortAtTheEndOfTheStack(prod, lo, hi, op);
            } else {
                publishAtTheEndOfTheStack(prod, lo, op);
            }
            return;
        }
        say("%s.%s(%d, %d)", prod, abort ? "abort" : "publish", lo, hi);
        meetsOvertaken(lo, hi);
        for (long sequence = lo; sequence <= hi; sequence++) {
            Slot slot = known(sequence);
            fillClaimed(prod, sequence, abort ? ~content(sequence) : content(sequence));
            slot.status = abort ? Status.ABORTED : Status.LIVE;
        }
        if (abort) {
            meets(Feature.ABORT);
            prod.real().abort(lo, hi);
        } else if (lo == hi) {
            prod.real().publish(lo);
        } else {
            prod.real().publish(lo, hi);
        }
        moveContiguous();
    }

    /** Fills what it has claimed before. On a ring that tracks claims it is told if the slot is another's by then. */
    private void fillClaimed(Prod prod, long sequence, long value) {
        if (program.single() || !program.tracked() || !isPublishedOver(sequence)) {
            fill(prod.real().get(sequence), sequence, value);
            return;
        }
        checkIsAnothers(prod, sequence, "which others have overtaken");
    }

    private void checkIsAnothers(Prod prod, long sequence, String why) {
        Throwable thrown = null;
        try {
            prod.real().get(sequence);
        } catch (ClaimAbortedException told) {
            thrown = told;
        }
        check(thrown != null, "%s.get(%d), %s, is accepted", prod, sequence, why);
    }

    private static boolean isAbortCut(Op op) {
        return op.d() % 16 == 14 || (op.d() % 16 == 6 && op.d() / 64 % 2 == 1);
    }

    /** Whether a producer may be told that the last claim is lost, and need not. */
    private boolean mayBeTold(Prod prod) {
        Slot last = slot(claimed());
        return last != null && last.owner == prod && (last.lost || last.cutOff);
    }

    private void publishLost(Prod prod, Op op) {
        long sequence = prod.lost.remove(op.b() % prod.lost.size());
        if (program.single()) {
            prod.lost.clear();
        }
        say("%s.get and publish(%d), which was aborted on its behalf", prod, sequence);
        checkIsAnothers(prod, sequence, "which was aborted on its behalf");
        Throwable thrown = null;
        try {
            if (op.c() % 3 == 0) {
                prod.real().abort(sequence, sequence);
                return;
            }
            prod.real().publish(sequence);
        } catch (ClaimAbortedException lost) {
            thrown = lost;
        }
        check(thrown != null, "%s.publish(%d), which was aborted on its behalf, is accepted", prod, sequence);
    }

    // producers of messages

    /** What type a message is claimed with, by its number. */
    private static int messageType(long number) {
        return (int) number + 1;
    }

    /** Whether a producer, which belongs to this thread, has a claim open: then it is refused another. */
    private boolean refusedSecond(Prod prod, @Nullable Throwable thrown, String what) {
        if (lowestOpen(prod) == Long.MAX_VALUE) {
            prod.lost.clear(); // it has learnt of it
            return false;
        }
        check(
                thrown instanceof IllegalStateException
                        && String.valueOf(thrown.getMessage()).startsWith("a producer of messages must have one claim"),
                "%s.%s ahead of an open claim: %s",
                prod,
                what,
                thrown);
        return true;
    }

    private void claimMessage(Prod prod, Op op) {
        boolean bad = op.b() % 32 == 31;
        int form = op.c() % 7 == 3 && !prod.waits ? 3 : op.c() % 2;
        long was = claimed();
        if (form == 3 && !bad && op.d() % 4 == 1 && wouldWait(prod, 1)) {
            awaitRoom(prod, 1, false, op);
            return;
        }
        long limit = limit();
        long refusal = refusalCode(prod);
        int type = messageType(was + 1);
        String what = form == 0 ? "tryClaim" : form == 1 ? "claim(0)" : "claim(1 us)";
        long result = 0;
        Throwable thrown = null;
        try {
            result = switch (form) {
                case 0 ->
                    bad
                            ? prod.sender()
                                    .tryClaim(
                                            1,
                                            op.b() % 64 == 31
                                                    ? -1
                                                    : prod.sender().maxLength() + 1)
                            : prod.sender().tryClaim(type, Item.MESSAGE_LENGTH);
                default -> prod.sender().claim(bad ? 0 : type, Item.MESSAGE_LENGTH, form == 1 ? 0 : SHORT);
            };
        } catch (IllegalStateException | IllegalArgumentException refused) {
            thrown = refused;
        }
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        say("%s.%s: %s", prod, what, answer);
        if (bad) {
            check(thrown instanceof IllegalArgumentException, "%s.%s: %s", prod, what, answer);
            return;
        }
        meets(form < 2 ? Feature.CLAIM : Feature.TIMED);
        if (!refusedSecond(prod, thrown, what)
                && granted(prod, 1, what, form == 3, was, limit, refusal, result, thrown)) {
            take(prod, 1);
        }
    }

    /** Whether the ring has granted a claim of messages, as it has to. */
    private boolean granted(
            Prod prod,
            int n,
            String what,
            boolean waits,
            long was,
            long limit,
            long refusal,
            long result,
            @Nullable Throwable thrown) {
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        bind(prod);
        long hi = was + n;
        if (refusal != 0) {
            prod.acknowledged |= state != State.RUNNING && !prod.closed;
            check(thrown == null && result == refusal, "%s.%s on a ring that is %s: %s", prod, what, state, answer);
            return false;
        }
        if (thrown == null && result >= 0) {
            check(
                    result == first(was + 1) && hi <= Math.max(limit, highestLimit),
                    "%s.%s behind %d: %d, room for %d",
                    prod,
                    what,
                    was,
                    result,
                    limit - was);
            return true;
        }
        check(hi > limit, "%s.%s behind %d: %s, room for %d", prod, what, was, answer, limit - was);
        if (waits && waitsInVain(prod, hi)) {
            check(
                    thrown instanceof IllegalStateException,
                    "%s.%s: %s, and it would wait for itself, or for nobody",
                    prod,
                    what,
                    answer);
        } else {
            check(
                    thrown == null && result == (waits ? Producer.TIMED_OUT : Producer.FULL),
                    "%s.%s: %s",
                    prod,
                    what,
                    answer);
        }
        return false;
    }

    private void commit(Prod prod, Op op) throws InterruptedException {
        long open = lowestOpen(prod);
        boolean abort = op.d() % 4 == 3;
        if (!prod.lost.isEmpty()) {
            long lost = prod.lost.remove(0);
            check(open == Long.MAX_VALUE, "%s has %d open, and has not learnt that it lost %d", prod, open, lost);
            say("%s.%s(%d), which was aborted on its behalf", prod, abort ? "abort" : "commit", lost);
            Throwable thrown = null;
            try {
                if (abort) {
                    prod.sender().abort(first(lost));
                    return;
                }
                prod.sender().commit(first(lost));
            } catch (ClaimAbortedException refused) {
                thrown = refused;
            }
            check(thrown != null, "%s.commit(%d), which was aborted on its behalf, is accepted", prod, lost);
            return;
        }
        Slot last = slot(claimed());
        if (open == Long.MAX_VALUE && last != null && last.owner == prod && last.cutOff) {
            return;
        }
        if (open == Long.MAX_VALUE) {
            Throwable thrown = null;
            try {
                if (op.d() % 2 == 0) {
                    prod.sender().commit(first(Math.max(0, claimed())));
                } else {
                    prod.sender().abort(first(Math.max(0, claimed())));
                }
            } catch (IllegalArgumentException refused) {
                thrown = refused;
            }
            check(thrown != null, "%s commits or aborts %d, which is not its own", prod, claimed());
            return;
        }
        used(prod);
        meetsOvertaken(open, open);
        long value = abort ? ~content(open) : content(open);
        prod.sender().buffer().putLong(prod.sender().offset(first(open)), value);
        known(open).value = value;
        if (isAbortCut(op)) {
            abortAtTheEndOfTheStack(prod, open, open, op);
            return;
        }
        if (op.d() % 16 == 6) {
            publishAtTheEndOfTheStack(prod, open, op);
            return;
        }
        say("%s.%s(%d)", prod, abort ? "abort" : "commit", open);
        known(open).status = abort ? Status.ABORTED : Status.LIVE;
        if (abort) {
            meets(Feature.ABORT);
            prod.sender().abort(first(open));
        } else {
            prod.sender().commit(first(open));
        }
        moveContiguous();
    }

    private void offer(Prod prod, Op op) {
        int form = prod.waits && op.c() % 10 < 4 ? 0 : op.c() % 10;
        long was = claimed();
        long beforeTheEnd = capacity - (was + 1) % capacity; // more would need padding, which the model does not know
        int n = form < 6 ? 1 : (int) Math.min(1 + op.b() % Math.max(1, capacity / 4), beforeTheEnd);
        long limit = limit();
        long refusal = refusalCode(prod);
        int type = messageType(was + 1);
        int before = op.d() % 4;
        SafeBuffer shifted = SafeBuffer.allocate(before + Item.MESSAGE_LENGTH);
        shifted.putLong(before, content(was + 1));
        String what = form < 2 ? "offer" : form < 4 ? "offer(1 us)" : form < 6 ? "offerParts" : "offerAll(" + n + ")";
        long result = 0;
        Throwable thrown = null;
        try {
            switch (form) {
                case 0, 1 -> result = prod.sender().offer(type, shifted, before, Item.MESSAGE_LENGTH);
                case 2, 3 -> result = prod.sender().offer(type, shifted, before, Item.MESSAGE_LENGTH, SHORT);
                case 4, 5 ->
                    result = prod.sender()
                            .offerParts(
                                    type,
                                    new SafeBuffer(shifted, before, 3),
                                    new SafeBuffer(shifted, before + 3, Item.MESSAGE_LENGTH - 3));
                default -> {
                    SafeBuffer[] all = new SafeBuffer[n];
                    for (int i = 0; i < n; i++) {
                        all[i] = SafeBuffer.allocate(Item.MESSAGE_LENGTH);
                        all[i].putLong(0, content(was + 1 + i));
                    }
                    result = prod.sender().offerAll(type, all);
                }
            }
        } catch (IllegalStateException refused) {
            thrown = refused;
        }
        say("%s.%s: %s", prod, what, thrown == null ? Producer.resultName(result) : thrown);
        if (refusedSecond(prod, thrown, what)
                || !granted(prod, n, what, form == 2 || form == 3, was, limit, refusal, result, thrown)) {
            return;
        }
        take(prod, n);
        for (int i = 1; i <= n; i++) {
            known(was + i).value = content(was + i);
            known(was + i).status = Status.LIVE;
            known(was + i).type = type; // one for all
        }
        moveContiguous();
        meets(form < 6 ? Feature.EVENT : Feature.EVENT_BATCH);
    }

    /** What a translator of these programs throws. */
    private static final class PlannedTranslation extends RuntimeException {
        private static final long serialVersionUID = 1;

        PlannedTranslation() {
            super("planned", null, false, false);
        }
    }

    private void event(Prod prod, Op op) throws InterruptedException {
        if (messages) {
            offer(prod, op);
            return;
        }
        int form = op.c() % 10;
        boolean batch = form >= 6;
        boolean waits = form % 2 == 0 && !prod.waits;
        int n = batch ? 1 + op.b() % Math.min(window, 1 + op.b() / 16 % 16) : 1;
        boolean uses = usesItsProducer(op);
        int usesAt = op.c() / 16 % 3 == 0 ? op.c() / 64 % n : n - 1;
        boolean fails = op.d() % 8 == 5 || throwsBehindUse(op);
        boolean byError = op.d() % 16 == 13 || (uses && op.d() / 64 % 2 == 1);
        long was = claimed();
        long hi = was + n;
        boolean openClaim = program.single() && lowestOpen(prod) != Long.MAX_VALUE;
        long limit = limit();
        long refusal = refusalCode(prod);
        bind(prod);
        boolean granted = hi <= limit;
        boolean maybe = !granted && hi <= highestLimit;
        if (op.d() % 16 == (fails ? 5 : 7) && prod.granted && granted && refusal == 0 && contiguous == was) {
            eventAtTheEndOfTheStack(prod, n, batch, fails, op);
            return;
        }
        if (waits && refusal == 0 && !openClaim && !granted && (maybe || !waitsInVain(prod, hi))) {
            waits = false;
        }
        int[] filled = {0};
        boolean[] took = {false};
        EventTranslatorBatch<Object> fill = (item, sequence, i) -> {
            if (!took[0]) {
                take(prod, n);
                took[0] = true;
            }
            check(sequence == was + 1 + i, "translator %d of a batch behind %d gets %d", i, was, sequence);
            check(item == ring.get(sequence), "the translator gets another event at %d", sequence);
            fillIfOpen(item, sequence);
            filled[0]++;
            if (uses && i == usesAt) {
                useWithin(prod, op);
            }
            if (fails && i == n - 1) {
                if (byError) {
                    throw new PlannedError();
                }
                throw new PlannedTranslation();
            }
        };
        long result = 0;
        Throwable thrown = null;
        String what = (waits ? "publishEvent" : "tryPublishEvent") + (batch ? "s(" + n + ")" : "");
        try {
            if (batch) {
                result =
                        waits ? prod.real().publishEvents(fill, n) : prod.real().tryPublishEvents(fill, n);
            } else {
                result = one(prod.real(), fill, waits, op.b() % 6);
            }
        } catch (PlannedTranslation | PlannedError | IllegalStateException refused) {
            thrown = refused;
        } catch (IllegalArgumentException refused) {
            check(uses && program.tracked(), "%s.%s: %s", prod, what, refused);
            thrown = refused;
        }
        throwIfWrong();
        say("%s.%s: %s", prod, what, thrown == null ? Producer.resultName(result) : thrown);
        if (uses && took[0]) {
            check(granted || maybe, "%s.%s behind %d: there is no room", prod, what, was);
            publishedByUser(prod, what, n, was, fails, filled[0], result, thrown);
        } else {
            published(prod, what, n, was, openClaim, refusal, granted, maybe, waits, fails, filled[0], result, thrown);
        }
        if (filled[0] > 0) {
            meets(batch ? Feature.EVENT_BATCH : Feature.EVENT);
        }
    }

    /** Whether a translator uses its producer, beside filling. */
    private static boolean usesItsProducer(Op op) {
        return op.d() % 16 == 9 || op.d() % 16 == 11;
    }

    private static boolean throwsBehindUse(Op op) {
        return usesItsProducer(op) && op.d() / 16 % 4 == 3;
    }

    /** What a translator has settled itself it does not write to: it may be another's by then. */
    private void fillIfOpen(Object item, long sequence) {
        if (known(sequence).status == Status.OPEN) {
            fill(item, sequence, content(sequence));
        }
    }

    /**
     * Within a translator: publishes or aborts what is open of its producer, that which it is filling or another claim, or lets further
     * steps of the program run.
     */
    private void useWithin(Prod prod, Op op) {
        try {
            for (int i = 0; i <= op.d() / 256 % 3; i++) {
                if ((((op.a() / 64) >>> i) & 1) == 1) {
                    nested(1);
                } else {
                    int how = (((op.b() / 64) >>> (2 * i)) & 15) + 16 * (op.c() % 256);
                    publish(prod, new Op(Op.Kind.PUBLISH, 0, op.b() >>> i, op.c() >>> i, how, op.thread()));
                    checkAll();
                    for (Node node : running) {
                        node.maxAvailable = Math.max(node.maxAvailable, available(node));
                    }
                }
            }
        } catch (Throwable t) {
            wrong(t);
            throw new AssertionError("within a translator: " + t, t);
        }
    }

    /** A form whose translator has used its producer: what is still open of its claim is published then, or aborted where something was thrown. */
    private void publishedByUser(
            Prod prod,
            String what,
            int n,
            long was,
            boolean fails,
            int filled,
            long result,
            @Nullable Throwable thrown) {
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        int open = 0;
        int lost = 0;
        boolean live = false;
        boolean mayBeLost = false;
        for (long sequence = was + 1; sequence <= was + n; sequence++) {
            Slot slot = known(sequence);
            open += slot.status == Status.OPEN ? 1 : 0;
            live |= slot.status == Status.LIVE;
            lost += slot.lost ? 1 : 0;
            mayBeLost |= slot.lost || slot.cutOff;
        }
        boolean aborts = filled < n || fails;
        if (filled < n) { // a ring that tracks claims has the translator fill what is open only
            check(
                    program.tracked()
                            && (known(was + 1 + filled).status != Status.OPEN || isPublishedOver(was + 1 + filled))
                            && (thrown instanceof IllegalArgumentException || thrown instanceof ClaimAbortedException),
                    "%s.%s behind %d, of which %d were filled: %s",
                    prod,
                    what,
                    was,
                    filled,
                    answer);
        } else if (fails) {
            check(
                    thrown instanceof PlannedTranslation || thrown instanceof PlannedError,
                    "%s.%s behind %d, whose translator throws: %s",
                    prod,
                    what,
                    was,
                    answer);
        } else if (open == n) {
            check(thrown == null && result == was + n, "%s.%s behind %d: %s", prod, what, was, answer);
        } else if (thrown
                == null) { // what one producer has published itself is harmless where nothing was claimed behind it
            check(
                    result == was + n
                            && live
                            && !prod.closed
                            && program.single()
                            && !program.tracked()
                            && claimed() == was + n,
                    "%s.%s behind %d, of which %d were settled within: %s",
                    prod,
                    what,
                    was,
                    n - open,
                    answer);
        } else {
            boolean told = thrown instanceof ClaimAbortedException;
            check(
                    told ? mayBeLost : thrown instanceof IllegalStateException && !(thrown instanceof RingException),
                    "%s.%s behind %d, of which %d were settled within: %s",
                    prod,
                    what,
                    was,
                    n - open,
                    answer);
            check(
                    told || lost < n - open || prod.closed || program.single(),
                    "%s.%s behind %d, of which %d were aborted on its behalf: %s",
                    prod,
                    what,
                    was,
                    lost,
                    answer);
        }
        meetsOvertaken(was + 1, was + n);
        for (long sequence = was + 1; sequence <= was + n; sequence++) {
            if (known(sequence).status == Status.OPEN) {
                known(sequence).status = aborts ? Status.ABORTED : Status.LIVE;
            }
        }
        if (open + lost < n) {
            meets(Feature.SETTLES);
        }
        if (fails && filled == n) {
            meets(Feature.TRANSLATOR);
        }
        moveContiguous();
    }

    /**
     * Claims, fills and publishes by one call, for which there is room, where there is hardly any stack and no other claim is open. What
     * the ring says of open claims tells how far that came. What has stayed open is the producer's to publish, to abort, or to close with.
     */
    private void eventAtTheEndOfTheStack(Prod prod, int n, boolean batch, boolean fails, Op op)
            throws InterruptedException {
        link(program);
        long was = claimed();
        long[] contents = new long[n];
        for (int i = 0; i < n; i++) {
            contents[i] = content(was + 1 + i);
        }
        boolean[] filled = {false};
        boolean[] returned = {false};
        PlannedTranslation planned = new PlannedTranslation();
        EventTranslatorBatch<Object> fill = (item, sequence, i) -> { // nothing of the model: it may be cut off too
            Item.fill(item, sequence, contents[i], keyOf(contents[i]));
            if (fails && i == n - 1) {
                throw planned;
            }
            filled[0] = i == n - 1;
        };
        EventTranslator<Object> fillOne = (item, sequence) -> fill.translateTo(item, sequence, 0);
        Runnable publish = () -> {
            try {
                if (batch) {
                    prod.real().tryPublishEvents(fill, n);
                } else {
                    prod.real().tryPublishEvent(fillOne);
                }
                returned[0] = true;
            } catch (PlannedTranslation thrown) {
                // whatever its abort has come to
            }
        };
        boolean cut = EndOfStack.cutsOff(op.c() / 16 % 48, op.b() / 256 % 8, publish);
        int open = ring.leftover().openClaims() - expectedLeftover().openClaims();
        String what = prod + ".tryPublishEvent" + (batch ? "s(" + n + ")" : "") + " at the end of the stack";
        say(
                "%s: %s, %d open",
                what, returned[0] ? "done" : cut ? "cut off" : "its translator has thrown", Math.max(0, open));
        check(open >= 0 && open <= n, "%s: %d are open more than before", what, open);
        check(!returned[0] || (open == 0 && filled[0]), "%s: %d are open, though it has returned", what, open);
        check(cut || returned[0] || fails, "%s: its translator has not thrown", what);
        if (open == 0 && ring.cursor().get() == was) {
            return; // nothing was claimed
        }
        take(prod, n);
        for (int i = 0; i < n; i++) {
            Slot slot = known(was + 1 + i);
            slot.value = contents[i];
            slot.status = i >= n - open ? Status.OPEN : filled[0] ? Status.LIVE : Status.ABORTED;
        }
        meets(batch ? Feature.EVENT_BATCH : Feature.EVENT);
        if (cut) {
            meets(Feature.CUT_OFF);
        } else if (fails) {
            meets(Feature.TRANSLATOR);
            meets(open > 0 ? Feature.CUT_ABORT : Feature.ABORT);
        }
        moveContiguous();
        int how = op.d() / 16 % 8;
        if (open > 0 && (program.tracked() || how > 3)) {
            noteCutOff(prod, was + n - open + 1, was + n);
            for (int i = n - open; i < n; i++) { // perhaps its translator was not called
                Item.fill(ring.get(was + 1 + i), was + 1 + i, contents[i], keyOf(contents[i]));
            }
            endWhatIsLeft(prod, was + n - open + 1, was + n, how == 1 ? 0 : how); // nobody may know whose it is
            moveContiguous();
        }
    }

    private static long one(Producer<Object> real, EventTranslatorBatch<Object> fill, boolean waits, int arguments) {
        return switch (arguments) {
            case 0 ->
                waits
                        ? real.publishEvent((item, sequence) -> fill.translateTo(item, sequence, 0))
                        : real.tryPublishEvent((item, sequence) -> fill.translateTo(item, sequence, 0));
            case 1 ->
                waits
                        ? real.publishEvent(
                                (Object item, long sequence, Integer a) -> fill.translateTo(item, sequence, a - 1),
                                (Integer) 1)
                        : real.tryPublishEvent(
                                (Object item, long sequence, Integer a) -> fill.translateTo(item, sequence, a - 1),
                                (Integer) 1);
            case 2 ->
                waits
                        ? real.publishEvent(
                                (Object item, long sequence, Integer a, Integer b) ->
                                        fill.translateTo(item, sequence, a - b),
                                (Integer) 1,
                                (Integer) 1)
                        : real.tryPublishEvent(
                                (Object item, long sequence, Integer a, Integer b) ->
                                        fill.translateTo(item, sequence, a - b),
                                (Integer) 1,
                                (Integer) 1);
            case 3 ->
                waits
                        ? real.publishEvent(
                                (item, sequence, a, b, c) -> fill.translateTo(item, sequence, a - b - c), 3, 2, 1)
                        : real.tryPublishEvent(
                                (item, sequence, a, b, c) -> fill.translateTo(item, sequence, a - b - c), 3, 2, 1);
            case 4 -> {
                EventTranslatorTwoLongs<Object> translator =
                        (item, sequence, first, second) -> fill.translateTo(item, sequence, (int) (first - second));
                yield waits ? real.publishEvent(translator, 2L, 2L) : real.tryPublishEvent(translator, 2L, 2L);
            }
            default -> {
                EventTranslatorLong<Object> translator =
                        (item, sequence, value) -> fill.translateTo(item, sequence, (int) value);
                yield waits ? real.publishEvent(translator, 0L) : real.tryPublishEvent(translator, 0L);
            }
        };
    }

    private void published(
            Prod prod,
            String what,
            int n,
            long was,
            boolean openClaim,
            long refusal,
            boolean granted,
            boolean maybe,
            boolean waits,
            boolean fails,
            int filled,
            long result,
            @Nullable Throwable thrown) {
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        if (openClaim) {
            check(
                    thrown instanceof IllegalStateException && filled == 0,
                    "%s.%s ahead of an open claim: %s",
                    prod,
                    what,
                    answer);
        } else if (refusal != 0) {
            prod.acknowledged |= !prod.closed;
            if (waits) {
                check(
                        state == State.FAILED
                                ? thrown instanceof RingFailedException
                                : thrown instanceof RingClosedException,
                        "%s.%s on a ring that is %s: %s",
                        prod,
                        what,
                        state,
                        answer);
            } else {
                check(thrown == null && result == refusal, "%s.%s on a ring that is %s: %s", prod, what, state, answer);
            }
        } else if (filled > 0) {
            check(granted || maybe, "%s.%s behind %d: %s, there is no room", prod, what, was, answer);
            check(
                    filled == n
                            && fails == (thrown instanceof PlannedTranslation || thrown instanceof PlannedError)
                            && (fails || result == was + n),
                    "%s.%s behind %d: %s",
                    prod,
                    what,
                    was,
                    answer);
            for (long sequence = was + 1; sequence <= was + n; sequence++) {
                known(sequence).status = fails ? Status.ABORTED : Status.LIVE;
            }
            if (fails) {
                meets(Feature.ABORT);
                meets(Feature.TRANSLATOR);
            }
            moveContiguous();
        } else {
            check(!granted, "%s.%s behind %d: %s, there is room", prod, what, was, answer);
            if (waits) {
                check(
                        thrown instanceof IllegalStateException,
                        "%s.%s: %s, and it would wait for itself, or for nobody",
                        prod,
                        what,
                        answer);
            } else {
                check(thrown == null && result == Producer.FULL, "%s.%s: %s", prod, what, answer);
            }
        }
    }

    private void wrap(Prod prod, Op op) {
        if (prod.drops()) {
            return;
        }
        prod.newest = !shed || op.b() % 2 == 0;
        if (messages) {
            wrapSender(prod, op);
        } else if (prod.newest) {
            checkUnfit(
                    "a spare that is in a slot",
                    () -> DroppingProducer.dropNewest(prod.real(), ring.get(op.c()), item -> {}));
            meets(Feature.SPARE);
            prod.dropping =
                    DroppingProducer.dropNewest(prod.real(), Item.spare(program.slots()), item -> prod.dropped++);
        } else {
            prod.patience = op.c() % 3 == 0 ? 0 : SHORT;
            prod.dropping = DroppingProducer.dropOldest(prod.real(), prod.patience);
        }
        say("%s drops the %s%s", prod, prod.newest ? "newest" : "oldest", prod.patience > 0 ? ", with patience" : "");
    }

    private void wrapSender(Prod prod, Op op) {
        if (prod.newest) {
            prod.droppingSender = DroppingMessageProducer.dropNewest(
                    prod.sender(),
                    (type, buffer, offset, length) -> droppedMessage(prod, type, buffer, offset, length));
        } else {
            prod.patience = op.c() % 3 == 0 ? 0 : SHORT;
            prod.droppingSender = DroppingMessageProducer.dropOldest(prod.sender(), prod.patience);
        }
        if (!shed) {
            checkUnfit(
                    "drop oldest on a ring that does not shed",
                    () -> DroppingMessageProducer.dropOldest(prod.sender(), 0));
        }
    }

    private void droppedMessage(Prod prod, int type, DirectBuffer buffer, int offset, int length) {
        prod.dropped++;
        Offered own = prod.offered;
        check(
                own != null && own.type == type && own.buffer == buffer && own.offset == offset && own.length == length,
                "%s is told that it drops %d bytes at %d of type %d, and has offered %s",
                prod,
                length,
                offset,
                type,
                own);
        if (own.handlerThrows) {
            throw new PlannedTranslation();
        }
    }

    private void drop(Prod prod, Op op) {
        if (!prod.drops()) {
            wrap(prod, op);
            return;
        }
        if (messages) {
            dropMessage(prod, op);
            return;
        }
        long was = claimed();
        boolean openClaim = program.single() && lowestOpen(prod) != Long.MAX_VALUE;
        long limit = limit();
        long refusal = refusalCode(prod);
        bind(prod);
        boolean granted = was + 1 <= limit;
        boolean maybe = !granted && was + 1 <= highestLimit;
        boolean uses = usesItsProducer(op);
        boolean fails = throwsBehindUse(op);
        int[] filled = {0};
        EventTranslatorLong<Object> translator = (item, sequence, value) -> {
            if (sequence < 0) {
                check(prod.newest, "drop oldest fills a spare event");
            } else {
                take(prod, 1);
                filled[0]++;
                check(
                        sequence == was + 1 && item == ring.get(sequence),
                        "the translator gets %d behind %d",
                        sequence,
                        was);
                fill(item, sequence, content(sequence));
            }
            if (uses) {
                useWithin(prod, op);
            }
            if (fails) {
                throw new PlannedTranslation();
            }
        };
        long result = 0;
        Throwable thrown = null;
        try {
            DroppingProducer<Object> dropping = Objects.requireNonNull(prod.dropping);
            result = op.b() % 2 == 0
                    ? dropping.publishEvent(translator, 1L)
                    : dropping.publishEvent(
                            (item, sequence, first, second) -> translator.translateTo(item, sequence, first), 1L, 2L);
        } catch (IllegalStateException | PlannedTranslation refused) {
            thrown = refused;
        }
        throwIfWrong();
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        say("%s.publishEvent, dropping the %s: %s", prod, prod.newest ? "newest" : "oldest", answer);
        if (!openClaim && refusal == 0 && filled[0] == 0 && prod.newest) {
            check(!granted, "%s dropped with room for it", prod);
            droppedTheNewest(prod, fails, result, thrown);
        } else if (!openClaim && refusal == 0 && filled[0] == 0) {
            check(!granted, "%s asked for room with room for it", prod);
            askedForRoom(prod, was + 1, result, thrown);
        } else if (uses && filled[0] > 0) {
            check(granted || maybe, "%s.publishEvent behind %d: there is no room", prod, was);
            publishedByUser(prod, "publishEvent", 1, was, fails, filled[0], result, thrown);
        } else {
            published(
                    prod,
                    "publishEvent",
                    1,
                    was,
                    openClaim,
                    refusal,
                    granted,
                    maybe,
                    false,
                    false,
                    filled[0],
                    result,
                    thrown);
        }
    }

    /** There was no room up to an event, and a producer was to have the oldest dropped. */
    private void askedForRoom(Prod prod, long hi, long result, @Nullable Throwable thrown) {
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        long oldest = hi - window;
        askedHigh = Math.max(askedHigh, oldest);
        meets(Feature.SHED);
        if (prod.patience == 0 || !waitsInVain(prod, hi)) {
            check(thrown == null && result == Producer.TIMED_OUT, "%s: %s", prod, answer);
            askedLow = Math.max(askedLow, oldest);
        } else {
            check(
                    thrown instanceof IllegalStateException,
                    "%s dropping the oldest: %s, and it would wait for itself, or for nobody",
                    prod,
                    answer);
        }
    }

    private void dropMessage(Prod prod, Op op) {
        DroppingMessageProducer dropping = Objects.requireNonNull(prod.droppingSender);
        if (op.b() % 32 == 31) {
            checkUnfitMessages(prod, dropping, op.b() / 32 % 4);
            return;
        }
        long was = claimed();
        long limit = limit();
        long refusal = refusalCode(prod);
        int length = lengthOfTheDropped(prod, op, Math.max(limit, highestLimit));
        long hi = lastOf(length);
        int before = op.d() % 4;
        SafeBuffer shifted = SafeBuffer.allocate(before + Math.max(length, Item.MESSAGE_LENGTH));
        shifted.putLong(before, content(was + 1));
        Offered offered = new Offered(messageType(was + 1), shifted, before, length, op.d() / 4 % 8 == 0);
        String what = "offer of " + length + ", dropping the " + (prod.newest ? "newest" : "oldest");
        long result = 0;
        Throwable thrown = null;
        prod.offered = offered;
        try {
            result = dropping.offer(offered.type, shifted, before, length);
        } catch (IllegalStateException | PlannedTranslation refused) {
            thrown = refused;
        } finally {
            prod.offered = null;
        }
        throwIfWrong();
        say("%s.%s: %s", prod, what, thrown == null ? Producer.resultName(result) : thrown);
        if (refusedSecond(prod, thrown, what)) {
            return;
        }
        if (refusal != 0 || hi <= limit || (thrown == null && result >= 0)) {
            check(refusal != 0 || length == Item.MESSAGE_LENGTH, "%s.%s: there is no room", prod, what);
            if (granted(prod, 1, what, false, was, limit, refusal, result, thrown)) {
                take(prod, 1);
                known(was + 1).value = content(was + 1);
                known(was + 1).status = Status.LIVE;
                moveContiguous();
                meets(Feature.EVENT);
            }
        } else {
            bind(prod);
            if (prod.newest) {
                droppedTheNewestMessage(prod, offered, result, thrown);
            } else {
                askedForRoom(prod, hi, result, thrown);
            }
        }
        check(dropping.dropped() == prod.toDrop, "%s has dropped %d, not %d", prod, dropping.dropped(), prod.toDrop);
    }

    private void droppedTheNewestMessage(Prod prod, Offered offered, long result, @Nullable Throwable thrown) {
        prod.toDrop++;
        check(
                offered.handlerThrows
                        ? thrown instanceof PlannedTranslation
                        : thrown == null && result == Producer.FULL,
                "%s: %s",
                prod,
                thrown == null ? Producer.resultName(result) : thrown);
        check(prod.dropped == prod.toDrop, "%s was told of %d, of %d", prod, prod.dropped, prod.toDrop);
        meets(Feature.NEWEST);
    }

    /** Nothing is claimed, and nothing dropped. */
    private void checkUnfitMessages(Prod prod, DroppingMessageProducer dropping, int how) {
        SafeBuffer some = SafeBuffer.allocate(Item.MESSAGE_LENGTH);
        Throwable thrown = null;
        try {
            switch (how) {
                case 0 -> dropping.offer(0, some, 0, Item.MESSAGE_LENGTH);
                case 1 -> dropping.offer(1, some, 0, -1);
                case 2 -> dropping.offer(1, some, 0, prod.sender().maxLength() + 1);
                default -> dropping.offer(1, some, 1, Item.MESSAGE_LENGTH);
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException refused) {
            thrown = refused;
        }
        say("%s.offer, which is unfit: %s", prod, thrown);
        check(thrown != null, "%s offers what is unfit, %d, and is not refused", prod, how);
    }

    /** Any where it cannot be published: then the request to drop may end within a record. Else that of all. */
    private int lengthOfTheDropped(Prod prod, Op op, long highest) {
        int other = op.c() / 4 % (prod.sender().maxLength() + 1);
        return op.c() % 4 > 1 && (lastOf(other) > highest || refusalCode(prod) != 0) ? other : Item.MESSAGE_LENGTH;
    }

    /** The event whose room holds the end of a message that is claimed next. */
    private long lastOf(int length) {
        long next = first(claimed() + 1);
        long units = (length + 15L) / 8; // with its header
        long left = first(capacity) - next % first(capacity);
        long padding = units > left ? left : 0;
        return (next + padding + units - 1) / unit;
    }

    /** There was no room when it began. Its translator may have closed it, or thrown: then nothing is dropped. */
    private void droppedTheNewest(Prod prod, boolean fails, long result, @Nullable Throwable thrown) {
        String answer = thrown == null ? Producer.resultName(result) : thrown.toString();
        if (fails) {
            check(thrown instanceof PlannedTranslation, "%s, whose translator throws: %s", prod, answer);
        } else if (prod.closed) {
            check(
                    thrown instanceof IllegalStateException && !(thrown instanceof RingException),
                    "%s, whose translator has closed it: %s",
                    prod,
                    answer);
        } else {
            prod.toDrop++;
            check(thrown == null && result == Producer.FULL, "%s: %s", prod, answer);
            meets(Feature.NEWEST);
        }
        long dropped = Objects.requireNonNull(prod.dropping).dropped();
        check(
                prod.dropped == prod.toDrop && dropped == prod.dropped,
                "%s has dropped %d, and was told of %d, of %d",
                prod,
                dropped,
                prod.dropped,
                prod.toDrop);
    }

    private void closeProducer(Prod prod, Op op) throws InterruptedException {
        if (op.b() % 4 == 3) {
            link(program);
            if (EndOfStack.cutsOff(op.c() % 48, op.b() / 4 % 8, prod::close)) {
                say("%s.close() at the end of the stack: cut off", prod);
                if (lowestOpen(prod) != Long.MAX_VALUE) {
                    meets(Feature.CUT_ABORT);
                    noteCutOff(prod, lowestOpenEver(), claimed());
                }
            }
        }
        closeProducer(prod);
    }

    private void closeProducer(Prod prod) {
        say("%s.close()", prod);
        used(prod);
        prod.close();
        long lastOwn = claimed();
        while (lastOwn > 0 && known(lastOwn).owner != prod) {
            lastOwn--;
        }
        for (long sequence = lowestOpenEver(); sequence <= claimed(); sequence++) {
            if (known(sequence).owner == prod && known(sequence).status == Status.OPEN) {
                meetsOvertaken(sequence, sequence);
                known(sequence).status = Status.ABORTED;
                known(sequence).droppedByClose = sequence <= lastOwn - capacity;
                meets(Feature.ABORT);
            }
        }
        prod.closed = true;
        prod.lost.clear();
        moveContiguous();
    }

    private void look(Op op) throws InterruptedException {
        AbandonedClaim claim = watch.look(0);
        say("look: %s", claim == null ? "nothing" : claim);
        check(
                (claim == null) == (contiguous == claimed()),
                "look: %s, published %d, claimed %d",
                claim,
                contiguous,
                claimed());
        if (claim == null) {
            return;
        }
        long lo = contiguous + 1;
        Prod owner = known(lo).owner;
        boolean dead = !alive(owner.owner);
        boolean known = program.single() || program.tracked() || dead;
        check(claim.lowest() == first(lo), "look: %s, published %d", claim, contiguous);
        check(claim.isOwnerKnown() == known, "look: %s of %s", claim, owner);
        long hi = lo;
        while (hi < claimed() && (known(hi + 1).status == Status.OPEN && (!known || known(hi + 1).owner == owner))) {
            hi++;
        }
        check(claim.highest() == last(hi), "look: %s, not to %d", claim, hi);
        if (op.b() % 2 == 0) {
            return;
        }
        long open = 0;
        for (long sequence = lowestOpenEver(); sequence <= claimed(); sequence++) {
            open += known(sequence).owner == owner && known(sequence).status == Status.OPEN ? 1 : 0;
        }
        long[] counts = {-1};
        boolean cut = false;
        Throwable thrown = null;
        if (op.c() % 4 == 1 && (dead || program.tracked())) {
            link(program);
            cut = EndOfStack.cutsOff(op.d() % 48, op.a() % 8, () -> counts[0] = claim.abort());
        }
        if (cut) {
            say("abort on its behalf at the end of the stack: cut off");
            meets(Feature.CUT_ABORT);
        }
        try {
            counts[0] = counts[0] < 0 ? claim.abort() : counts[0];
        } catch (IllegalStateException refused) {
            thrown = refused;
        }
        long aborted = counts[0];
        say("abort on its behalf: %s", thrown == null ? aborted : thrown);
        if (dead) {
            check(
                    aborted == open * unit || (cut && aborted >= 0 && aborted < open * unit),
                    "abort of %s, whose thread has ended: %s",
                    owner,
                    thrown == null ? aborted : thrown);
            meets(Feature.IN_STEAD);
            for (long sequence = lowestOpenEver(); sequence <= claimed(); sequence++) {
                if (known(sequence).owner == owner && known(sequence).status == Status.OPEN) {
                    known(sequence).status = Status.ABORTED;
                }
            }
            owner.closed = true;
            owner.lost.clear();
        } else if (program.tracked()) {
            check(
                    aborted == (hi - lo + 1) * unit || (cut && aborted >= 0 && aborted < (hi - lo + 1) * unit),
                    "abort of %s, tracked: %s",
                    owner,
                    thrown == null ? aborted : thrown);
            meets(Feature.IN_STEAD);
            if (program.single()) {
                owner.lost.clear();
            }
            for (long sequence = lo; sequence <= hi; sequence++) {
                Slot slot = known(sequence);
                slot.status = Status.ABORTED;
                slot.lost = true;
                owner.lost.add(sequence);
            }
        } else {
            check(thrown != null, "abort of %s, which lives, is accepted", owner);
        }
        moveContiguous();
    }

    // ends

    private Ring.Leftover expectedLeftover() {
        long unhandled = 0;
        int open = 0;
        long from = isUngated() ? claimed() - capacity : Math.max(minGate(), claimed() - capacity);
        for (long sequence = Math.max(-1, from) + 1; sequence <= claimed(); sequence++) {
            unhandled += known(sequence).status == Status.LIVE ? 1 : 0;
            open += known(sequence).status == Status.OPEN ? 1 : 0;
        }
        if (isUngated()) {
            unhandled = 0;
        }
        int producers = 0;
        if (program.single()) {
            Prod last = current;
            producers = last == null || last.closed || (last.owner != NOBODY && !alive(last.owner))
                    ? 0
                    : state == State.RUNNING || !(last.acknowledged || last.owner == NOBODY || last.owner == here)
                            ? 1
                            : 0;
        } else if (state == State.RUNNING) {
            for (Prod prod : prods) {
                producers += prod.closed || (prod.owner != NOBODY && !alive(prod.owner)) ? 0 : 1;
            }
        }
        return new Ring.Leftover(unhandled, open, producers, "", List.of());
    }

    private void checkLeftover(String call, Ring.Leftover left) {
        Ring.Leftover expected = expectedLeftover();
        check(
                left.unhandled() == expected.unhandled()
                        && left.openClaims() == expected.openClaims() * unit
                        && left.openProducers() == expected.openProducers(),
                "%s: %s, the model has %s",
                call,
                left,
                expected);
        check(
                left.slowest().isEmpty() == (left.unhandled() + left.openClaims() == 0) || present.isEmpty(),
                "%s: slowest of %s",
                call,
                left);
    }

    /**
     * Drains it.
     *
     * @param how without a limit, with one, or, if it is 3, with one that an interrupt ends
     */
    private void drain(int how) {
        if (inHandlerHere()) {
            checkRefusedInHandler("drain", () -> ring.drain(how));
            return;
        }
        if (state == State.RUNNING) {
            state = State.DRAINING;
        }
        Ring.Leftover expected = expectedLeftover();
        boolean interrupts = how == 3;
        boolean own = !hasEnded()
                && expected.unhandled() + expected.openClaims() > 0
                && ownHasEventsBefore()
                && how != 0
                && !interrupts;
        long limit = how == 0 ? 0 : interrupts || own || expected.isNone() || hasEnded() ? A_DAY : SHORT;
        Ring.Leftover left = null;
        Throwable thrown = null;
        boolean interrupted;
        if (interrupts) {
            Thread.currentThread().interrupt();
        }
        try {
            left = ring.drain(limit);
        } catch (IllegalStateException refused) {
            thrown = refused;
        } finally {
            interrupted = Thread.interrupted();
        }
        say("drain(%d%s): %s", limit, interrupts ? ", interrupted" : "", left == null ? thrown : left);
        check(interrupted == interrupts, "drain, interrupted %s: it is %s then", interrupts, interrupted);
        meets(Feature.DRAIN);
        if (own) {
            check(
                    thrown != null
                            && !(thrown instanceof RingException)
                            && String.valueOf(thrown.getMessage()).contains("wait for itself"),
                    "drain that would wait for itself: %s",
                    left == null ? thrown : left);
            return;
        }
        if (left == null) {
            check(
                    state == State.FAILED
                            && thrown instanceof RingFailedException
                            && Objects.requireNonNull(thrown).getCause() == cause,
                    "drain refused: %s",
                    thrown);
            return;
        }
        check(state != State.FAILED, "drain says %s though the ring has failed", left);
        checkLeftover("drain", left);
        if (limit > 0 && !left.isNone()) {
            meets(Feature.DRAIN_LIMIT);
        }
    }

    /** Drains it, and takes further steps of the program meanwhile. In the end the thread is interrupted, unless the drain is over before. */
    private void drainWhileOthersGoOn(int most) {
        if (inHandlerHere()) {
            checkRefusedInHandler("drain", () -> ring.drain(A_DAY));
            return;
        }
        if (state == State.RUNNING) {
            state = State.DRAINING;
        }
        int[] steps = {most};
        int[] late = {0};
        say("drain ...");
        meanwhile = () -> {
            if (isDrainOver()) {
                check(late[0]++ < MOST_LATE_LOOKS, "drain waits on: the ring is %s, left is nothing", state);
                return;
            }
            if (steps[0]-- > 0 && next < program.ops().size()) {
                nested(1);
                if (!gates.isEmpty()) {
                    return; // the drain looks at a gate once more, which calls this again
                }
            }
            Thread.currentThread().interrupt();
        };
        Ring.Leftover left = null;
        Throwable thrown = null;
        boolean interrupted;
        try {
            left = ring.drain(A_DAY);
        } catch (IllegalStateException refused) {
            thrown = refused;
        } finally {
            meanwhile = null;
            interrupted = Thread.interrupted();
        }
        say("drain: %s", left == null ? thrown : left);
        meets(Feature.DRAIN);
        if (left != null) {
            check(
                    left.isNone() ? expectedLeftover().isNone() : interrupted || state == State.CLOSED,
                    "drain of a ring that is %s, interrupted %s: %s, the model has %s",
                    state,
                    interrupted,
                    left,
                    expectedLeftover());
        } else if (thrown instanceof RingFailedException) {
            check(state == State.FAILED && thrown.getCause() == cause, "drain of a ring that is %s: %s", state, thrown);
        } else {
            check(
                    String.valueOf(Objects.requireNonNull(thrown).getMessage()).contains("wait for itself")
                            && ownHasEventsBefore(),
                    "drain refused: %s",
                    thrown);
        }
    }

    /** Whether nothing is left, or nobody can do it but who waits. */
    private boolean isDrainOver() {
        Ring.Leftover left = expectedLeftover();
        return left.isNone() || hasEnded() || (left.unhandled() + left.openClaims() > 0 && ownHasEventsBefore());
    }

    private void checkRefusedInHandler(String call, Runnable body) {
        Throwable thrown = null;
        try {
            body.run();
        } catch (IllegalStateException refused) {
            thrown = refused;
        }
        say("%s in a handler: %s", call, thrown);
        check(thrown != null, "%s in a handler is accepted", call);
    }

    private void close(boolean withLimit) {
        if (inHandlerHere()) {
            checkRefusedInHandler("close", withLimit ? () -> ring.close(Duration.ZERO) : ring::close);
            return;
        }
        if (!hasEnded()) {
            state = State.CLOSED;
        }
        if (withLimit) {
            Ring.Leftover left = pipeline.close(Duration.ZERO);
            say("close(0 s): %s", left);
            checkLeftover("close", left);
            check(left.running().isEmpty(), "close: %s runs, and the pipeline has no threads", left.running());
            meets(Feature.CLOSE_LIMIT);
        } else {
            say("close()");
            ring.close();
            meets(Feature.CLOSE);
        }
        for (Node node : present) {
            node.haltAsked = true;
            node.ended |= node.type == Node.Type.POLLER || !started;
        }
        started = true;
    }

    private void await(Op op) {
        long sequence = Math.max(0, claimed() - op.a() % (2 * capacity) + 1);
        boolean own = op.b() % 2 != 0 && ownIsBefore(Math.min(sequence, contiguous));
        long limit = op.b() % 2 == 0 ? 0 : own ? LONG : SHORT; // LONG: the refusal comes at once
        if (inHandlerHere()) {
            checkRefusedInHandler("awaitHandled", () -> pipeline.awaitHandled(first(sequence), limit));
            return;
        }
        boolean result = false;
        Throwable thrown = null;
        try {
            result = pipeline.awaitHandled(op.c() % 2 == 0 ? first(sequence) : last(sequence), limit);
        } catch (IllegalStateException refused) {
            thrown = refused;
        }
        String answer = thrown == null ? Boolean.toString(result) : thrown.toString();
        say("awaitHandled(%d, %d ns): %s", sequence, limit, answer);
        meets(Feature.AWAIT);
        boolean refused = answer.contains("wait for itself");
        if (isUngated() || minGate() >= sequence) {
            check(thrown == null && result, "awaitHandled(%d): %s", sequence, answer);
        } else if (refused || (own && !hasEnded())) {
            check(refused && own, "awaitHandled(%d), its own consumer before it %s: %s", sequence, own, answer);
        } else if (state == State.FAILED) {
            check(
                    thrown instanceof RingFailedException,
                    "awaitHandled(%d) on a ring that has failed: %s",
                    sequence,
                    answer);
        } else {
            check(thrown == null && !result, "awaitHandled(%d): %s", sequence, answer);
        }
    }

    /** The watchdog looks, after some time in which nothing ran. */
    private void lookOfTheWatchdog(Op op) {
        watchdogTime += op.b() % 4 * WATCHDOG_NANOS / 2;
        boolean tells = false;
        long gate = isUngated() ? Long.MAX_VALUE : minGate();
        if (contiguous <= gate && waiting == 0) { // who waits for room is work to do
            standsStill = false;
        } else if (!standsStill || gate != stoodAt) {
            standsStill = true;
            toldOfStanding = false;
            stoodAt = gate;
            stoodSince = watchdogTime;
        } else if (!toldOfStanding && watchdogTime - stoodSince >= WATCHDOG_NANOS) {
            toldOfStanding = true;
            tells = true;
        }
        String text = WatchdogLooks.look(watchdog, ring, watchdogTime);
        say("the watchdog looks: %s", text == null ? "nothing to tell" : text);
        check((text != null) == tells, "the watchdog tells %s; standing at %d of %d", text, gate, contiguous);
        check(
                text == null || text.startsWith("ring " + ring.name() + " has stood still"),
                "the watchdog tells %s",
                text);
        meets(Feature.WATCHDOG);
    }

    /** Whether this thread runs a consumer that has not finished a sequence. */
    private boolean ownIsBefore(long sequence) {
        for (Node node : present) {
            if (node.runner == here && !node.ended && node.progress() < sequence) {
                return true;
            }
        }
        return false;
    }

    /** Whether who drains runs a consumer that must take a step for the drain to end: it is behind, and aborted claims are not all that it has before it. */
    private boolean ownHasEventsBefore() {
        for (Node node : present) {
            if (node.runner == here && !node.ended && node.progress() < contiguous && isLiveBehind(node.progress())) {
                return true;
            }
        }
        return false;
    }

    private boolean isLiveBehind(long sequence) {
        for (long next = Math.max(sequence, claimed() - capacity) + 1; next <= claimed(); next++) {
            if (known(next).status == Status.LIVE) {
                return true;
            }
        }
        return false;
    }

    // after each step

    /** Those that were to leave, and whose threads have ended, leave once anybody looks what is left, but from no closed ring. */
    private void leaveBehind() {
        ring.leftover();
        for (Node node : List.copyOf(present)) {
            if (node.leaving && node.consumer != null && node.runner != NOBODY && !alive(node.runner)) {
                boolean here = pipeline.consumers().contains(node.consumer());
                check(
                        !here || node.isWorker() || state == State.CLOSED,
                        "%s should have left: its thread has ended",
                        node);
                if (!here) {
                    leave(node);
                }
            }
        }
    }

    private void checkAll() {
        leaveBehind();
        check(ring.state() == state, "the ring is %s (%s), the model %s", ring.state(), ring.failure(), state);
        check(ring.failure() == cause, "failure %s, not %s", ring.failure(), cause);
        check(
                ring.cursor().get() == last(contiguous),
                "cursor %d, not %d",
                ring.cursor().get(),
                contiguous);
        for (Node node : nodes) {
            ConsumerHandle consumer = node.consumer;
            if (consumer == null) {
                continue;
            }
            if (running.contains(node)) {
                sync(node);
            }
            if (!node.isWorker()) {
                check(
                        consumer.sequence().get() == last(node.progress),
                        "%s is at %d, not %d",
                        node,
                        consumer.sequence().get(),
                        node.progress);
            }
            State expected = node.failed ? State.FAILED : node.ended ? State.CLOSED : state;
            check(
                    consumer.state() == expected || running.contains(node),
                    "%s is %s, not %s",
                    node,
                    consumer.state(),
                    expected);
        }
        checkLeftover("leftover", ring.leftover());
        long failures = nodes.stream().filter(node -> node.failed).count() + failedTwice;
        check(
                reports <= failures && (reports == failures || depth > 0),
                "%d reports of %d failures",
                reports,
                failures);
        check(pipeline.consumers().size() == present.size(), "consumers %s, not %s", pipeline.consumers(), present);
    }

    // the end of the program

    private void end() throws Exception {
        say("-- the end: all is closed, resumed, and run");
        for (Prod prod : prods) {
            if (!prod.closed) {
                onThread(alive(prod.owner) ? Math.max(prod.owner, MAIN) : here, () -> closeProducer(prod));
            }
        }
        throwWrong();
        checkAll();
        for (Node node : nodes) {
            node.arms.removeIf(arm -> arm.deed() == Deed.NEST);
            if (!node.left && node.consumer != null) {
                node.consumer().resume();
                node.paused = false;
            }
        }
        boolean again = started;
        for (int rounds = 0; again; rounds++) {
            check(rounds < 10_000, "the consumers never finish");
            again = false;
            boolean ranAll = false;
            for (Node node : List.copyOf(present)) {
                if ((node.poller != null || node.processor != null) && !(node.invoked && ranAll)) {
                    ranAll |= node.invoked;
                    again |= runHere(node, 4);
                    again |= node.outcome == Outcome.THREW || node.outcome == Outcome.PARTIAL;
                    throwWrong();
                    checkAll();
                }
            }
        }
        for (Node node : present) {
            check(
                    node.ended || !started || node.progress() >= available(node),
                    "%s stopped at %d of %d",
                    node,
                    node.progress(),
                    available(node));
        }
        check(contiguous == claimed(), "published %d of %d", contiguous, claimed());
        if (state == State.RUNNING || state == State.DRAINING) {
            drain(0);
            throwWrong();
        }
        close((program.salt() & 1) == 1);
        checkAll();
        if (invoked != null) {
            runAll();
            check(invoked.isDone(), "all that the caller ran is closed, and not done");
        }
        for (Node node : nodes) {
            if (node.processor != null && node.type != Node.Type.POLLER) {
                running.push(node);
                node.depth++;
                node.runner = here;
                node.processor.doWork();
                node.processor.onClose();
                node.depth--;
                running.pop();
                throwWrong();
                check(node.processor.isDone(), "%s is not done", node);
                check(node.shutDown || !node.type.tellsOfItsEnd() || leftUnbegun(node), "%s: no onShutdown", node);
            }
        }
    }
}
