package io.sluice.ringbuffer.product;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingException;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.monitor.Watchdog;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventClearer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Join;
import io.sluice.ringbuffer.pipeline.MessageKey;
import io.sluice.ringbuffer.pipeline.NewConsumer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import io.sluice.ringbuffer.pipeline.SlotClearer;
import io.sluice.ringbuffer.pipeline.SlotKey;
import io.sluice.ringbuffer.pipeline.Stage;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.logging.Logger;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The product of the ring's features with real threads: consumers of all kinds on threads and polled, producers that claim in
 * every form, abort, die with an open claim, publish where the stack ends; consumers that join, several at once, leave, pause and
 * fail meanwhile; and an end by drain, by close or by a failure. What holds whoever is quicker: each consumer gets each live event
 * behind its join point once, in order, with its content, not before its upstream; no event that was aborted; after a drain
 * nothing is left; no joiner is refused for a name; nobody hangs.
 */
@Tag("concurrency")
@Timeout(value = 1, unit = TimeUnit.HOURS) // a watchdog for each case
class ProductThreadsTest {
    private static final long HANGS = TimeUnit.SECONDS.toNanos(60);
    private static final int EVENTS = 400;
    private static final int CHANGES = 12;
    private static final int ABORTED = 1;
    private static final int LIVE = 2;

    /** Held, so that nobody forgets that it is quiet: the watchdogs tell of each pause. */
    private static final Logger LOG = Logger.getLogger("io.sluice.ringbuffer");

    @BeforeAll
    static void theLogIsQuiet() {
        LOG.setUseParentHandlers(false);
    }

    @AfterAll
    static void theLogIsHeard() {
        LOG.setUseParentHandlers(true);
    }

    /** What is loaded and linked for the first time where the stack ends may be broken for good. */
    @BeforeAll
    static void publicationsAreLinked() {
        for (Item.Kind kind : Item.Kind.values()) {
            for (boolean single : new boolean[] {true, false}) {
                for (boolean tracked : new boolean[] {true, false}) {
                    link(kind, single, tracked);
                }
            }
        }
    }

    private static void link(Item.Kind kind, boolean single, boolean tracked) {
        RingBufferBuilder<Object> builder = Item.ring(kind, 8).consumersIdle(SignalledIdle::exact);
        if (single) {
            builder.singleProducer();
        }
        if (tracked) {
            builder.trackClaims();
        }
        RingBuffer<Object> ring = builder.build();
        Pipeline<Object> pipeline = Pipeline.on(ring);
        EventHandler<Object> quiet = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("quiet", quiet));
        pipeline.start();
        MessageProducer sender = kind == Item.Kind.MESSAGES ? sender(ring) : null;
        Producer<Object> producer = sender == null ? ring.producer() : null;
        for (int i = 0; i < 4; i++) {
            LockSupport.parkNanos(1_000_000); // the consumer parks, most likely
            if (producer != null) {
                producer.publish(producer.next());
            } else if (sender != null) {
                sender.commit(sender.tryClaim(1, Item.MESSAGE_LENGTH));
            }
        }
        assertThat(ring.drain(HANGS).openClaims()).isZero();
        assertThat(pipeline.close(Duration.ofNanos(HANGS)).running()).isEmpty();
    }

    /** A step is an event that is published. */
    @Test
    void everyCaseHoldsWhoeverIsQuicker() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, EVENTS), program -> {
                    Case one = new Case(program.seed(), program.size());
                    try {
                        one.run();
                    } catch (Exception | AssertionError failure) {
                        throw failure instanceof InterruptedException
                                ? failure
                                : new AssertionError(failure + "\n" + one.described, failure);
                    }
                    return program.size();
                })
                .budget("io.sluice.product.events", 40 * EVENTS)
                .run();
    }

    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1;

        Planned() {
            super("planned", null, false, false);
        }
    }

    /** Fails the ring. */
    private static final class Fatal extends RuntimeException {
        private static final long serialVersionUID = 1;

        Fatal() {
            super("planned, fatal", null, false, false);
        }
    }

    /** What a consumer got; written by its thread, or by the threads of its stage. */
    private static final class Got implements EventHandler<Object> {
        final Case of;
        final String name;
        final List<Got> upstream;
        /** Who has joined before it. */
        final List<Got> ahead = new CopyOnWriteArrayList<>();

        final List<Long> events = new ArrayList<>();
        final int failsOneIn;
        final boolean extend;
        int part;
        int parts = 1;
        long failedAt = -1;
        boolean worker;
        volatile boolean leaves;

        @Nullable
        ConsumerHandle consumer;

        Got(Case of, String name, List<Got> upstream, int failsOneIn, boolean extend) {
            this.of = of;
            this.name = name;
            this.upstream = upstream;
            this.failsOneIn = failsOneIn;
            this.extend = extend;
        }

        @Override
        public boolean extendsBatch() {
            return extend;
        }

        private void checkMessage(Messages all, long sequence) {
            int length = all.length(sequence);
            long value = all.buffer().getLong(all.offset(sequence));
            boolean good = length == all.type(sequence);
            for (int i = Long.BYTES; good && i < length; i++) {
                good = all.buffer().getByte(all.offset(sequence) + i) == (byte) (value + i);
            }
            if (good && parts > 1 && Math.floorMod(value, (long) parts) != part) {
                of.wrong("%s, part %d of %d, gets the key %d at %d", name, part, parts, value, sequence);
            }
            if (!good) {
                of.wrong(
                        "%s gets a message of %d bytes and type %d at %d that is not whole",
                        name, length, all.type(sequence), sequence);
            }
        }

        @Override
        public void onEvent(Object event, long sequence, boolean endOfBatch) {
            if (of.victim == this) {
                throw new Fatal();
            }
            if (failsOneIn > 0 && Math.floorMod(sequence * 31 + part, failsOneIn) == 0 && failedAt != sequence) {
                failedAt = sequence;
                throw new Planned();
            }
            if (event instanceof Messages all) {
                checkMessage(all, sequence);
            } else if (Item.value(event, sequence) != of.content(sequence)
                    || Item.sequence(event, sequence) != sequence) {
                of.wrong("%s gets another content at %d: %d", name, sequence, Item.value(event, sequence));
            }
            for (Got one : upstream) {
                ConsumerHandle before = one.consumer;
                if (before != null && !one.leaves && before.sequence().get() < sequence) {
                    of.wrong("%s gets %d before %s", name, sequence, one.name);
                }
            }
            for (Got one : ahead) {
                ConsumerHandle before = one.consumer;
                if (before != null
                        && !one.leaves
                        && sequence >= before.joinedFrom()
                        && before.sequence().get() < sequence) {
                    of.wrong("%s gets %d before %s, which joined before it", name, sequence, one.name);
                }
            }
            // a batch is never rewound here, so each comes once
            if (!worker && !events.isEmpty() && events.get(events.size() - 1) >= sequence) {
                of.wrong("%s gets %d behind %d", name, sequence, events.get(events.size() - 1));
            }
            events.add(sequence);
        }
    }

    /** A message's type is its length; each byte behind the first long follows from that. */
    private static void fillMessage(MutableDirectBuffer buffer, int offset, int length, long value) {
        buffer.putLong(offset, value);
        for (int i = Long.BYTES; i < length; i++) {
            buffer.putByte(offset + i, (byte) (value + i));
        }
    }

    private static final class Case {
        final SplittableRandom random;
        final long seed;
        final int events;
        final RingBuffer<Object> ring;
        final Pipeline<Object> pipeline;
        final ConcurrentHashMap<Long, Integer> status = new ConcurrentHashMap<>();
        final List<Got> all = new CopyOnWriteArrayList<>();
        final List<List<Got>> stages = new ArrayList<>();
        final List<Thread> threads = new CopyOnWriteArrayList<>();
        final AtomicReference<Throwable> wrong = new AtomicReference<>();
        final AtomicInteger joiners = new AtomicInteger();
        final List<Got> joined = new CopyOnWriteArrayList<>();
        /** Who has left, or was asked to. */
        final List<Got> left = new CopyOnWriteArrayList<>();

        final boolean single;
        final boolean tracked;
        final boolean bytes;
        final boolean messages;
        final int capacity;
        final int window;
        final @Nullable Watchdog watchdog;
        final long started = System.nanoTime();
        volatile boolean producing = true;
        volatile boolean polling = true;
        /** Who fails the ring with its next event. */
        volatile @Nullable Got victim;

        String described;

        Case(long seed, int events) {
            this.events = events;
            this.seed = seed;
            random = new SplittableRandom(seed);
            single = random.nextBoolean();
            tracked = random.nextInt(3) == 0;
            messages = random.nextInt(3) == 0;
            capacity = Math.max(messages ? 4 : 1, 1 << random.nextInt(7));
            int retain = random.nextInt(3) == 0 && !messages ? random.nextInt(capacity) : 0;
            window = capacity - retain;
            int idle = random.nextInt(3);
            bytes = random.nextInt(2) == 0 && !messages;
            Item.Kind kind = messages ? Item.Kind.MESSAGES : bytes ? Item.Kind.BYTES : Item.Kind.OBJECTS;
            RingBufferBuilder<Object> builder = Item.ring(kind, capacity).retain(retain);
            if (single) {
                builder.singleProducer();
            }
            if (tracked) {
                builder.trackClaims();
            }
            if (idle > 0) {
                builder.consumersIdle(idle == 1 ? SignalledIdle::timed : SignalledIdle::exact);
            }
            ring = builder.build();
            pipeline = Pipeline.on(ring);
            pipeline.errorHandler(report -> {}); // what is left by close is no news here
            boolean backsOff = random.nextBoolean();
            pipeline.pollBackOff(backsOff);
            // looks four times a millisecond; it tells of a pause, at the most
            watchdog = random.nextInt(3) == 0
                    ? Watchdog.on(ring).after(Duration.ofMillis(1)).start()
                    : null;
            described = "ring of " + capacity + (single ? ", single" : ", multi") + (tracked ? ", tracked" : "")
                    + (messages ? ", of messages" : bytes ? ", of bytes" : "")
                    + ", retains " + retain + ", idle " + idle
                    + (backsOff ? "" : ", no poll back-off") + (watchdog == null ? "" : ", watchdog");
        }

        long content(long sequence) {
            return (sequence + seed) * 0x9E3779B97F4A7C15L;
        }

        void wrong(String what, Object... arguments) {
            AssertionError error = new AssertionError(String.format(Locale.ROOT, what, arguments));
            wrong.compareAndSet(null, error);
            throw error;
        }

        Thread thread(String name, Body body) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            body.run();
                        } catch (Throwable t) {
                            wrong.compareAndSet(null, t);
                        }
                    },
                    name);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
            return thread;
        }

        void run() throws Exception {
            declare();
            pipeline.start();
            int producers = single ? 1 : 1 + random.nextInt(3);
            List<Thread> publishing = new ArrayList<>();
            for (int i = 0; i < producers; i++) {
                long own = random.nextLong();
                publishing.add(
                        thread("product-producer", () -> produce(new SplittableRandom(own), events / producers)));
            }
            boolean recovers = random.nextBoolean();
            if (recovers && !single) {
                publishing.add(thread("product-dies", this::die));
            }
            long own = random.nextLong();
            Thread recovering = thread("product-recovers", this::recover);
            int end = random.nextInt(8);
            boolean closes = end < 2;
            boolean fails = end == 2;
            described += closes ? ", closes" : fails ? ", fails" : "";
            long others = random.nextLong();
            boolean late = random.nextBoolean(); // changes go on beside the end
            Thread changing =
                    thread("product-changes", () -> change(new SplittableRandom(others), CHANGES - 4, () -> {}));
            change(new SplittableRandom(own), CHANGES, closes ? this::closeSoon : fails ? this::failSoon : () -> {});
            if (!late) {
                await("the changes", changing);
            }
            for (Thread thread : publishing) {
                await("the producers", thread);
            }
            producing = false;
            await("the recovery", recovering);
            if (!closes && !hasFailed()) {
                checkDrained();
            }
            polling = false;
            close();
            for (Thread thread : threads) {
                await("all threads", thread);
            }
            throwWrong();
            checkAll();
        }

        private void checkDrained() throws Exception {
            Ring.Leftover left;
            try {
                left = drained();
            } catch (RingFailedException failed) {
                if (victim == null) {
                    throw failed;
                }
                return;
            }
            assertThat(left != null && left.isNone())
                    .as("left after drain: %s", left)
                    .isTrue();
        }

        /** Whether it has failed, as it was asked to. */
        private boolean hasFailed() {
            return victim != null && ring.state() == State.FAILED;
        }

        /** Has one of the consumers that have a thread fail the ring, if one more event comes. */
        private void failSoon() {
            List<Got> present = present();
            present.removeIf(one -> one.name.equals("polled"));
            if (!present.isEmpty()) {
                victim = present.get(random.nextInt(present.size()));
            }
        }

        /** Closes while handlers may be running, with a limit or without. */
        private void closeSoon() {
            if (random.nextBoolean()) {
                ring.close();
                return;
            }
            for (String one : pipeline.close(Duration.ZERO).running()) {
                if (!one.startsWith("sluice-")) {
                    wrong("close(0 s): %s still runs", one);
                }
            }
        }

        /** Afterwards every thread of the pipeline has ended, and who is asked to leave has left. */
        private void close() {
            Ring.Leftover last = pipeline.close(Duration.ofNanos(HANGS));
            assertThat(last.running()).as("close: %s", last).isEmpty();
            assertThat(pipeline.consumers())
                    .as("after the close")
                    .allMatch(
                            one -> one.state() == State.CLOSED || (victim != null && one.state() == State.FAILED),
                            "is closed");
        }

        private Ring.@Nullable Leftover drained() throws Exception {
            Ring.Leftover left = null;
            while (System.nanoTime() - started < HANGS) {
                throwWrong();
                left = ring.drain(TimeUnit.MILLISECONDS.toNanos(100));
                if (left.isNone()) {
                    return left;
                }
            }
            return left;
        }

        private void await(String what, Thread thread) throws Exception {
            while (thread.isAlive()) {
                throwWrong();
                if (System.nanoTime() - started > HANGS) {
                    StringBuilder stack = new StringBuilder();
                    for (StackTraceElement one : thread.getStackTrace()) {
                        stack.append("\n    at ").append(one);
                    }
                    throw new AssertionError("waited in vain for " + what + ": " + thread + stack + "\n  "
                            + io.sluice.ringbuffer.monitor.RingMonitor.of(ring)
                                    .sample()
                                    .dump());
                }
                thread.join(50);
            }
        }

        private void throwWrong() {
            Throwable t = wrong.get();
            if (t != null) {
                throw new AssertionError(t.toString(), t);
            }
        }

        // the graph

        private Got got(String name, List<Got> upstream) {
            Got got = new Got(this, name, upstream, random.nextInt(4) == 0 ? 7 : 0, random.nextInt(4) == 0);
            all.add(got);
            return got;
        }

        private void declare() {
            Stage<Object> before = null;
            List<Got> upstream = List.of();
            int levels = 1 + random.nextInt(3);
            pipeline.onFailure(
                    (cause, event, sequence, attempt) -> cause instanceof Planned ? Action.RETRY_EVENT : Action.HALT);
            for (int level = 0; level < levels; level++) {
                int kind = random.nextInt(4);
                int chosen = kind;
                int count = 1 + random.nextInt(3);
                List<Got> stage = new CopyOnWriteArrayList<>(); // others join it
                for (int i = 0; i < count; i++) {
                    Got got = got("c" + level + "." + i, upstream);
                    got.part = i;
                    got.worker = chosen == 1;
                    got.parts = chosen == 2 ? count : 1;
                    stage.add(got);
                }
                @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
                NewConsumer<Object>[] consumers = new NewConsumer[count];
                for (int i = 0; i < count; i++) {
                    consumers[i] = pipeline.consumer(stage.get(i).name, stage.get(i));
                    if (random.nextInt(3) == 0) {
                        consumers[i].batchLimit(1 + random.nextInt(8));
                    }
                }
                before = switch (kind) {
                    case 1 ->
                        before == null
                                ? pipeline.handleEventsWithWorkerPool(consumers)
                                : before.thenWorkerPool(consumers);
                    case 2 ->
                        before == null
                                ? pipeline.handleEventsPartitionedBy(keys(), consumers)
                                : before.thenPartitionedBy(keys(), consumers);
                    default -> before == null ? pipeline.handleEventsWith(consumers) : before.then(consumers);
                };
                for (Got got : stage) {
                    got.consumer = pipeline.consumer(got);
                }
                stages.add(stage);
                upstream = stage;
                described += ", " + stage.size() + (kind == 1 ? " workers" : kind == 2 ? " parts" : " handlers");
            }
            if (random.nextInt(3) == 0) {
                Got got = got("polled", upstream);
                EventPoller<Object> poller = before == null ? pipeline.poller("polled") : before.thenPoller("polled");
                got.consumer = poller.consumer();
                stages.add(List.of(got));
                thread("product-polls", () -> poll(poller, got));
            }
            if (random.nextInt(3) == 0 && !messages) {
                pipeline.clearEventsWith(clears());
                described += ", clearing";
            }
        }

        @SuppressWarnings("unchecked") // events are Objects to the programs
        private ToLongFunction<Object> keys() {
            SlotKey ofSlot = (buffer, offset) -> buffer.getLong(offset + 16);
            MessageKey ofMessage = (type, buffer, offset, length) -> buffer.getLong(offset);
            if (messages) {
                return (ToLongFunction<Object>) (ToLongFunction<?>) ofMessage;
            }
            return bytes ? (ToLongFunction<Object>) (ToLongFunction<?>) ofSlot : Item::key;
        }

        @SuppressWarnings("unchecked") // events are Objects to the programs
        private EventClearer<Object> clears() {
            SlotClearer ofSlots = (buffer, offset, length) -> buffer.setMemory(offset, length, (byte) 0);
            return bytes ? (EventClearer<Object>) (EventClearer<?>) ofSlots : item -> Item.fill(item, 0, 0, 0);
        }

        private void poll(EventPoller<Object> poller, Got got) throws Exception {
            while (polling && !poller.isDone()) {
                try {
                    if (poller.poll(got::onEvent, 5) == 0) {
                        LockSupport.parkNanos(20_000);
                    }
                } catch (Planned again) {
                    // the event comes again
                }
            }
        }

        /** Others join, rest, go on and leave. Somewhere between, or behind all, something else happens. */
        private void change(SplittableRandom choice, int changes, Runnable other) throws Exception {
            int at = choice.nextInt(changes + 1);
            for (int i = 0; i < changes; i++) {
                if (i == at) {
                    other.run();
                }
                Got one = oneOf(choice);
                switch (choice.nextInt(6)) {
                    case 0, 1 -> joinAtOnce(choice, one);
                    case 2 -> {
                        if (one != null && one.consumer != null && mayLeave(one)) {
                            leave(choice, one.consumer);
                        }
                    }
                    case 3 -> {
                        if (one != null && one.consumer != null) {
                            one.consumer.pause();
                            LockSupport.parkNanos(choice.nextInt(200_000));
                            one.consumer.resume();
                        }
                    }
                    default -> LockSupport.parkNanos(choice.nextInt(300_000));
                }
                if (watchdog != null && !watchdog.dump().contains(ring.name())) {
                    wrong("the watchdog of another ring: %s", watchdog.dump());
                }
                throwWrong();
            }
            if (at == changes) {
                other.run();
            }
        }

        private List<Got> present() {
            List<Got> present = new ArrayList<>(joined);
            stages.forEach(present::addAll);
            present.removeAll(left);
            return present;
        }

        private @Nullable Got oneOf(SplittableRandom choice) {
            List<Got> present = present();
            return present.isEmpty() ? null : present.get(choice.nextInt(present.size()));
        }

        /** Whether it may be asked to leave, by nobody else then: one has to stay. */
        private synchronized boolean mayLeave(Got one) {
            List<Got> present = present();
            boolean may = one.parts == 1
                    && present.size() > 1
                    && present.contains(one)
                    && one != victim
                    && !one.name.equals("polled");
            if (may) {
                one.leaves = true; // first: nobody waits for it from some moment within the call on
                left.add(one);
            }
            return may;
        }

        private void leave(SplittableRandom choice, ConsumerHandle consumer) {
            if (choice.nextBoolean()) {
                Removal soon = consumer.remove(0);
                if (soon == Removal.NEVER && ring.state() != State.CLOSED) {
                    wrong("%s is asked to leave a ring that runs: %s", consumer.name(), soon);
                }
            }
            Removal removal = consumer.remove(Duration.ofNanos(HANGS));
            if (removal != Removal.LEFT && ring.state() != State.CLOSED) {
                wrong("%s is asked to leave: %s", consumer.name(), removal);
            }
        }

        /** One joins, or several at once, each beside another consumer. */
        private void joinAtOnce(SplittableRandom choice, @Nullable Got beside) throws Exception {
            List<Thread> others = new ArrayList<>();
            CountDownLatch go = new CountDownLatch(1);
            for (int i = choice.nextInt(2) * (1 + choice.nextInt(2)); i > 0; i--) {
                long own = choice.nextLong();
                others.add(thread("product-joins", () -> {
                    SplittableRandom its = new SplittableRandom(own);
                    go.await();
                    join(its, oneOf(its));
                }));
            }
            go.countDown();
            join(choice, beside);
            for (Thread other : others) {
                await("who joins", other);
            }
        }

        private void join(SplittableRandom choice, @Nullable Got beside) throws Exception {
            int where = choice.nextInt(4);
            Got got = new Got(
                    this,
                    "j" + joiners.incrementAndGet(),
                    where == 0 && beside != null && beside.consumer != null ? List.of(beside) : List.of(),
                    0,
                    choice.nextBoolean());
            Join<Object> join =
                    choice.nextBoolean() ? pipeline.join(got) : pipeline.join(pipeline.consumer(got.name, got));
            boolean shares = false;
            if (beside != null && beside.consumer != null) {
                switch (where) {
                    case 0 -> join.after(beside.consumer);
                    case 1 -> join.before(beside.consumer);
                    case 2 -> {
                        if (beside.worker) {
                            join.sharingWith(beside.consumer);
                            got.worker = true;
                            shares = true;
                        }
                    }
                    default -> {}
                }
            }
            boolean now = !shares && choice.nextInt(4) == 0;
            long published = now ? ring.cursor().get() : -1;
            if (now) {
                join.fromNow();
            } else if (!shares && !messages && choice.nextInt(3) == 0) {
                join.from(Math.max(0, ring.cursor().get() + 1 - choice.nextInt(3)));
            }
            try {
                got.consumer = join.start(TimeUnit.SECONDS.toNanos(20));
            } catch (IllegalArgumentException | IllegalStateException refused) {
                if (String.valueOf(refused.getMessage()).startsWith("name ")) {
                    wrong("%s is refused: %s", got.name, refused);
                }
                return; // a sequence that is held no more, a consumer that has left, a circle, the end of the ring
            } catch (TimeoutException e) {
                if (ring.state() == State.RUNNING) {
                    throw e;
                }
                return;
            }
            if (now && got.consumer.joinedFrom() <= published) {
                wrong("%s joined from now, at %d behind %d", got.name, got.consumer.joinedFrom(), published);
            }
            all.add(got);
            if (where == 1 && beside != null && !beside.worker) {
                beside.ahead.add(got);
            }
            if (shares && beside != null) {
                for (List<Got> stage : stages) {
                    if (stage.contains(beside)) {
                        stage.add(got);
                        return;
                    }
                }
            }
            joined.add(got);
        }

        // producers

        private void produce(SplittableRandom choice, int events) {
            if (messages) {
                send(choice, events);
                return;
            }
            Producer<Object> producer = producer();
            if (producer == null) {
                return;
            }
            int done = 0;
            try {
                while (done < events) {
                    try {
                        publish(producer, choice);
                    } catch (ClaimAbortedException lost) {
                        // it was slow, and another aborted it: that is allowed on a ring that tracks claims
                        if (!tracked) {
                            throw lost;
                        }
                    }
                    done++;
                }
            } catch (RingException ended) {
                throwUnlessEnded(ended);
            } finally {
                producer.close();
            }
        }

        private void throwUnlessEnded(RingException ended) {
            if (ring.state() == State.RUNNING || (ring.state() == State.FAILED && !hasFailed())) {
                throw ended;
            }
        }

        /** A producer of the calling thread; null if the ring ended before this thread began. */
        private @Nullable Producer<Object> producer() {
            try {
                return ring.producer();
            } catch (RingException ended) {
                throwUnlessEnded(ended);
                return null;
            }
        }

        private void publish(Producer<Object> producer, SplittableRandom choice) {
            int n = 1 + choice.nextInt(Math.min(4, window));
            switch (choice.nextInt(6)) {
                case 0 -> {
                    boolean fails = choice.nextInt(8) == 0;
                    try {
                        long sequence = producer.publishEvent((item, at) -> {
                            fill(item, at);
                            if (fails) {
                                status.put(at, ABORTED);
                                throw new Node.PlannedError();
                            }
                        });
                        status.put(sequence, LIVE);
                    } catch (Node.PlannedError planned) {
                        // what its translator could not fill is aborted
                    }
                }
                case 1 -> {
                    long sequence = producer.tryPublishEvent((item, at, value) -> fill(item, at), 0L);
                    if (sequence >= 0) {
                        status.put(sequence, LIVE);
                    }
                }
                case 2 -> settle(producer, choice, producer.tryNextUpTo(n));
                case 3 -> settle(producer, choice, producer.next(n, 100_000));
                case 4 -> settle(producer, choice, producer.tryNext(n));
                default -> {
                    long hi = producer.publishEvents((item, at, i) -> fill(item, at), n);
                    for (long at = hi - n + 1; at <= hi; at++) {
                        status.put(at, LIVE);
                    }
                }
            }
        }

        private void settle(Producer<Object> producer, SplittableRandom choice, long hi) {
            if (hi < 0) {
                return;
            }
            long lo = producer.claimedFrom();
            boolean abort = choice.nextInt(5) == 0;
            try {
                for (long at = lo; at <= hi; at++) {
                    fill(producer.get(at), at);
                    status.put(at, abort ? ABORTED : LIVE);
                }
                if (abort) {
                    producer.abort(lo, hi);
                } else if (lo == hi && choice.nextInt(8) == 0) {
                    publishAtTheEndOfTheStack(choice, hi, () -> producer.publish(hi));
                } else {
                    producer.publish(lo, hi);
                }
            } catch (ClaimAbortedException lost) {
                for (long at = lo; at <= hi; at++) {
                    status.remove(at); // either, by part
                }
            }
        }

        /** Publishes where there is hardly any stack, and once more if that was cut off. */
        private void publishAtTheEndOfTheStack(SplittableRandom choice, long sequence, Runnable publish) {
            if (EndOfStack.cutsOff(choice.nextInt(48), choice.nextInt(8), publish)) {
                try {
                    publish.run();
                } catch (IllegalArgumentException published) {
                    if (tracked) { // or it was aborted by another, and that news was cut off
                        status.remove(sequence);
                    } // else only what follows was cut off
                }
            }
        }

        private void fill(Object item, long sequence) {
            Item.fill(item, sequence, content(sequence), sequence % 3);
        }

        // producers of messages

        private @Nullable MessageProducer sender() {
            try {
                return ProductThreadsTest.sender(ring);
            } catch (RingException ended) {
                throwUnlessEnded(ended);
                return null;
            }
        }

        private void send(SplittableRandom choice, int messages) {
            MessageProducer sender = sender();
            if (sender == null) {
                return;
            }
            try {
                for (int i = 0; i < messages; i++) {
                    long result = Producer.FULL;
                    try {
                        result = sendOne(sender, choice);
                    } catch (ClaimAbortedException lost) {
                        if (!tracked) {
                            throw lost;
                        }
                    }
                    if (result == Producer.CLOSED || (result == Producer.FAILED && hasFailed())) {
                        return;
                    } else if (result < 0 && result != Producer.FULL && result != Producer.TIMED_OUT) {
                        wrong("a message is answered by %s", Producer.resultName(result));
                    }
                }
            } finally {
                sender.close();
            }
        }

        private int length(MessageProducer sender, SplittableRandom choice) {
            return Long.BYTES + choice.nextInt(sender.maxLength() - Long.BYTES + 1);
        }

        private SafeBuffer message(int length, long value) {
            SafeBuffer message = SafeBuffer.allocate(length);
            fillMessage(message, 0, length, value);
            return message;
        }

        private long sendOne(MessageProducer sender, SplittableRandom choice) {
            int length = length(sender, choice);
            long value = choice.nextLong();
            long sequence;
            switch (choice.nextInt(6)) {
                case 0 -> sequence = sender.offer(length, message(length, value), 0, length, HANGS);
                case 1 -> sequence = sender.offer(length, message(length, value), 0, length);
                case 2 -> {
                    SafeBuffer whole = message(length, value);
                    sequence = sender.offerParts(
                            length, new SafeBuffer(whole, 0, 5), new SafeBuffer(whole, 5, length - 5));
                }
                case 3 -> {
                    // side by side: the one behind begins where this ends
                    sequence = sender.offerAll(Long.BYTES, message(Long.BYTES, value));
                }
                case 4 -> {
                    sequence = sender.claim(length, length, 100_000);
                    settleMessage(sender, choice, sequence, length, value);
                    return sequence;
                }
                default -> {
                    sequence = sender.tryClaim(length, length);
                    settleMessage(sender, choice, sequence, length, value);
                    return sequence;
                }
            }
            if (sequence >= 0) {
                status.put(sequence, LIVE);
            }
            return sequence;
        }

        private void settleMessage(
                MessageProducer sender, SplittableRandom choice, long sequence, int length, long value) {
            if (sequence < 0) {
                return;
            }
            boolean abort = choice.nextInt(5) == 0;
            status.put(sequence, abort ? ABORTED : LIVE);
            fillMessage(sender.buffer(), sender.offset(sequence), length, value);
            try {
                if (abort) {
                    sender.abort(sequence);
                } else if (choice.nextInt(8) == 0) {
                    publishAtTheEndOfTheStack(choice, sequence, () -> sender.commit(sequence));
                } else {
                    sender.commit(sequence);
                }
            } catch (ClaimAbortedException lost) {
                status.put(sequence, ABORTED);
                throw lost;
            }
        }

        /** Claims, and ends with the claim open. */
        private void dieSending() {
            MessageProducer sender = sender();
            if (sender == null) {
                return;
            }
            long sequence = sender.tryClaim(1, Long.BYTES);
            if (sequence >= 0) {
                status.put(sequence, ABORTED);
            } else {
                sender.close();
            }
        }

        /** Claims, and ends with the claim open. */
        private void die() {
            if (messages) {
                dieSending();
                return;
            }
            Producer<Object> producer = producer();
            if (producer == null) {
                return;
            }
            long hi = producer.tryNextUpTo(Math.min(2, window));
            if (hi >= 0) {
                for (long at = producer.claimedFrom(); at <= hi; at++) {
                    status.put(at, ABORTED);
                }
            } else {
                producer.close();
            }
        }

        private void recover() {
            StalledClaimDetector watch = StalledClaimDetector.of(ring);
            while (producing || ring.leftover().openClaims() > 0) {
                if (ring.state() == State.CLOSED || hasFailed()) {
                    return;
                }
                AbandonedClaim claim = watch.look(1_000_000);
                if (claim != null) {
                    try {
                        claim.abort();
                    } catch (IllegalStateException refused) {
                        // of a thread that lives: it will publish
                    }
                }
                LockSupport.parkNanos(100_000);
            }
        }

        // the end

        private void checkAll() {
            for (List<Got> stage : stages) {
                if (stage.stream().anyMatch(got -> left.contains(got)) && !stage.get(0).worker) {
                    stage.forEach(got -> checkOne(got));
                    continue;
                }
                if (stage.get(0).worker) {
                    List<Long> together = new ArrayList<>();
                    stage.forEach(got -> together.addAll(got.events));
                    together.sort(null);
                    checkEvents(stage.get(0).name + " and others", together, 0, progress(stage.get(0)), true);
                } else {
                    stage.forEach(this::checkOne);
                    if (stage.get(0).parts > 1) {
                        checkParts(stage);
                    }
                }
            }
            joined.forEach(this::checkOne);
        }

        /** Each event is one part's. */
        private void checkParts(List<Got> stage) {
            List<Long> together = new ArrayList<>();
            stage.forEach(got -> together.addAll(got.events));
            together.sort(null);
            long to = stage.stream().mapToLong(this::progress).min().orElse(-1);
            checkEvents(stage.get(0).name + " and the other parts", together, 0, to, true);
        }

        private long progress(Got got) {
            ConsumerHandle consumer = got.consumer;
            return consumer == null ? -1 : consumer.sequence().get();
        }

        private void checkOne(Got got) {
            ConsumerHandle consumer = got.consumer;
            if (consumer != null && !got.worker) {
                checkEvents(got.name, got.events, consumer.joinedFrom(), progress(got), got.parts == 1);
            }
        }

        private void checkEvents(String name, List<Long> events, long from, long to, boolean every) {
            for (int i = 1; i < events.size(); i++) {
                if (events.get(i) <= events.get(i - 1)) {
                    wrong("%s got %d behind %d", name, events.get(i), events.get(i - 1));
                }
            }
            for (long event : events) {
                if (event < from || Integer.valueOf(ABORTED).equals(status.get(event))) {
                    wrong("%s got %d, which is %s; it joined from %d", name, event, status.get(event), from);
                }
            }
            if (every) {
                java.util.Set<Long> got = new java.util.HashSet<>(events);
                for (long sequence = from; sequence <= to; sequence++) {
                    if (Integer.valueOf(LIVE).equals(status.get(sequence)) && !got.contains(sequence)) {
                        wrong("%s, at %d, did not get %d; it joined from %d", name, to, sequence, from);
                    }
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // events are Objects to the programs
    private static MessageProducer sender(RingBuffer<Object> ring) {
        return MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring);
    }

    @FunctionalInterface
    private interface Body {
        void run() throws Exception;
    }
}
