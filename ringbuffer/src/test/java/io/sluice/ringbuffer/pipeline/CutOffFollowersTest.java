package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The end of the stack cuts a consumer off, at each depth, while another one follows it and sleeps. Where the progress is out all the same,
 * nothing may come that has the consumer signal again. Then its next call wakes the follower, whatever else that call finds.
 */
@Tag("once")
@Tag("any-jdk")
@Timeout(110)
class CutOffFollowersTest {
    /** Where all is interpreted, each call has a frame. */
    private static final List<String> INTERPRETED = List.of("-Xint");

    /**
     * All but the looks at the headers of messages, down to the JDK's own. Those go deeper than a signal if they are interpreted: so nobody
     * who has got through them would be cut off behind them. Still it is what comes behind the signal that is cut off: a signal that nobody
     * owes is not missed by the cases of messages.
     */
    private static final List<String> SHALLOW_HEADERS = List.of(
            "-Xcomp",
            "-XX:-TieredCompilation",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=compileonly,io.sluice.ringbuffer.Messages::*",
            "-XX:CompileCommand=compileonly,io.sluice.core.bytes.*::*",
            "-XX:CompileCommand=compileonly,java.nio.*::*",
            "-XX:CompileCommand=compileonly,jdk.internal.misc.*::*",
            "-XX:CompileCommand=compileonly,*MessageLoop*::live",
            "-XX:CompileCommand=compileonly,*MessageLoop*::handle");

    /** What the next call of the consumer finds. */
    private enum Next {
        /** Nothing, and no more. */
        NOTHING,
        /** That it is paused. */
        PAUSE,
        /** An event that its handler does not want now. */
        UNWANTED,
        /** An event whose handler does not return before the follower has come. */
        LONG_EVENT,
        /** An event whose handler fails, and is tried again, until the follower has come. */
        RETRIES,
        /** A worker: that a colleague is at the event before, and does not end before the follower has come. */
        COLLEAGUE,
        /** Nothing, on a ring that has failed meanwhile: so it ends, and is cut off there. Its follower ends behind it. */
        END
    }

    @ParameterizedTest
    @CsvSource({
        "events, NOTHING",
        "ranges, NOTHING",
        "a worker, NOTHING",
        "a poller, NOTHING",
        "messages, NOTHING",
        "a worker of messages, NOTHING",
        "a poller of messages, NOTHING",
        "events with progress within, NOTHING",
        "ranges with progress within, NOTHING",
        "events newly followed, NOTHING",
        "a poller newly followed, NOTHING",
        "events, PAUSE",
        "a poller, PAUSE",
        "ranges, UNWANTED",
        "messages, LONG_EVENT",
        "events, LONG_EVENT",
        "a poller, LONG_EVENT",
        "events, RETRIES",
        "a worker, COLLEAGUE",
        "events, END",
        "a poller, END"
    })
    void theNextCallWakesTheFollower(String kind, Next next) throws Exception {
        assertThat(ChildJvm.run(
                        Child.class, kind.contains("messages") ? SHALLOW_HEADERS : INTERPRETED, kind, next.name()))
                .isEqualTo("all is well\n");
    }

    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(() -> eachDepth(arguments[0], Next.valueOf(arguments[1])));
            System.out.println("all is well");
        }
    }

    private static void eachDepth(String kind, Next next) {
        int outAndCutOff = 0;
        for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            Tried tried = new Tried(kind, next);
            try {
                outAndCutOff += (next == Next.END ? tried.runToTheEnd(step) : tried.run(step))
                                // what it learns of goes deeper than its signal
                                && (tried.out || kind.contains("newly"))
                                && !tried.whole
                        ? 1
                        : 0;
            } finally {
                tried.pipeline.close(Duration.ofNanos(Rings.LONG));
            }
            wholeInARow = tried.whole ? wholeInARow + 1 : 0;
        }
        assertThat(outAndCutOff)
                .as("calls that were cut off behind the progress")
                .isPositive();
    }

    /** A consumer that this thread runs, and one that follows it, on a thread of its own, and sleeps. */
    private static final class Tried {
        private static final int SLOTS = 16;

        private final List<SignalledIdle> idles = new CopyOnWriteArrayList<>();
        private final AtomicLong followed = new AtomicLong();
        private final Next next;
        private final boolean messages;
        private final boolean within;
        private final RingBuffer<Object> ring;
        private final Pipeline<Object> pipeline;
        private final ConsumerHandle consumer;
        private final SequenceView progress;
        private final Runnable call;
        private final ConsumerHandle follower;
        private Runnable colleague = () -> {};
        private Runnable failing = () -> {};
        private boolean swallowed;
        private int attempts;
        private @Nullable AssertionError lost;
        boolean whole;
        boolean out;

        Tried(String kind, Next next) {
            this.next = next;
            messages = kind.contains("messages");
            within = kind.contains("within");
            ring = builder(messages)
                    .consumersIdle(() -> {
                        SignalledIdle idle = SignalledIdle.exact(0);
                        idles.add(idle);
                        return idle;
                    })
                    .build();
            pipeline = Pipeline.on(ring)
                    .errorHandler(failure -> {})
                    .onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.RETRY_EVENT);
            if (kind.contains("poller")) {
                EventPoller<Object> poller = pipeline.poller("first");
                startFailing();
                call = () -> poller.poll((event, sequence, endOfBatch) -> handle(sequence), SLOTS);
            } else {
                declare(kind);
                List<EventProcessor> processors = startFailing();
                EventProcessor first = processors.get(0);
                call = first::doWork;
                if (next == Next.COLLEAGUE) {
                    colleague = processors.get(1)::doWork;
                }
            }
            consumer = pipeline.consumers().get(0);
            progress = consumer.sequence();
            call.run();
            EventHandler<Object> counts = (event, sequence, endOfBatch) -> followed.incrementAndGet();
            try {
                follower = pipeline.join(pipeline.consumer("follower", counts))
                        .after(next == Next.COLLEAGUE ? pipeline.consumers().get(1) : consumer, consumer)
                        .start(Rings.LONG);
            } catch (TimeoutException e) {
                throw new AssertionError(e);
            }
            if (!kind.contains("newly")) {
                call.run(); // learns of it
                colleague.run();
            }
        }

        /** With one that fails the ring, if it is to. */
        private List<EventProcessor> startFailing() {
            if (next == Next.END) {
                EventHandler<Object> fails = (event, sequence, endOfBatch) -> {
                    throw new AssertionError("planned");
                };
                pipeline.handleEventsWith(pipeline.consumer("failing", fails));
            }
            List<EventProcessor> processors = pipeline.startProcessors();
            processors.forEach(EventProcessor::onStart);
            if (next == Next.END) {
                failing = processors.get(processors.size() - 1)::doWork;
            }
            return processors;
        }

        private void declare(String kind) {
            EventHandler<Object> events = (event, sequence, endOfBatch) -> handle(sequence);
            if (kind.contains("worker") && next == Next.COLLEAGUE) {
                EventHandler<Object> slow = (event, sequence, endOfBatch) -> handleBesideWorker();
                pipeline.handleEventsWithWorkerPool(
                        pipeline.consumer("first", events), pipeline.consumer("second", slow));
            } else if (kind.contains("worker")) {
                pipeline.handleEventsWithWorkerPool(pipeline.consumer("first", events));
            } else if (kind.contains("ranges")) {
                pipeline.handleEventsWith(pipeline.batchConsumer("first", (all, lo, hi) -> {
                    if (lo > 0 && next == Next.UNWANTED) {
                        return lo - 1;
                    }
                    handle(hi);
                    return hi;
                }));
            } else {
                pipeline.handleEventsWith(pipeline.consumer("first", events));
            }
        }

        /** Makes no call at the first event, but for the progress: so what is cut off is seldom the handler, which fails the ring. */
        private void handle(long sequence) {
            if (within) {
                try {
                    consumer.progress(sequence);
                } catch (StackOverflowError e) {
                    swallowed = true;
                }
            } else if (sequence > 0) {
                handleLater();
            }
        }

        private void handleLater() {
            if (next == Next.LONG_EVENT) {
                awaitFollower("within the next event");
            } else if (next == Next.RETRIES && followed.get() == 0) {
                failUntilFollowed();
            }
        }

        private void failUntilFollowed() {
            LockSupport.parkNanos(1_000_000);
            if (++attempts == 10_000) {
                lost = new AssertionError("waited in vain: within an event that is tried again");
                throw lost;
            }
            throw new IllegalStateException("not yet");
        }

        /** At the second event, where the worker gets the third. */
        private void handleBesideWorker() {
            call.run();
            awaitFollower("within the event of a colleague");
        }

        @SuppressWarnings("unchecked") // events are Objects here
        private static RingBufferBuilder<Object> builder(boolean messages) {
            RingBufferBuilder<?> builder = messages
                    ? RingBufferBuilder.messages(SLOTS * Messages.ALIGNMENT)
                    : RingBufferBuilder.of(Object::new).capacity(SLOTS);
            return (RingBufferBuilder<Object>) builder;
        }

        @SuppressWarnings("unchecked") // as above
        private void publish() {
            if (messages) {
                MessageProducer producer = MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring);
                assertThat(producer.offer(1, SafeBuffer.allocate(8), 0, 8)).isNotNegative();
                producer.close();
            } else {
                ring.producer().publishEvent((event, sequence) -> {});
            }
        }

        /** Whether the ring goes on, so that it counts. */
        boolean run(int step) {
            awaitSleep();
            publish();
            String when = "at step " + step;
            StackEnd.atStep(step, () -> {
                call.run();
                whole = true;
            });
            whole &= !swallowed;
            out = progress.get() >= 0;
            if (out && next != Next.NOTHING) {
                goOn();
            } else {
                call.run();
                call.run();
                call.run();
            }
            if (lost != null) {
                throw lost;
            }
            when += (out ? ", out" : "") + (whole ? ", whole" : "");
            if (ring.state() == State.FAILED) {
                assertThat(whole).as("failed, " + when).isFalse();
                return false;
            }
            awaitFollower(when);
            return true;
        }

        /** As run, but the ring has failed, and the follower waits for the end of the one before. */
        boolean runToTheEnd(int step) {
            awaitSleep();
            publish();
            call.run();
            awaitFollower("before the end");
            awaitSleep();
            long before = parks();
            failing.run();
            Rings.await("the follower to see the failure", () -> parks() > before);
            awaitSleep();
            StackEnd.atStep(step, () -> {
                call.run();
                whole = true;
            });
            out = consumer.state() == State.CLOSED;
            call.run();
            call.run();
            Rings.await("the end of the follower, at step " + step, () -> follower.state() == State.CLOSED);
            return true;
        }

        private void goOn() {
            if (next == Next.PAUSE) {
                consumer.pause();
            } else {
                publish();
            }
            if (next == Next.COLLEAGUE) {
                publish();
                colleague.run();
            }
            call.run();
            call.run();
        }

        private void awaitFollower(String when) {
            try {
                Rings.await("the follower, " + when, () -> followed.get() > 0);
            } catch (AssertionError e) { // perhaps within a handler
                lost = e;
                throw e;
            }
        }

        /** Until the follower sleeps, and nobody is about to wake it. */
        private void awaitSleep() {
            Rings.await("the follower to sleep", () -> {
                long parks = parks();
                LockSupport.parkNanos(200_000);
                return parks > 0
                        && parks == parks()
                        && idles.stream().anyMatch(idle -> idle.parkedSince() != SignalledIdle.NO_DEADLINE);
            });
        }

        private long parks() {
            return idles.stream().mapToLong(SignalledIdle::parks).sum();
        }
    }
}
