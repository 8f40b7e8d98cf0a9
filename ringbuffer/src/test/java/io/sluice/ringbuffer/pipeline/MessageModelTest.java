package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs over a ring of messages against a sequential model, on one thread: offers of all forms, claims that are committed,
 * aborted or closed, graphs, workers and pollers, handlers that fail under each policy or say how to go on, consumers that join and leave.
 * After each step: every message came with its type and its bytes, in order, to each consumer once; progress stands at the end of a record;
 * a claim is granted just where the model has room, and begins where the model says.
 */
@Tag("once")
@Timeout(60)
class MessageModelTest {
    private static final int STEPS = 200;

    @Test
    void everyCaseFollowsTheModel() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    new Case(program).run();
                    return program.size();
                })
                .budget("io.sluice.model.steps", 2_000 * STEPS)
                .run();
    }

    private static void check(boolean holds, String what, Object... arguments) {
        if (!holds) {
            throw new AssertionError(String.format(Locale.ROOT, what, arguments));
        }
    }

    /** What a handler of this test throws. */
    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1;

        Planned() {
            super("planned", null, false, false);
        }
    }

    /** A record of the model: a message, padding, or what was aborted. */
    private static final class Rec {
        final long first;
        final long next;
        final int type;
        final int length;
        final int seed;
        boolean live;
        boolean published;

        Rec(long first, long next, int type, int length, int seed) {
            this.first = first;
            this.next = next;
            this.type = type;
            this.length = length;
            this.seed = seed;
            this.live = type > 0;
        }

        byte at(int index) {
            return (byte) (seed + 31 * index);
        }
    }

    /** A producer and its open claim. */
    private static final class Source {
        final MessageProducer producer;
        final List<Rec> open = new ArrayList<>();

        Source(MessageProducer producer) {
            this.producer = producer;
        }
    }

    private static final class Case {
        final SeededProgram program;
        final int units;
        final boolean single;
        final RingBuffer<Messages> ring;
        final Messages messages;
        final Pipeline<Messages> pipeline;
        final TreeMap<Long, Rec> recs = new TreeMap<>();
        final List<Source> sources = new ArrayList<>();
        final List<Node> nodes = new ArrayList<>();
        final Map<Rec, Integer> shared = new HashMap<>(); // by the workers of the stage
        final @Nullable EventPoller<Messages> poller;
        final boolean mayHalt;

        long nextClaim;
        long polled;
        int names;

        @Nullable
        Throwable wrong;

        SplittableRandom random;

        Case(SeededProgram program) {
            this.program = program;
            random = program.random();
            int bytes = 64 << random.nextInt(7);
            units = bytes / 8;
            single = random.nextBoolean();
            mayHalt = random.nextInt(6) == 0;
            RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(bytes);
            ring = (single ? builder.singleProducer() : builder).build();
            messages = ring.get(0);
            pipeline = Pipeline.on(ring).errorHandler(told -> {});
            int shape = random.nextInt(5);
            switch (shape) {
                case 0 -> pipeline.handleEventsWith(plain());
                case 1 -> pipeline.handleEventsWith(plain()).then(controlled());
                case 2 -> pipeline.handleEventsWith(plain(), controlled()).then(plain());
                case 3 ->
                    pipeline.handleEventsWithWorkerPool(worker(), worker(), worker())
                            .then(controlled());
                default ->
                    pipeline.handleEventsWith(controlled())
                            .thenWorkerPool(worker(), worker())
                            .then(plain());
            }
            poller = random.nextBoolean() ? pipeline.poller("poller") : null;
            List<EventProcessor> processors = pipeline.startProcessors();
            for (int i = 0; i < processors.size(); i++) {
                nodes.get(i).processor = processors.get(i);
                processors.get(i).onStart(); // so that this thread runs it, for those who join
            }
            if (poller != null) {
                poll(poller);
            }
            for (int i = 0; i < (single ? 1 : 1 + random.nextInt(3)); i++) {
                sources.add(new Source(MessageProducer.of(ring)));
            }
        }

        // consumers to be

        NewConsumer<Messages> made(Node node, EventHandler<Messages> handler) {
            NewConsumer<Messages> made =
                    pipeline.consumer("c" + names++, handler).onFailure(node::decided);
            if (random.nextInt(3) == 0) {
                made.batchLimit(1 + random.nextInt(units));
            }
            node.made = made;
            nodes.add(node);
            return made;
        }

        NewConsumer<Messages> plain() {
            Node node = new Node(this, false, nodes.size());
            return made(node, new PlainHandler(node, random.nextInt(3) == 0));
        }

        NewConsumer<Messages> worker() {
            Node node = new Node(this, true, nodes.size());
            return made(node, new PlainHandler(node, false));
        }

        NewConsumer<Messages> controlled() {
            Node node = new Node(this, false, nodes.size());
            node.controlled = true;
            return made(node, new ChoosingHandler(node));
        }

        // steps

        void run() throws Exception {
            for (int step : program.steps()) {
                random = program.random(step);
                step();
                checkAll();
                if (ring.state() == State.FAILED) {
                    return;
                }
            }
            random = program.random(-1);
            for (Source source : sources) {
                close(source);
            }
            for (int round = 0; round < 4_000 && slowest() < nextClaim - 1; round++) {
                for (Node node : List.copyOf(nodes)) {
                    work(node);
                }
                if (poller != null) {
                    poll(poller);
                }
                checkAll();
                if (ring.state() == State.FAILED) {
                    return;
                }
            }
            Ring.Leftover left = ring.drain(0);
            check(left.isNone(), "all is handled, but left are %s", left);
            for (Node node : nodes) {
                check(
                        node.progress() == nextClaim - 1,
                        "%s is at %d of %d",
                        node.name(),
                        node.progress(),
                        nextClaim - 1);
            }
        }

        void step() throws Exception {
            Source source = sources.get(random.nextInt(sources.size()));
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3 -> offer(source, false);
                case 4 -> offer(source, true);
                case 5, 6, 7 -> claim(source);
                case 8, 9 -> settle(source);
                case 10 -> offerAll(source);
                case 11 -> {
                    close(source);
                    sources.set(sources.indexOf(source), new Source(MessageProducer.of(ring)));
                }
                case 12 -> join();
                case 13 -> leave();
                default -> work();
            }
        }

        int length() {
            int most = messages.maxLength();
            return random.nextInt(4) == 0 ? most - random.nextInt(Math.min(most + 1, 9)) : random.nextInt(most + 1);
        }

        /** The records of a claim, padding first; null where the model has no room. */
        @Nullable
        List<Rec> modelClaim(List<int[]> lengthsAndSeeds, int type) {
            int all = 0;
            for (int[] one : lengthsAndSeeds) {
                all += (one[0] + 15) / 8;
            }
            long at = nextClaim;
            int left = units - (int) (at % units);
            List<Rec> claimed = new ArrayList<>();
            if (all > left) {
                claimed.add(new Rec(at, at + left, 0, 0, 0));
                at += left;
            }
            for (int[] one : lengthsAndSeeds) {
                long next = at + (one[0] + 15) / 8;
                claimed.add(new Rec(at, next, type, one[0], one[1]));
                at = next;
            }
            return at - 1 > slowest() + units ? null : claimed;
        }

        void add(List<Rec> claimed, boolean published) {
            for (Rec rec : claimed) {
                rec.published = published;
                recs.put(rec.first, rec);
                nextClaim = rec.next;
            }
        }

        SafeBuffer filled(int length, int seed) {
            SafeBuffer buffer = SafeBuffer.allocate(length);
            for (int i = 0; i < length; i++) {
                buffer.putByte(i, (byte) (seed + 31 * i));
            }
            return buffer;
        }

        void expectRefused(Runnable call) {
            try {
                call.run();
            } catch (IllegalStateException refused) {
                return;
            }
            throw new AssertionError("a second claim was not refused");
        }

        void offer(Source source, boolean gathered) {
            int length = length();
            int seed = random.nextInt(256);
            int type = 1 + random.nextInt(5);
            int before = random.nextInt(4);
            SafeBuffer whole = filled(length, seed);
            SafeBuffer shifted = SafeBuffer.allocate(length + before + 3);
            shifted.putBytes(before, whole, 0, length);
            int cut = random.nextInt(length + 1);
            DirectBuffer[] parts = {
                new SafeBuffer(whole, 0, cut), SafeBuffer.allocate(0), new SafeBuffer(whole, cut, length - cut)
            };
            if (!source.open.isEmpty()) {
                expectRefused(() -> source.producer.offer(type, shifted, before, length));
                return;
            }
            List<Rec> expected = modelClaim(List.of(new int[] {length, seed}), type);
            long result = gathered
                    ? source.producer.offerParts(type, parts)
                    : source.producer.offer(type, shifted, before, length);
            granted(result, expected, true);
        }

        void granted(long result, @Nullable List<Rec> expected, boolean published) {
            if (expected == null) {
                check(result == Producer.FULL, "the model is full, but the result was %d", result);
                return;
            }
            Rec first = expected.get(0).live ? expected.get(0) : expected.get(1);
            check(result == first.first, "the claim is to be at %d, but was at %d", first.first, result);
            add(expected, published);
        }

        void claim(Source source) {
            int length = length();
            int type = 1 + random.nextInt(5);
            int seed = random.nextInt(256);
            if (!source.open.isEmpty()) {
                expectRefused(() -> source.producer.tryClaim(type, length));
                return;
            }
            List<Rec> expected = modelClaim(List.of(new int[] {length, seed}), type);
            long result = source.producer.tryClaim(type, length);
            granted(result, expected, false);
            if (expected != null) {
                source.open.addAll(expected);
                int offset = source.producer.offset(result);
                check(offset % 8 == 0, "offset %d", offset);
                check(
                        offset + length <= messages.buffer().capacity(),
                        "%d bytes at %d leave the buffer",
                        length,
                        offset);
                source.producer.buffer().putBytes(offset, filled(length, seed), 0, length);
            }
        }

        void settle(Source source) {
            if (source.open.isEmpty()) {
                return;
            }
            Rec message = source.open.get(source.open.size() - 1);
            if (random.nextInt(3) > 0) {
                source.producer.commit(message.first);
                source.open.forEach(rec -> rec.published = true);
            } else {
                source.producer.abort(message.first);
                aborted(source);
            }
            source.open.clear();
        }

        /** Padding and message are one record that nobody gets. */
        void aborted(Source source) {
            long first = source.open.get(0).first;
            long next = source.open.get(source.open.size() - 1).next;
            source.open.forEach(rec -> recs.remove(rec.first));
            Rec one = new Rec(first, next, 0, 0, 0);
            one.published = true;
            recs.put(first, one);
        }

        void offerAll(Source source) {
            List<int[]> wanted = new ArrayList<>();
            List<DirectBuffer> buffers = new ArrayList<>();
            int bytes = 0;
            int most = 1 + random.nextInt(5);
            for (int i = 0; i < most; i++) {
                int length = random.nextInt(1 + messages.maxLength() / 2);
                int seed = random.nextInt(256);
                int needs = (length + 15) / 8 * 8;
                if (bytes + needs > source.producer.maxBatch()) {
                    break;
                }
                bytes += needs;
                wanted.add(new int[] {length, seed});
                buffers.add(filled(length, seed));
            }
            if (wanted.isEmpty()) {
                return;
            }
            DirectBuffer[] all = buffers.toArray(DirectBuffer[]::new);
            if (!source.open.isEmpty()) {
                expectRefused(() -> source.producer.offerAll(3, all));
                return;
            }
            List<Rec> expected = modelClaim(wanted, 3);
            granted(source.producer.offerAll(3, all), expected, true);
        }

        void close(Source source) {
            source.producer.close();
            if (!source.open.isEmpty()) {
                aborted(source);
                source.open.clear();
            }
        }

        void work() {
            if (poller != null && random.nextInt(4) == 0) {
                poll(poller);
            } else {
                work(nodes.get(random.nextInt(nodes.size())));
            }
        }

        void work(Node node) {
            node.processor.doWork();
            if (wrong != null) {
                throw new AssertionError("a handler found it wrong", wrong);
            }
            node.checkPassed();
        }

        void poll(EventPoller<Messages> by) {
            long before = by.sequence().get();
            boolean[] ended = {false};
            int failAfter = random.nextInt(4) == 0 ? random.nextInt(4) : Integer.MAX_VALUE;
            int[] count = {0};
            MessageHandler reads = (type, buffer, offset, length, sequence, endOfBatch) -> {
                check(!ended[0], "%d came behind the end of the batch", sequence);
                Rec rec = firstLive(polled);
                checkContents(rec, type, buffer, offset, length, sequence);
                if (count[0]++ == failAfter) {
                    throw new Planned();
                }
                polled = rec.next;
                ended[0] = endOfBatch;
            };
            try {
                by.poll(reads::onEvent, 1 + random.nextInt(units));
                check(count[0] == 0 || ended[0], "a poll ended without endOfBatch");
            } catch (Planned planned) {
                // it comes again
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            long after = by.sequence().get();
            check(after >= before, "the poller went back");
            checkBoundary("the poller", after);
            check(countLive(polled, after + 1) == 0, "the poller passed over a message before %d", after + 1);
            polled = Math.max(polled, after + 1);
        }

        void join() throws Exception {
            if (nodes.size() > 8) {
                return;
            }
            Node node = new Node(this, false, nodes.size());
            node.processor = joined(node);
            node.from = pipeline.consumers().stream()
                    .filter(one -> one.name().equals(node.made.handle().name()))
                    .findFirst()
                    .orElseThrow()
                    .joinedFrom();
            node.at = node.from;
            node.checkedTo = node.from;
            checkBoundary("the join point", node.from - 1);
        }

        EventProcessor joined(Node node) throws Exception {
            node.extra = true;
            Join<Messages> join = pipeline.join(made(node, new PlainHandler(node, false)));
            return (random.nextBoolean() ? join.fromNow() : join).processor(1_000_000_000L);
        }

        void leave() throws Exception {
            for (Node node : nodes) {
                if (node.extra) {
                    node.made.handle().remove(0);
                    node.processor.doWork();
                    check(!pipeline.consumers().contains(node.made.handle()), "%s has not left", node.name());
                    nodes.remove(node);
                    return;
                }
            }
        }

        // what holds after each step

        void checkAll() {
            long cursor = -1;
            Rec rec = recs.get(0L);
            while (rec != null && rec.published) {
                cursor = rec.next - 1;
                rec = recs.get(rec.next);
            }
            check(
                    ring.cursor().get() == cursor,
                    "the cursor is to be at %d, but was at %d",
                    cursor,
                    ring.cursor().get());
            for (Node node : nodes) {
                checkBoundary(node.name(), node.progress());
            }
            if (ring.state() != State.FAILED) {
                long slowest = slowest();
                Ring.Leftover left = ring.leftover();
                long unhandled = recs.tailMap(slowest + 1).values().stream()
                        .filter(one -> one.published && one.live)
                        .count();
                long open = recs.tailMap(slowest + 1).values().stream()
                        .filter(one -> !one.published)
                        .mapToLong(one -> one.next - one.first)
                        .sum();
                check(left.unhandled() == unhandled, "%d messages are unhandled, but was %s", unhandled, left);
                check(left.openClaims() == open, "%d sequences are open, but was %s", open, left);
            }
        }

        void checkBoundary(String who, long progress) {
            check(
                    progress == -1 || progress + 1 == nextClaim || recs.containsKey(progress + 1),
                    "%s stands at %d, within a record",
                    who,
                    progress);
        }

        long slowest() {
            long slowest = poller == null ? Long.MAX_VALUE : poller.sequence().get();
            for (Node node : nodes) {
                slowest = Math.min(slowest, node.progress());
            }
            return slowest;
        }

        Rec firstLive(long from) {
            for (Rec rec : recs.tailMap(from).values()) {
                if (rec.live) {
                    return rec;
                }
            }
            throw new AssertionError("there is no message from " + from + " on");
        }

        long countLive(long from, long to) {
            return recs.subMap(Math.min(from, to), to).values().stream()
                    .filter(rec -> rec.live)
                    .count();
        }

        void checkContents(Rec rec, int type, DirectBuffer buffer, int offset, int length, long sequence) {
            check(rec.first == sequence, "%d is due, but %d came", rec.first, sequence);
            check(rec.published, "%d came before it was published", sequence);
            check(rec.type == type, "type %d of %d is to be %d", type, sequence, rec.type);
            check(rec.length == length, "length %d of %d is to be %d", length, sequence, rec.length);
            check(offset == messages.offset(sequence), "offset of %d", sequence);
            for (int i = 0; i < length; i++) {
                check(buffer.getByte(offset + i) == rec.at(i), "byte %d of %d", i, sequence);
            }
        }
    }

    /** A consumer of the model. */
    private static final class Node {
        final Case one;
        final boolean worker;
        final int number;
        final Map<Rec, Integer> tries = new HashMap<>();
        final Map<Rec, Integer> handled = new HashMap<>();
        NewConsumer<Messages> made;
        EventProcessor processor;
        boolean controlled;
        boolean extra;
        long from;
        long at; // where its next message is looked for
        long checkedTo;
        long batchFrom;
        boolean ended; // the batch has had its last message
        boolean cut; // it has said so itself

        Node(Case one, boolean worker, int number) {
            this.one = one;
            this.worker = worker;
            this.number = number;
        }

        String name() {
            return made.handle().name();
        }

        long progress() {
            return made.handle().sequence().get();
        }

        void guarded(Runnable checks) {
            if (one.wrong == null) {
                try {
                    checks.run();
                } catch (Throwable t) {
                    one.wrong = t;
                }
            }
        }

        void begins(long size) {
            guarded(() -> {
                check(size >= 1, "a batch of %d", size);
                ended = false;
                cut = false;
                batchFrom = worker ? at : progress() + 1;
            });
        }

        /** What it does with a message: the same each time, but for failing only so often. */
        FailurePolicy.Action delivered(
                int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
            Rec[] rec = new Rec[1];
            guarded(() -> {
                rec[0] = worker ? one.recs.get(sequence) : one.firstLive(at);
                check(rec[0] != null, "a worker got %d, which is no message", sequence);
                one.checkContents(rec[0], type, buffer, offset, length, sequence);
                check(!ended || tries.getOrDefault(rec[0], 0) > 0, "%d came behind the end of its batch", sequence);
                ended = last;
            });
            if (one.wrong != null) {
                return FailurePolicy.Action.SKIP;
            }
            int tried = tries.merge(rec[0], 1, Integer::sum) - 1;
            int plan = plan(rec[0]);
            if ((plan % 8 == 1 && tried < 1 + plan % 3) || plan % 8 == 2) {
                throw new Planned();
            }
            return FailurePolicy.Action.RETRY_EVENT;
        }

        void handledNow(Rec rec) {
            (worker ? one.shared : handled).merge(rec, 1, Integer::sum);
            at = rec.next;
        }

        int plan(Rec rec) {
            return (int) ((rec.first * 0x9E3779B97F4A7C15L + number * 0x2545F491L + one.program.seed()) >>> 40)
                    & 0x7fff;
        }

        /** The failure policy. */
        FailurePolicy.Action decided(Throwable cause, @Nullable Messages event, long sequence, int attempt) {
            if (!(cause instanceof Planned)) {
                one.wrong = cause;
                return FailurePolicy.Action.SKIP;
            }
            Rec rec = one.recs.get(sequence);
            int plan = plan(rec);
            if (one.mayHalt && plan % 64 == 1) {
                return FailurePolicy.Action.HALT;
            }
            if (plan % 8 == 2) {
                handledNow(rec); // which it never does, and that counts as done
                return FailurePolicy.Action.SKIP;
            }
            if (worker || plan % 2 == 0 || plan % 5 < 2) {
                return FailurePolicy.Action.RETRY_EVENT;
            }
            // all of the batch comes again, but what was committed
            long kept = Math.max(batchFrom, progress() + 1);
            handled.keySet().removeIf(one -> one.first >= kept);
            at = kept;
            return FailurePolicy.Action.REWIND_BATCH;
        }

        void finishes(long last) {
            guarded(() -> {
                check(ended || cut, "the batch up to %d ended without a last message", last);
                if (!worker) {
                    check(last >= at - 1, "a batch ended at %d, but %d was handled", last, at - 1);
                    check(one.countLive(at, last + 1) == 0, "a batch ended at %d with messages undone", last);
                }
            });
        }

        /** What its progress has passed was handled once. */
        void checkPassed() {
            long to = progress() + 1;
            for (Rec rec : one.recs.subMap(Math.min(checkedTo, to), to).values()) {
                int times = (worker ? one.shared : handled).getOrDefault(rec, 0);
                check(!rec.live || times == 1, "%s passed %d, which was handled %d times", name(), rec.first, times);
            }
            checkedTo = to;
        }
    }

    private static final class PlainHandler implements MessageHandler {
        private final Node node;
        private final boolean extend;

        PlainHandler(Node node, boolean extend) {
            this.node = node;
            this.extend = extend;
        }

        @Override
        public boolean extendsBatch() {
            return extend;
        }

        @Override
        public void onBatchStart(long size, long available) {
            node.begins(size);
        }

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
            if (node.delivered(type, buffer, offset, length, sequence, last) == FailurePolicy.Action.RETRY_EVENT) {
                node.handledNow(node.one.recs.get(sequence));
            }
        }

        @Override
        public void onBatchEnd(long sequence) {
            node.finishes(sequence);
        }
    }

    private static final class ChoosingHandler implements ControlledMessageHandler {
        private final Node node;
        private final Map<Rec, Integer> aborts = new HashMap<>();

        ChoosingHandler(Node node) {
            this.node = node;
        }

        @Override
        public void onBatchStart(long size, long available) {
            node.begins(size);
        }

        @Override
        public ControlledMessageHandler.Action onMessage(
                int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
            if (node.delivered(type, buffer, offset, length, sequence, last) != FailurePolicy.Action.RETRY_EVENT) {
                return ControlledMessageHandler.Action.CONTINUE;
            }
            Rec rec = node.one.recs.get(sequence);
            int plan = node.plan(rec) / 8 % 8;
            if (plan == 0 && aborts.merge(rec, 1, Integer::sum) <= 2) {
                node.cut = true;
                return ControlledMessageHandler.Action.ABORT;
            }
            node.handledNow(rec);
            node.cut = plan == 1;
            return plan == 1
                    ? ControlledMessageHandler.Action.BREAK
                    : plan < 4 ? ControlledMessageHandler.Action.COMMIT : ControlledMessageHandler.Action.CONTINUE;
        }

        @Override
        public void onBatchEnd(long sequence) {
            node.finishes(sequence);
        }
    }
}
