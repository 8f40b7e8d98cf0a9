package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Words;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random stages of workers against a sequential model, on one thread, over slots of objects or of bytes. A handler may take further
 * steps itself: other workers work, others publish, somebody leaves, while it is in the middle of its event; so its worker is as
 * slow as the seed wants. Workers join, leave, are halted and pause; handlers fail and are retried, skipped, or halt the ring. After
 * every step: no event was handled twice, progress stands right before the first event that is not done, those who follow have seen
 * just what is handed on, in order, and producers have just the room that they gave back.
 */
@Tag("once")
@Timeout(60)
class WorkerPoolModelTest {
    private static final int STEPS = 256;
    private static final int MOST_SEQUENCES = 4_096;

    /** How many handlers are on the stack at once, at most. */
    private static final int MOST_DEPTH = 3;

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

    private static final class Case {
        final SeededProgram program;
        final RingBuffer<Object> ring;
        final Pipeline<Object> pipeline;
        final Producer<Object> producer;
        final List<Worker> workers = new ArrayList<>();
        final @Nullable Follower before;
        final @Nullable Follower behind;
        final int[] failures = new int[MOST_SEQUENCES];
        final boolean[] aborted = new boolean[MOST_SEQUENCES];
        final boolean[] begun = new boolean[MOST_SEQUENCES];
        final boolean[] done = new boolean[MOST_SEQUENCES];
        final int capacity;
        final long haltAt;

        long published = -1;
        long highestBegun = -1;
        int depth;
        int names;
        boolean anyHaltCalled;

        @Nullable
        Throwable wrong;

        SplittableRandom random;

        Case(SeededProgram program) {
            this.program = program;
            random = program.random();
            capacity = 1 << random.nextInt(6);
            boolean single = random.nextBoolean();
            boolean bytes = new SplittableRandom(~program.seed()).nextBoolean();
            RingBufferBuilder<Object> builder = Words.ring(bytes, 1).capacity(capacity);
            ring = (single ? builder.singleProducer() : builder).build();
            pipeline = Pipeline.on(ring).errorHandler(told -> {});
            haltAt = random.nextInt(4) == 0 ? random.nextInt(100) : -1;
            Worker[] declared = new Worker[1 + random.nextInt(4)];
            Arrays.setAll(declared, i -> new Worker(this));
            before = random.nextBoolean() ? new Follower(this) : null;
            behind = random.nextBoolean() ? new Follower(this) : null;
            pipeline.onFailure((cause, event, sequence, attempt) -> sequence == haltAt
                    ? Action.HALT
                    : attempt < failures[(int) sequence] || failures[(int) sequence] % 2 == 0
                            ? Action.RETRY_EVENT
                            : Action.SKIP);
            for (int i = 0; i < MOST_SEQUENCES; i++) {
                failures[i] = random.nextInt(5) == 0 ? random.nextInt(4) : 0;
            }
            @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
            NewConsumer<Object>[] consumers = new NewConsumer[declared.length];
            for (int i = 0; i < declared.length; i++) {
                consumers[i] = pipeline.consumer("w" + names++, declared[i]);
                if (random.nextInt(3) == 0) {
                    consumers[i].batchLimit(1 + random.nextInt(3));
                }
                workers.add(declared[i]);
            }
            Stage<Object> stage = before == null
                    ? pipeline.handleEventsWithWorkerPool(consumers)
                    : pipeline.handleEventsWith(before).thenWorkerPool(consumers);
            if (behind != null) {
                stage.then(behind);
            }
            List<EventProcessor> processors = new ArrayList<>(pipeline.startProcessors());
            if (before != null) {
                before.processor = processors.remove(0);
            }
            for (Worker worker : declared) {
                worker.consumer = pipeline.consumer(worker);
                worker.processor = processors.remove(0);
            }
            if (behind != null) {
                behind.processor = processors.remove(0);
            }
            producer = ring.producer();
        }

        // steps

        void run() throws Exception {
            for (int step : program.steps()) {
                if (failed()) {
                    break;
                }
                random = program.random(step);
                step();
                rethrow();
            }
            random = program.random(-1);
            finish();
        }

        boolean failed() {
            return ring.state() == State.FAILED;
        }

        void rethrow() {
            if (wrong instanceof Error error) {
                throw error;
            }
            check(wrong == null, "%s", wrong);
        }

        void step() throws Exception {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> publish();
                case 3, 4, 5, 6 -> work(workers.get(random.nextInt(workers.size())));
                case 7 -> {
                    if (before != null && !before.inside) {
                        before.processor.doWork();
                    }
                }
                case 8 -> {
                    if (behind != null && !behind.inside) {
                        behind.processor.doWork();
                    }
                }
                case 9 -> join();
                case 10 -> leaveOrHalt();
                default -> pauseOrResume(workers.get(random.nextInt(workers.size())));
            }
            checkAll();
        }

        private void publish() {
            int n = 1 + random.nextInt(Math.min(4, capacity));
            if (published + n >= MOST_SEQUENCES) {
                return;
            }
            long room = gate() + capacity - published;
            long hi = producer.tryNext(n);
            if (failed()) {
                check(hi == Producer.FAILED, "a claim on a failed ring: %d", hi);
                return;
            }
            check(hi == (room >= n ? published + n : Producer.FULL), "claim of %d with room for %d: %d", n, room, hi);
            if (hi >= 0) {
                for (long sequence = hi - n + 1; sequence <= hi; sequence++) {
                    Words.set(producer.get(sequence), sequence, 0, sequence ^ program.seed());
                    if (random.nextInt(6) == 0) {
                        aborted[(int) sequence] = true;
                        producer.abort(sequence, sequence);
                    } else {
                        producer.publish(sequence, sequence);
                    }
                }
                published = hi;
            }
        }

        private void work(Worker worker) {
            if (!worker.inside) {
                worker.processor.doWork();
            }
        }

        private void join() throws Exception {
            if (depth > 0 || workers.size() > 8) {
                return; // a handler can not join
            }
            Worker worker = new Worker(this);
            Worker colleague =
                    workers.stream().filter(one -> !one.halted).findAny().orElseThrow();
            worker.processor = pipeline.join(pipeline.consumer("w" + names++, worker))
                    .sharingWith(colleague.consumer)
                    .processor(0);
            worker.consumer = pipeline.consumer(worker);
            workers.add(worker);
        }

        private void leaveOrHalt() {
            long going = workers.stream().filter(one -> !one.halted).count();
            Worker worker = workers.get(random.nextInt(workers.size()));
            if (going < 2 || worker.halted || failed()) {
                return;
            }
            worker.halted = true;
            if (random.nextBoolean()) {
                worker.processor.halt();
                anyHaltCalled = true;
            } else if (worker.inside) {
                check(worker.consumer.remove(0) == Removal.LATER, "left at once");
            } else {
                check(worker.consumer.remove(0) == Removal.LEFT, "did not leave, run before: %s", worker.ran);
                workers.remove(worker);
            }
        }

        private void pauseOrResume(Worker worker) {
            worker.paused = !worker.paused;
            if (worker.paused) {
                worker.consumer.pause();
            } else {
                worker.consumer.resume();
            }
        }

        /** Everybody goes on until nobody has anything to do. */
        private void finish() {
            depth = MOST_DEPTH; // handlers take no more steps
            for (Worker worker : workers) {
                worker.consumer.resume();
            }
            boolean any;
            int quiet = 0;
            do {
                any = false;
                for (Follower one : new Follower[] {before, behind}) {
                    any |= one != null && one.processor.doWork() > 0;
                }
                for (Worker worker : List.copyOf(workers)) {
                    any |= worker.processor.doWork() > 0;
                }
                rethrow();
                checkAll();
                quiet = any ? 0 : quiet + 1;
            } while (quiet < 3);
            if (!failed()) {
                check(
                        progress() == published,
                        "at the end %d of %d are handed on:%n%s",
                        progress(),
                        published,
                        RingMonitor.of(ring).dump());
                check(behind == null || gate() == published, "the follower ended before %d", published);
            } else {
                int gap = (int) progress() + 1;
                check(
                        gap == haltAt || (gap < haltAt && begun[gap] && failures[gap] > 0 && anyHaltCalled),
                        "progress %d, halted at %d; only a worker that was halted by hand gives up an event that it retries",
                        progress(),
                        haltAt);
                for (Worker worker : workers) {
                    check(worker.processor.isDone(), "a worker of a failed stage goes on");
                }
                check(behind == null || (behind.processor.isDone() && gate() == progress()), "a follower goes on");
            }
            ring.close();
        }

        // the model

        void checkEvent(Object event, long sequence) {
            long of = Words.get(event, sequence, 0) ^ program.seed();
            check(of == sequence, "event %d in the slot of %d", of, sequence);
        }

        long progress() {
            return workers.get(0).processor.sequence().get();
        }

        private long gate() {
            return behind == null ? progress() : behind.processor.sequence().get();
        }

        void checkAll() {
            long progress = progress();
            for (int i = 0; i <= progress; i++) {
                check(done[i] || aborted[i], "%d is handed on, and not done; progress %d", i, progress);
            }
            int next = (int) progress + 1;
            check(!done[next], "%d is done, and not handed on", next);
            check(
                    !aborted[next] || next > highestBegun,
                    "%d is aborted and was passed over, and is not handed on; %d was begun",
                    next,
                    highestBegun);
        }
    }

    private static final class Worker implements EventHandler<Object> {
        private final Case all;
        EventProcessor processor = new NoProcessor();

        @Nullable
        ConsumerHandle consumer;

        boolean inside;
        boolean ran;
        boolean halted;
        boolean paused;
        private int attempts;

        Worker(Case all) {
            this.all = all;
        }

        @Override
        public void onStart() {
            ran = true;
        }

        @Override
        public void onEvent(Object event, long sequence, boolean endOfBatch) throws Exception {
            inside = true;
            all.depth++;
            try {
                int at = (int) sequence;
                check(endOfBatch, "a batch of more than one");
                all.checkEvent(event, sequence);
                check(!all.aborted[at], "%d is aborted", sequence);
                check(attempts > 0 || !all.begun[at], "%d has been begun by another", sequence);
                check(!all.done[at], "%d is done already", sequence);
                check(
                        all.before == null || all.before.last >= sequence || all.before.passed >= sequence,
                        "%d too early",
                        at);
                all.begun[at] = true;
                all.highestBegun = Math.max(all.highestBegun, sequence);
                if (all.depth <= MOST_DEPTH && all.random.nextInt(3) == 0) {
                    for (int i = all.random.nextInt(6); i > 0; i--) {
                        all.step();
                    }
                }
            } catch (AssertionError e) {
                all.wrong = all.wrong == null ? e : all.wrong;
                throw e;
            } finally {
                all.depth--;
                inside = false;
            }
            if (sequence == all.haltAt || attempts++ < all.failures[(int) sequence]) {
                inside = true; // of its event, between two attempts
                throw new Planned();
            }
        }

        @Override
        public void onBatchEnd(long sequence) {
            attempts = 0;
            inside = false;
            all.done[(int) sequence] = true; // what follows this call is the mark
        }
    }

    /** Sees everything in order. */
    private static final class Follower implements EventHandler<Object> {
        private final Case all;
        EventProcessor processor = new NoProcessor();
        boolean inside;
        long last = -1;
        long passed = -1;

        Follower(Case all) {
            this.all = all;
        }

        @Override
        public void onEvent(Object event, long sequence, boolean endOfBatch) {
            try {
                for (long one = last + 1; one < sequence; one++) {
                    check(all.aborted[(int) one], "%d did not come", one);
                }
                check(sequence > last, "%d after %d", sequence, last);
                all.checkEvent(event, sequence);
                check(this != all.behind || all.done[(int) sequence], "%d is not done", sequence);
                last = sequence;
            } catch (AssertionError e) {
                all.wrong = all.wrong == null ? e : all.wrong;
                throw e;
            }
        }

        @Override
        public void onBatchEnd(long sequence) {
            passed = sequence;
        }
    }

    /** Before the start. */
    private static final class NoProcessor implements EventProcessor {
        @Override
        public int doWork() {
            throw new AssertionError("not started");
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public io.sluice.core.SequenceView sequence() {
            throw new AssertionError("not started");
        }

        @Override
        public void halt() {
            throw new AssertionError("not started");
        }

        @Override
        public String roleName() {
            return "none";
        }
    }
}
