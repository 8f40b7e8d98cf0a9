package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.FullMemory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Consumers come, go and follow others while there is no memory, or some bytes more with each try. A call that fails has changed nothing,
 * or does the rest when it is made again; and once there is memory again, all events get to all consumers, in their order.
 */
@Tag("once")
@Timeout(110)
class NoMemoryChangesTest {
    @ParameterizedTest
    @ValueSource(strings = {"join", "processor", "worker", "leave", "rewire behind a leave", "rewire behind a join"})
    void whatFindsNoMemoryCanBeDoneAgain(String kind) throws Exception {
        assertThat(ChildJvm.run(Hog.class, List.of("-Xmx16m", "-Xms16m"), kind)).isEqualTo("all is well\n");
    }

    /** The child. Its memory is full to the last byte, but for those that it spares. */
    static final class Hog {
        private static final long LIMIT = TimeUnit.SECONDS.toNanos(2);
        private static final int EVENTS = 4;

        /** Most of the memory, for good: what is left is soon full, and soon looked through. */
        @SuppressWarnings("unused")
        private static final byte[] BALLAST = new byte[8 << 20];

        private static @Nullable Object spared;

        private final RingBuffer<long[]> ring = Rings.ring(true, 16);
        private final Producer<long[]> producer = ring.producer();
        private final Pipeline<long[]> pipeline = Pipeline.on(ring);
        private final int bytes;
        private int handled;
        private boolean joinDone;
        private @Nullable EventPoller<long[]> joined;
        private @Nullable EventProcessor processor;

        private Hog(int bytes) {
            this.bytes = bytes;
            for (int i = 0; i < 100; i++) { // so that to gate takes more memory than all before it
                ring.addGating(() -> Long.MAX_VALUE);
            }
        }

        public static void main(String[] arguments) throws Exception {
            int failed = 0;
            int doneInARow = 0;
            for (int i = -2; doneInARow < 3; i++) { // at first to load and link
                check(i < 200, "200 tries have failed");
                int bytes = 24 * i + 4 * i * i;
                boolean done = new Hog(i < 0 ? Integer.MAX_VALUE : bytes).tries(arguments[0]);
                failed += done ? 0 : 1;
                doneInARow = done && i >= 0 ? doneInARow + 1 : 0;
            }
            check(failed > 0, "none has failed");
            System.out.println("all is well");
        }

        private static void check(boolean holds, String what) {
            if (!holds) {
                throw new AssertionError(what);
            }
        }

        private interface Call {
            void run() throws Exception;
        }

        /** Whether there was memory enough for a call. */
        private boolean done(Call call) throws Exception {
            if (bytes < Integer.MAX_VALUE) {
                spared = new byte[bytes];
                try {
                    FullMemory.take();
                } catch (OutOfMemoryError e) {
                    spared = null;
                }
            }
            boolean done;
            try {
                call.run();
                done = true;
            } catch (OutOfMemoryError e) {
                done = false;
            }
            FullMemory.free();
            return done;
        }

        private boolean tries(String kind) throws Exception {
            return switch (kind) {
                case "worker" -> worker();
                case "processor" -> processor();
                default -> pollers(kind);
            };
        }

        /** A poller between two others. */
        private boolean pollers(String kind) throws Exception {
            EventPoller<long[]> first = pipeline.poller("first");
            EventPoller<long[]> last = pipeline.after(first.consumer()).thenPoller("last");
            pipeline.startProcessors();
            pass(first, null, last);
            Join<long[]> join =
                    pipeline.joinPoller("between").after(first.consumer()).before(last.consumer());
            Rings.Recorder nobody = new Rings.Recorder();
            boolean done = true;
            if (kind.equals("join")) {
                done = done(() -> joined = join.poller(LIMIT));
            }
            EventPoller<long[]> between = joined == null ? join.poller(LIMIT) : joined;
            if (kind.equals("rewire behind a join")) {
                done = done(() -> last.poll(nobody::onEvent, EVENTS));
            }
            pass(first, between, last);
            if (kind.equals("leave")) {
                done = done(() -> between.consumer().remove(0));
            }
            check(between.consumer().remove(0) == Removal.LEFT, "it has not left");
            if (kind.equals("rewire behind a leave")) {
                done = done(() -> last.poll(nobody::onEvent, EVENTS));
            }
            pass(first, null, last);
            check(nobody.calls.isEmpty(), "handed over: " + nobody.calls);
            check(ring.leftover().unhandled() == 0, "left: " + ring.leftover());
            return done;
        }

        /** More events than the ring holds, in several rounds, pass all consumers, each behind the one before. */
        private void pass(EventPoller<long[]> first, @Nullable EventPoller<long[]> between, EventPoller<long[]> last) {
            for (int round = 0; round < 6; round++) {
                offer();
                polls(last, 0);
                polls(first, EVENTS);
                if (between != null) {
                    polls(last, 0);
                    polls(between, EVENTS);
                }
                polls(last, EVENTS);
            }
        }

        private void offer() {
            for (int i = 0; i < EVENTS; i++) {
                check(producer.tryPublishEvent((event, sequence) -> {}) >= 0, "the ring is full: " + ring.leftover());
            }
        }

        private static void polls(EventPoller<long[]> poller, int expected) {
            int all = 0;
            int some;
            do {
                some = poller.poll((event, sequence, endOfBatch) -> {}, EVENTS);
                all += some;
            } while (some > 0);
            check(all == expected, poller.consumer() + " got " + all + " events, not " + expected);
        }

        /** A handler that the caller runs, between two pollers. */
        private boolean processor() throws Exception {
            EventPoller<long[]> first = pipeline.poller("first");
            EventPoller<long[]> last = pipeline.after(first.consumer()).thenPoller("last");
            pipeline.startProcessors();
            pass(first, null, last);
            Join<long[]> join = pipeline.join((event, sequence, endOfBatch) -> handled++)
                    .after(first.consumer())
                    .before(last.consumer());
            EventProcessor processor = join(join);
            for (int round = 0; round < 6; round++) {
                offer();
                polls(first, EVENTS);
                polls(last, 0);
                Rings.exhaust(processor);
                check(handled == EVENTS * (round + 1), "handled " + handled);
                polls(last, EVENTS);
            }
            return joinDone;
        }

        /** A worker beside another one. */
        private boolean worker() throws Exception {
            EventHandler<long[]> colleague = (event, sequence, endOfBatch) -> handled++;
            pipeline.handleEventsWithWorkerPool(colleague);
            EventPoller<long[]> last =
                    pipeline.after(pipeline.consumer(colleague)).thenPoller("last");
            EventProcessor first = pipeline.startProcessors().get(0);
            EventProcessor second = join(pipeline.join((event, sequence, endOfBatch) -> handled++)
                    .sharingWith(pipeline.consumer(colleague)));
            for (int round = 0; round < 6; round++) {
                offer();
                polls(last, 0);
                Rings.exhaust(round % 2 == 0 ? first : second);
                check(handled == EVENTS * (round + 1), "handled " + handled);
                polls(last, EVENTS);
            }
            return joinDone;
        }

        private EventProcessor join(Join<long[]> join) throws Exception {
            joinDone = done(() -> processor = join.processor(LIMIT));
            return processor == null ? join.processor(LIMIT) : processor;
        }
    }
}
