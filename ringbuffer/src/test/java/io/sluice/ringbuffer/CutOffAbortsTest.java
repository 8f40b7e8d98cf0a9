package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On a ring that tracks claims, an abort or a publication is cut off where the stack ends, at each depth. Whatever is called next finds the
 * claim open or ended: who publishes is told the truth, and nothing is in the way for ever.
 */
@Tag("once")
@Tag("any-jdk")
@Timeout(110)
class CutOffAbortsTest {
    private static final int CAPACITY = 8;
    private static final int CLAIMED = 3;
    private static final int NUMBER = 7;

    @ParameterizedTest
    @ValueSource(strings = {"single", "multi"})
    void anAbortThatTheEndOfTheStackCutsOffIsDoneOrNotDone(String kind) throws Exception {
        assertThat(child(kind)).isEqualTo("all is well\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"single", "multi"})
    void anAbortOfAMessageThatTheEndOfTheStackCutsOffIsDoneOrNotDone(String kind) throws Exception {
        assertThat(child(kind + " messages")).isEqualTo("all is well\n");
    }

    /** The end of the stack hits that place by chance only: all stamps are written but the first, which is that of the padding. */
    @Test
    void aMessageBehindPaddingWhosePublicationWasCutOffBetweenItsStampsIsAbortedByAnybody() {
        RingBuffer<Messages> ring =
                RingBufferBuilder.messages(256).trackClaims().build();
        EventPoller<Messages> poller = Pipeline.on(ring).poller("books");
        List<Long> seen = new ArrayList<>();
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 31; i++) {
            producer.commit(producer.tryClaim(1, 0));
        }
        poller.poll((event, sequence, endOfBatch) -> {}, 31);
        long message = producer.tryClaim(1, 24);
        assertThat(message).as("behind padding").isEqualTo(32);
        LongStream.rangeClosed(message, message + 3).forEach(((MultiProducerRing<Messages>) ring).stamps::stamp);
        AbandonedClaim left = StalledClaimDetector.of(ring).look(0);
        assertThat(left).isNotNull();
        assertThat(left.abort()).as("aborted").isEqualTo(5);
        assertThatThrownBy(() -> producer.commit(message)).isInstanceOf(ClaimAbortedException.class);
        producer.commit(producer.tryClaim(1, 8));
        poller.poll((event, sequence, endOfBatch) -> seen.add(sequence), 31);
        assertThat(seen).containsExactly(36L);
    }

    /** Its padding is no claim. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoAbortsThePaddingOfItsMessageIsToldThatTheMessageIsOpen(boolean single) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).trackClaims();
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 31; i++) {
            producer.commit(producer.tryClaim(1, 0));
        }
        long message = producer.tryClaim(1, 24);
        assertThat(message).as("behind padding").isEqualTo(32);
        assertThatThrownBy(() -> producer.abort(message - 1)).isInstanceOf(IllegalArgumentException.class);
        producer.commit(message);
    }

    private static String child(String kind) throws Exception {
        return ChildJvm.run(Child.class, List.of(), kind);
    }

    /** What is called first, and cut off. */
    private enum First {
        ABORT,
        ABORT_IN_STEAD,
        PUBLISH
    }

    /** What is called next, with stack enough. */
    private enum Then {
        PUBLISH,
        ABORT,
        ABORT_IN_STEAD,
        CLOSE
    }

    /** The owner of a claim, on a ring of either form of events. */
    private interface Owner {
        void claim();

        void publish();

        void abort();

        void close();

        /** Fills the ring: what it takes for open would be in the way of a wait for room. */
        void fillRing();
    }

    static final class Child {
        private final RingBuffer<Object> ring;
        private final EventPoller<Object> poller;
        private final Owner owner;

        private Child(String kind) {
            ring = builder(kind).build();
            poller = Pipeline.on(ring).poller("books");
            owner = newOwner();
        }

        @SuppressWarnings("unchecked") // events are Objects to the tests
        private static RingBufferBuilder<Object> builder(String kind) {
            RingBufferBuilder<?> builder = kind.contains("messages")
                    ? RingBufferBuilder.messages(1 << 8)
                    : Words.ring(false, 1).capacity(CAPACITY);
            builder = kind.contains("single") ? builder.singleProducer() : builder;
            return (RingBufferBuilder<Object>) builder.trackClaims();
        }

        @SuppressWarnings("unchecked") // as above
        private Owner newOwner() {
            return ring instanceof MessageRing
                    ? new OfMessage(MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring))
                    : new OfSlots(ring.producer());
        }

        public static void main(String[] arguments) throws InterruptedException {
            for (First first : First.values()) {
                for (Then then : Then.values()) {
                    if (first == First.PUBLISH && then == Then.ABORT_IN_STEAD && arguments[0].contains("messages")) {
                        continue; // not promised: see OpenMessage
                    }
                    Thread thread = new Thread(null, () -> eachDepth(arguments[0], first, then), "shallow", 256 << 10);
                    List<Throwable> thrown = new ArrayList<>();
                    thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
                    thread.start();
                    thread.join();
                    assertThat(thrown).as(first + ", then " + then).isEmpty();
                }
            }
            System.out.println("all is well");
        }

        private static void eachDepth(String kind, First first, Then then) {
            int cutOff = 0;
            for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
                assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
                boolean whole = new Child(kind).tries(step, first, then);
                cutOff += whole ? 0 : 1;
                wholeInARow = whole ? wholeInARow + 1 : 0;
            }
            assertThat(cutOff).as("aborts that were cut off").isPositive();
        }

        /** Whether the first abort was whole. */
        private boolean tries(int step, First first, Then then) {
            String when = first + " at step " + step + ", then " + then;
            owner.claim();
            StalledClaimDetector detector = StalledClaimDetector.of(ring);
            AbandonedClaim claim = detector.look(0);
            assertThat(claim).isNotNull();
            boolean[] whole = {false};
            Runnable work = switch (first) {
                case ABORT -> owner::abort;
                case ABORT_IN_STEAD -> claim::abort;
                case PUBLISH -> owner::publish;
            };
            StackEnd.atStep(step, () -> {
                work.run();
                whole[0] = true;
            });
            boolean published = first == First.PUBLISH && whole[0];
            List<Long> seen = poll();
            try {
                switch (then) {
                    case PUBLISH -> owner.publish();
                    case ABORT -> owner.abort();
                    case ABORT_IN_STEAD -> {
                        AbandonedClaim left = detector.look(0);
                        if (left != null) {
                            left.abort();
                        }
                    }
                    case CLOSE -> owner.close();
                }
                published |= then == Then.PUBLISH;
            } catch (ClaimAbortedException | IllegalArgumentException e) {
                // told: the polls show whether that is true
            }
            seen.addAll(poll());
            boolean neverPublished = first != First.PUBLISH && then != Then.PUBLISH;
            assertThat(seen)
                    .as(when)
                    .allMatch(number -> number == NUMBER)
                    .hasSizeBetween(published ? events() : 0, neverPublished ? 0 : events());
            if (then != Then.CLOSE) {
                goesOn(when);
                owner.close();
            }
            assertThat(ring.leftover().openClaims()).as(when).isZero();
            Owner next = newOwner();
            next.claim();
            next.publish();
            assertThat(poll()).as(when).hasSize(events()).containsOnly((long) NUMBER);
            return whole[0];
        }

        /** The same owner fills the ring, after it has ended what is open still, and is told that the ring is full. */
        private void goesOn(String when) {
            AbandonedClaim open = StalledClaimDetector.of(ring).look(0);
            if (open != null) { // a part of the claim
                open.abort();
            }
            assertThat(StalledClaimDetector.of(ring).look(0)).as(when).isNull();
            for (int i = 0; i < 3; i++) {
                owner.claim();
                owner.publish();
                assertThat(poll()).as(when).hasSize(events()).containsOnly((long) NUMBER);
            }
            owner.fillRing();
            while (!poll().isEmpty()) {}
        }

        private int events() {
            return owner instanceof OfMessage ? 1 : CLAIMED;
        }

        private List<Long> poll() {
            List<Long> seen = new ArrayList<>();
            while (poller.poll(
                            (event, sequence, endOfBatch) -> seen.add(
                                    event instanceof Messages messages
                                            ? messages.buffer().getLong(messages.offset(sequence))
                                            : Words.get(event, sequence, 0)),
                            CAPACITY)
                    > 0) {}
            return seen;
        }
    }

    private static final class OfSlots implements Owner {
        private final Producer<Object> producer;
        private long hi;

        OfSlots(Producer<Object> producer) {
            this.producer = producer;
        }

        @Override
        public void claim() {
            hi = producer.next(CLAIMED);
            LongStream.rangeClosed(hi - CLAIMED + 1, hi)
                    .forEach(sequence -> Words.set(producer.get(sequence), sequence, 0, NUMBER));
        }

        @Override
        public void publish() {
            producer.publish(hi - CLAIMED + 1, hi);
        }

        @Override
        public void abort() {
            producer.abort(hi - CLAIMED + 1, hi);
        }

        @Override
        public void close() {
            producer.close();
        }

        @Override
        public void fillRing() {
            for (int i = 0; i < CAPACITY; i++) {
                producer.publishEvent((event, sequence) -> {});
            }
            assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
            assertThat(((AbstractProducer<?>) producer).lowestOpen()).isEqualTo(AbstractProducer.NO_LIMIT);
        }
    }

    private static final class OfMessage implements Owner {
        private final MessageProducer producer;
        private long sequence;

        OfMessage(MessageProducer producer) {
            this.producer = producer;
        }

        @Override
        public void claim() {
            sequence = producer.tryClaim(1, 3 * Long.BYTES);
            assertThat(sequence).isNotNegative();
            producer.buffer().putLong(producer.offset(sequence), NUMBER);
        }

        @Override
        public void publish() {
            producer.commit(sequence);
        }

        @Override
        public void abort() {
            producer.abort(sequence);
        }

        @Override
        public void close() {
            producer.close();
        }

        @Override
        public void fillRing() {
            long claimed = producer.tryClaim(1, 8);
            while (claimed >= 0) {
                producer.commit(claimed);
                claimed = producer.tryClaim(1, 8);
            }
            assertThat(claimed).isEqualTo(Producer.FULL);
        }
    }
}
