package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The end of the stack cuts a publication off, at each depth, while its consumer sleeps. Where the event is out all the same, its producer
 * may publish no more. Then somebody else wakes the consumer: a producer that waits for room already, as one that drops does, a drain that has begun, who waits
 * for the event to be handled, or the producer's own next call.
 */
@Tag("once")
@Tag("any-jdk")
@Timeout(110)
class CutOffWakeUpsTest {
    /** Who comes next, or was there before. */
    private enum Next {
        WAITING_PRODUCER,
        DROPPING_PRODUCER,
        DRAIN,
        SAME_AGAIN,
        CLOSE,
        LEFTOVER,
        AWAIT_HANDLED
    }

    @ParameterizedTest
    @CsvSource({
        "multi, WAITING_PRODUCER",
        "multi tracked, WAITING_PRODUCER",
        "multi messages, WAITING_PRODUCER",
        "multi shedding, DROPPING_PRODUCER",
        "single, DRAIN",
        "multi, DRAIN",
        "single tracked, DRAIN",
        "multi tracked, DRAIN",
        "single messages, DRAIN",
        "multi messages, DRAIN",
        "single, SAME_AGAIN",
        "multi, SAME_AGAIN",
        "multi messages, SAME_AGAIN",
        "single, CLOSE",
        "multi, CLOSE",
        "single tracked, LEFTOVER",
        "single, AWAIT_HANDLED",
        "multi, AWAIT_HANDLED"
    })
    void whoComesNextWakesTheConsumer(String kind, Next next) throws Exception {
        // where all is interpreted, each call has a frame
        assertThat(ChildJvm.run(Child.class, List.of("-Xint"), kind, next.name()))
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
            Tried tried = new Tried(kind);
            try {
                tried.run(step, next);
            } finally {
                tried.pipeline.close(Duration.ofNanos(Rings.LONG));
            }
            wholeInARow = tried.whole ? wholeInARow + 1 : 0;
            outAndCutOff += tried.out && !tried.whole ? 1 : 0;
        }
        assertThat(outAndCutOff)
                .as("publications that were cut off behind their release")
                .isPositive();
    }

    /** A small ring, whose consumer sleeps. */
    private static final class Tried {
        private static final int LENGTH = 32;

        private final List<SignalledIdle> idles = new CopyOnWriteArrayList<>();
        private final AtomicLong waits = new AtomicLong();
        private final AtomicLong handled = new AtomicLong();
        private final RingBuffer<Object> ring;
        private final Pipeline<Object> pipeline;
        private final boolean messages;
        boolean whole;
        boolean out;

        Tried(String kind) {
            messages = kind.contains("messages");
            RingBufferBuilder<Object> builder = builder(messages)
                    .consumersIdle(() -> {
                        SignalledIdle idle = SignalledIdle.exact(0);
                        idles.add(idle);
                        return idle;
                    })
                    .producersIdle(() -> new Counting(waits));
            builder = kind.contains("single") ? builder.singleProducer() : builder;
            builder = kind.contains("shedding")
                    ? builder.shedding((consumer, event, sequence) -> handled.incrementAndGet())
                    : builder;
            ring = (kind.contains("tracked") ? builder.trackClaims() : builder).build();
            pipeline = Pipeline.on(ring);
            EventHandler<Object> counts = (event, sequence, endOfBatch) -> handled.incrementAndGet();
            pipeline.handleEventsWith(pipeline.consumer("sleeper", counts));
            pipeline.start();
        }

        @SuppressWarnings("unchecked") // events are Objects here
        private static RingBufferBuilder<Object> builder(boolean messages) {
            RingBufferBuilder<?> builder = messages
                    ? RingBufferBuilder.messages(1 << 8)
                    : RingBufferBuilder.of(Object::new).capacity(2);
            return (RingBufferBuilder<Object>) builder;
        }

        /** The same calls for slots and messages. */
        private interface Publisher {
            long claim();

            /** The same, without waiting. */
            long tryClaim();

            void publish(long sequence);

            void close();
        }

        @SuppressWarnings("unchecked") // as above
        private Publisher publisher() {
            if (messages) {
                MessageProducer producer = MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring);
                return new Publisher() {
                    @Override
                    public long claim() {
                        return producer.claim(1, LENGTH, Rings.LONG);
                    }

                    @Override
                    public long tryClaim() {
                        return producer.tryClaim(1, LENGTH);
                    }

                    @Override
                    public void publish(long sequence) {
                        producer.commit(sequence);
                    }

                    @Override
                    public void close() {
                        producer.close();
                    }
                };
            }
            Producer<Object> producer = ring.producer();
            return new Publisher() {
                @Override
                public long claim() {
                    return producer.next(1, Rings.LONG);
                }

                @Override
                public long tryClaim() {
                    return producer.tryNext(1);
                }

                @Override
                public void publish(long sequence) {
                    producer.publish(sequence);
                }

                @Override
                public void close() {
                    producer.close();
                }
            };
        }

        void run(int step, Next next) {
            Publisher publisher = publisher();
            awaitSleep();
            long claimed = publisher.claim();
            assertThat(claimed).isNotNegative();
            AtomicReference<@Nullable Object> found = new AtomicReference<>();
            Thread other = null;
            if (next == Next.WAITING_PRODUCER) {
                other = new Thread(() -> found.set(waitForRoom()), "waits");
            } else if (next == Next.DROPPING_PRODUCER) {
                other = new Thread(() -> found.set(waitForRoomByDropping()), "drops");
            } else if (next == Next.DRAIN) {
                other = new Thread(() -> found.set(ring.drain(Rings.LONG)), "drains");
            }
            if (other != null) {
                other.start();
                Thread started = other;
                Rings.await(
                        "the other to wait",
                        () -> next == Next.DRAIN ? started.getState() == Thread.State.TIMED_WAITING : waits.get() > 0);
            }
            awaitSleep();
            StackEnd.atStep(step, () -> {
                publisher.publish(claimed);
                whole = true;
            });
            out = ring.cursor().get() >= claimed;
            if (!out) {
                publisher.publish(claimed);
            } else if (next == Next.SAME_AGAIN) {
                assertThatThrownBy(() -> publisher.publish(claimed)).isInstanceOf(RuntimeException.class);
            } else if (next == Next.CLOSE) {
                publisher.close();
            } else if (next == Next.LEFTOVER) {
                ring.leftover();
            } else if (next == Next.AWAIT_HANDLED) {
                assertThat(pipeline.awaitHandled(claimed, Rings.LONG))
                        .as("step %d", step)
                        .isTrue();
            }
            String when = "at step " + step + (out ? ", out" : "") + (whole ? ", whole" : "");
            Rings.await("the event to be handled, " + when, () -> handled.get() > 0);
            if (next == Next.WAITING_PRODUCER || next == Next.DROPPING_PRODUCER) {
                join(other);
                assertThat((long) found.get()).as(when).isNotNegative();
            }
            publisher.close();
            if (next == Next.DRAIN) {
                join(other);
                assertThat(found.get()).as(when).matches(left -> ((Ring.Leftover) left).isNone());
            }
            assertThat(ring.drain(Rings.LONG).isNone()).as(when).isTrue();
        }

        /** Fills the ring behind an open claim. */
        private long waitForRoom() {
            Publisher publisher = publisher();
            for (long one = publisher.tryClaim(); one >= 0; one = publisher.tryClaim()) {
                publisher.publish(one);
            }
            long claimed = publisher.claim();
            if (claimed >= 0) {
                publisher.publish(claimed);
            }
            publisher.close();
            return claimed;
        }

        /** The same, by a producer that asks for the oldest to be dropped. */
        private long waitForRoomByDropping() {
            try (DroppingProducer<Object> producer = DroppingProducer.dropOldest(ring.producer(), Rings.LONG)) {
                producer.publishEvent((event, sequence) -> {});
                return producer.publishEvent((event, sequence) -> {});
            }
        }

        private static void join(Thread thread) {
            try {
                thread.join(Duration.ofNanos(Rings.LONG).toMillis());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            assertThat(thread.isAlive()).isFalse();
        }

        /** Until the consumer sleeps, and nobody is about to wake it. */
        private void awaitSleep() {
            Rings.await("the consumer to sleep", () -> {
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

    /** Says that a producer waits. */
    private record Counting(AtomicLong waits) implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            waits.incrementAndGet();
            LockSupport.parkNanos(100_000);
        }

        @Override
        public void reset() {
            // nothing
        }

        @Override
        public String alias() {
            return "counting";
        }
    }
}
