package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims that nobody publishes: found, named, and aborted where the rules allow it. */
@Timeout(60)
class AbandonedClaimTest {
    private static final EventTranslator<long[]> FILL = (event, sequence) -> event[0] = sequence;

    @TempDir
    Path folder;

    private static RingBuffer<long[]> ring(boolean single, boolean tracked, int capacity) {
        RingBufferBuilder<long[]> builder = Rings.ringBuilder(single, capacity);
        return (tracked ? builder.trackClaims() : builder).name("orders").build();
    }

    private static List<Long> pollAll(EventPoller<long[]> poller) throws Exception {
        List<Long> seen = new ArrayList<>();
        while (poller.poll((event, sequence, endOfBatch) -> seen.add(sequence), 100) > 0) {}
        return seen;
    }

    /** A thread that does something with a producer of its own, and stays until it is told to end. */
    private static final class Owner implements AutoCloseable {
        final Producer<long[]> producer;
        final Thread thread;
        private final CountDownLatch done = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final AtomicReference<Throwable> thrown = new AtomicReference<>();

        Owner(RingBuffer<long[]> ring, String name, java.util.function.Consumer<Producer<long[]>> task)
                throws Exception {
            producer = ring.producer();
            thread = new Thread(
                    () -> {
                        try {
                            task.accept(producer);
                        } catch (Throwable t) {
                            thrown.set(t);
                        }
                        done.countDown();
                        try {
                            end.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    name);
            thread.setDaemon(true);
            thread.start();
            assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(thrown.get()).isNull();
        }

        Owner ended() throws InterruptedException {
            end.countDown();
            thread.join(20_000);
            assertThat(thread.isAlive()).isFalse();
            return this;
        }

        @Override
        public void close() {
            end.countDown();
        }
    }

    // the owner's thread has ended

    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void theClaimsOfAnEndedThreadAreFoundNamedAndAborted(boolean single, boolean tracked) throws Exception {
        RingBuffer<long[]> ring = ring(single, tracked, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        StalledClaimDetector watch = StalledClaimDetector.of(ring);
        assertThat(watch.look(0)).isNull();
        Owner owner = new Owner(ring, "feed", producer -> {
                    producer.publishEvent(FILL);
                    producer.next(3);
                    producer.publish(1, 1);
                    producer.next(2);
                })
                .ended();
        assertThat(pollAll(poller)).containsExactly(0L, 1L);
        AbandonedClaim claim = watch.look(0);
        assertThat(claim).isNotNull();
        assertThat(claim.lowest()).isEqualTo(2);
        assertThat(claim.highest()).isEqualTo(5);
        assertThat(claim.isOwnerKnown()).isTrue();
        assertThat(claim.threads()).containsExactly(owner.thread);
        assertThat(claim.toString())
                .startsWith(
                        "ring orders: sequences 2 to 5 claimed by feed (TERMINATED) and neither published nor aborted");
        assertThat(RingMonitor.of(ring).dump()).contains("  sequences 2 to 5 claimed by feed (TERMINATED)");
        assertThat(claim.abort()).isEqualTo(4);
        assertThat(claim.abort()).isZero();
        assertThat(pollAll(poller)).isEmpty();
        assertThat(watch.look(0)).isNull();
        assertThat(((AbstractProducer<?>) owner.producer).isClosed()).isTrue();
        try (Producer<long[]> next = ring.producer()) { // also with a single producer: the ended one is closed
            assertThat(next.publishEvent(FILL)).isEqualTo(6);
        }
        assertThat(pollAll(poller)).containsExactly(6L);
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    /** As where the end of the stack cuts off a claim behind its decision. */
    @Test
    void theClaimOfAThreadThatEndedBeforeItSaidWhoseItIsIsAborted() throws Exception {
        RingBuffer<long[]> ring = ring(false, true, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Owner owner = new Owner(ring, "feed", producer -> producer.next(2)).ended();
        ((TrackedStamps) ((MultiProducerRing<long[]>) ring).stamps).claimed(0, 1, 77); // a number that no producer has
        AbandonedClaim claim =
                Objects.requireNonNull(StalledClaimDetector.of(ring).look(0));
        assertThat(claim.threads()).containsExactly(owner.thread);
        assertThat(claim.abort()).isEqualTo(2);
        Rings.publish(ring.producer(), 1);
        assertThat(pollAll(poller)).containsExactly(2L);
    }

    @Test
    void whatAnEndedThreadHasOpenBetweenThePublicationsOfOthersIsAbortedAtOnce() throws Exception {
        RingBuffer<long[]> ring = ring(false, false, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> mine = ring.producer();
        Producer<long[]> other = ring.producer();
        Thread thread = new Thread(() -> {
            other.next(1);
            mine.publishEvent(FILL);
            other.next(2);
            mine.publishEvent(FILL);
            other.publishEvent(FILL);
        });
        thread.start();
        thread.join(20_000);
        StalledClaimDetector watch = StalledClaimDetector.of(ring);
        AbandonedClaim claim = watch.look(0);
        assertThat(claim.lowest()).isZero();
        assertThat(claim.highest()).isZero();
        assertThat(claim.abort()).isEqualTo(3);
        assertThat(pollAll(poller)).containsExactly(1L, 4L, 5L);
    }

    /** Threads that come, publish and go without closing their producers leave no trace that grows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endedProducersWithNothingOpenAreForgotten(boolean tracked) throws Exception {
        RingBuffer<long[]> ring = ring(false, tracked, 256);
        List<Producer<long[]>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(new Owner(ring, "feed", producer -> producer.publishEvent(FILL)).ended().producer);
        }
        assertThat(((MultiProducerRing<long[]>) ring).knownProducers()).isLessThan(40);
        all.forEach(Producer::close);
        assertThat(((MultiProducerRing<long[]>) ring).knownProducers()).isZero();
        assertThat(ring.producer().tryNext(1)).isEqualTo(100);
        assertThat(StalledClaimDetector.of(ring).look(0).threads()).containsExactly(Thread.currentThread());
    }

    // the owner's thread lives, and claims are not tracked

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whileTheOwnerLivesTheAbortIsRefusedAndSaysWhy(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, false, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        try (Owner owner = new Owner(ring, "feed", producer -> producer.next(2));
                Owner other = single ? owner : new Owner(ring, "other", producer -> producer.publishEvent(FILL))) {
            AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
            assertThat(claim.threads()).containsExactly(owner.thread);
            assertThat(claim.highest()).isEqualTo(1);
            assertThat(claim.isOwnerKnown()).isEqualTo(single);
            assertThatThrownBy(claim::abort)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("abort of sequences 0 to 1 must wait")
                    .hasMessageContaining("feed (")
                    .hasMessageContaining(
                            "must wait until its thread has ended, or be on a ring built with trackClaims");
            assertThat(pollAll(poller)).isEmpty();
            owner.ended();
            other.ended();
            assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(2);
            assertThat(pollAll(poller)).isEqualTo(single ? List.of() : List.of(2L));
        }
    }

    /** A thread may end between the look whether it lives and the message: that does not say that it lives and has ended. */
    @Test
    void aRefusalTellsOfAThreadThatEndsMeanwhileAsEnding() throws Exception {
        RingBuffer<long[]> ring = ring(true, false, 4);
        Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        CountDownLatch claimed = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread ending =
                new Thread(
                        () -> {
                            producer.next(1);
                            claimed.countDown();
                            try {
                                end.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        },
                        "feed") {
                    @Override
                    public Thread.State getState() {
                        return Thread.State.TERMINATED; // what another thread may see a moment before isAlive is false
                    }
                };
        ending.setDaemon(true);
        ending.start();
        assertThat(claimed.await(20, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(StalledClaimDetector.of(ring).look(0)::abort)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "abort of sequence 0 must wait until its thread has ended, or be on a ring built with trackClaims, but"
                                + " its owner's thread, feed (ending), had not ended and may still publish it");
        end.countDown();
        ending.join(20_000);
        assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(1);
    }

    @Test
    void amongSeveralLivingOwnersThoseThatItMayBeAreNamed() throws Exception {
        RingBuffer<long[]> ring = ring(false, false, 16);
        Pipeline.on(ring).poller("books");
        try (Owner feed = new Owner(ring, "feed", producer -> {
                    producer.next(1);
                    producer.next(1);
                });
                Owner idle = new Owner(ring, "idle", producer -> producer.publishEvent(FILL));
                Owner late = new Owner(ring, "late", producer -> producer.next(1))) {
            AbandonedClaim claim =
                    StalledClaimDetector.of(ring).look(0); // 0 is an earlier claim of feed: not in its last
            assertThat(claim.isOwnerKnown()).isFalse();
            assertThat(claim.threads()).containsExactlyInAnyOrder(feed.thread, late.thread);
            assertThat(claim.toString())
                    .containsPattern("claimed by perhaps feed \\([A-Z_]+\\) or late \\([A-Z_]+\\) and");
            assertThat(idle.thread.isAlive()).isTrue();
        }
    }

    @Test
    void aClaimHasToStandInTheWayForTheTimeGiven() throws Exception {
        RingBuffer<long[]> ring = ring(false, false, 16);
        Pipeline.on(ring).poller("books");
        try (Owner owner = new Owner(ring, "feed", producer -> producer.next(1))) {
            StalledClaimDetector watch = StalledClaimDetector.of(ring);
            long limit = TimeUnit.MILLISECONDS.toNanos(5);
            long began = System.nanoTime();
            assertThat(watch.look(limit)).isNull();
            AbandonedClaim claim = null;
            while (claim == null) {
                claim = watch.look(limit);
            }
            assertThat(claim.stoodNanos()).isGreaterThanOrEqualTo(limit);
            assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(limit);
            assertThat(watch.look(TimeUnit.DAYS.toNanos(1))).isNull();
            assertThat(owner.thread.isAlive()).isTrue();
        }
    }

    // tracked claims

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onARingThatTracksClaimsTheLateOwnerGetsAnExceptionAndHarmsNobody(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, true, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> late = ring.producer();
        late.next(3);
        long[] orphan = late.get(1);
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        assertThat(claim.isOwnerKnown()).isTrue();
        assertThat(claim.threads()).containsExactly(Thread.currentThread());
        assertThat(claim.highest()).isEqualTo(2);
        assertThat(claim.abort()).isEqualTo(3);
        assertThat(claim.abort()).isZero();
        assertThat(pollAll(poller)).isEmpty();
        // a zombie writes to an orphan, and gets no other event
        orphan[0] = 77;
        assertThat(ring.get(1)).isNotSameAs(orphan);
        assertThatThrownBy(() -> late.get(1)).isInstanceOf(ClaimAbortedException.class);
        assertThatThrownBy(() -> late.publish(0, 1))
                .isInstanceOf(ClaimAbortedException.class)
                .hasMessage("sequences 0 to 1 must be open, but were aborted on this producer's behalf: claim again");
        late.abort(2, 2); // aborted is aborted
        assertThatThrownBy(() -> late.publish(3, 3)).isInstanceOf(IllegalArgumentException.class);
        // and it goes on, lap after lap
        for (long i = 3; i < 13; i++) {
            assertThat(late.publishEvent((event, sequence, value) -> event[0] = value, i))
                    .isEqualTo(i);
            List<Long> values = new ArrayList<>();
            poller.poll((event, sequence, endOfBatch) -> values.add(event[0]), 4);
            assertThat(values).containsExactly(i);
            assertThatThrownBy(() -> late.get(1)).isInstanceOf(ClaimAbortedException.class);
        }
        late.close();
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofWhatIsPublishedNobodyIsToldThatItWasAborted(boolean single) {
        Producer<long[]> producer = ring(single, true, 4).producer();
        producer.next(3);
        producer.publish(0, 0);
        assertThatThrownBy(() -> producer.get(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("get must get sequences that are claimed and open (")
                .hasMessageContaining("1 to 2), but was called as get(0, 0)");
        producer.abort(1, 1); // by itself
        assertThat(producer.get(2)).isNotNull();
        producer.publish(2);
        for (long settled = 0; settled < 3; settled++) {
            long sequence = settled;
            assertThatThrownBy(() -> producer.get(sequence))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("(none");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatOfARangeWasNotAbortedIsPublished(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, true, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> late = ring.producer();
        late.next(2);
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        late.next(3);
        late.publish(0, 0);
        assertThat(claim.abort()).isEqualTo(single ? 0 : 1); // with a single producer the cursor has moved: look again
        if (single) {
            assertThat(pollAll(poller)).containsExactly(0L);
            late.publish(1, 4);
            assertThat(pollAll(poller)).containsExactly(1L, 2L, 3L, 4L);
        } else {
            assertThatThrownBy(() -> late.publish(1, 4))
                    .isInstanceOf(ClaimAbortedException.class)
                    .hasMessageContaining("sequences 1 to 1 must be open, but were");
            assertThat(pollAll(poller)).containsExactly(0L, 2L, 3L, 4L);
        }
        assertThat(late.publishEvent(FILL)).isEqualTo(5);
        late.next(2);
        StalledClaimDetector.of(ring).look(0).abort();
        late.next(1); // claimed behind what was aborted
        assertThatThrownBy(() -> late.publish(6, 8))
                .isInstanceOf(ClaimAbortedException.class)
                .hasMessageContaining(
                        "sequences 6 to 7 must be open, but were"); // 8 is published: nobody is to claim again for it
        assertThat(pollAll(poller)).containsExactly(5L, 8L);
    }

    /** The abort comes while the owner's translator runs: it fills an orphan, and the caller learns of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theSafeFormsLoseTheirClaimToo(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, true, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> late = ring.producer();
        StalledClaimDetector watch = StalledClaimDetector.of(ring);
        assertThatThrownBy(() -> late.publishEvent((event, sequence) -> {
                    assertThat(watch.look(0).abort()).isEqualTo(1);
                    event[0] = 77;
                }))
                .isInstanceOf(ClaimAbortedException.class);
        assertThat(ring.get(0)[0]).isZero();
        assertThat(late.publishEvent(FILL)).isEqualTo(1);
        IllegalArgumentException own = new IllegalArgumentException("the translator's own");
        assertThatThrownBy(() -> late.publishEvent((event, sequence) -> {
                    watch.look(0).abort();
                    throw own;
                }))
                .isSameAs(own);
        assertThatThrownBy(() -> late.publishEvents(
                        (event, sequence, i) -> {
                            if (i == 1) {
                                watch.look(0).abort();
                            }
                            event[0] = 77;
                        },
                        3))
                .isInstanceOf(ClaimAbortedException.class);
        assertThat(pollAll(poller)).containsExactly(1L);
        assertThat(late.publishEvent(FILL)).isEqualTo(6);
        assertThat(pollAll(poller)).containsExactly(6L);
    }

    /** A wait for room is not taken for a wait for a claim that was aborted. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProducerThatLostItsClaimsMayWaitForRoom(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, true, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> late = ring.producer();
        late.next(2);
        StalledClaimDetector.of(ring).look(0).abort();
        late.next(2);
        assertThatThrownBy(() -> late.next(3, 1_000_000_000)).isInstanceOf(IllegalStateException.class);
        late.publish(2, 3);
        assertThat(late.next(1, 1_000)).isEqualTo(Producer.TIMED_OUT);
        assertThat(pollAll(poller)).containsExactly(2L, 3L);
        assertThat(late.next(4)).isEqualTo(7);
        late.close();
        assertThat(pollAll(poller)).isEmpty();
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    /** A producer that has not met its loss yet waits for whoever has to pass over it, not for itself. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRingFullOfLostClaimsIsNotTakenForOneFullOfOpenClaims(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, true, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> late = ring.producer();
        late.next(4);
        assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(4);
        assertThat(late.next(1, 1_000)).isEqualTo(Producer.TIMED_OUT);
        assertThat(pollAll(poller)).isEmpty();
        assertThat(late.next(1)).isEqualTo(4);
        late.publish(4, 4);
        assertThat(pollAll(poller)).containsExactly(4L);
    }

    @Test
    void withoutConsumersATrackedRingIsOverwrittenToo() {
        RingBuffer<long[]> ring = ring(false, true, 4);
        Producer<long[]> slow = ring.producer();
        Producer<long[]> fast = ring.producer();
        slow.next(1);
        for (int i = 1; i < 14; i++) {
            assertThat(fast.publishEvent(FILL)).isEqualTo(i);
        }
        slow.publish(0, 0); // overwritten before it is published, in place of right behind
        assertThatThrownBy(() -> slow.publish(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(ring.get(12)[0]).isEqualTo(12);
    }

    /** An event factory that fails in the middle of an abort leaves the claim as it was. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEventFactoryThatFailsAbortsNothing(boolean single) throws Exception {
        boolean[] fails = new boolean[1];
        RingBufferBuilder<long[]> builder = RingBufferBuilder.of(() -> {
                    if (fails[0]) {
                        throw new IllegalStateException("planned");
                    }
                    return new long[1];
                })
                .capacity(4)
                .trackClaims();
        RingBuffer<long[]> ring = (single ? builder.singleProducer() : builder).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> late = ring.producer();
        late.next(1);
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        fails[0] = true;
        assertThatThrownBy(claim::abort).hasMessage("planned");
        late.publish(0, 0);
        assertThat(pollAll(poller)).containsExactly(0L);
    }

    /** One that fails only at a later event of the claim: else what was aborted before it would wake nobody, and be told to nobody. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEventFactoryThatFailsAtALaterEventAbortsNothingEither(boolean single) throws Exception {
        int[] failsAfter = {Integer.MAX_VALUE};
        RingBufferBuilder<long[]> builder = RingBufferBuilder.of(() -> {
                    if (failsAfter[0]-- == 0) {
                        throw new IllegalStateException("planned");
                    }
                    return new long[1];
                })
                .capacity(4)
                .trackClaims();
        RingBuffer<long[]> ring = (single ? builder.singleProducer() : builder).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> late = ring.producer();
        late.next(3);
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        failsAfter[0] = 2;
        assertThatThrownBy(claim::abort).hasMessage("planned");
        assertThat(ring.leftover().openClaims()).as("open claims").isEqualTo(3);
        late.publish(0, 1);
        assertThat(pollAll(poller)).containsExactly(0L, 1L);
        AbandonedClaim rest = StalledClaimDetector.of(ring).look(0);
        assertThat(rest.abort()).isEqualTo(1);
        assertThat(rest.abort()).as("once more").isZero();
        assertThatThrownBy(() -> late.publish(2, 2)).isInstanceOf(ClaimAbortedException.class);
        assertThat(pollAll(poller)).isEmpty();
        assertThat(ring.leftover().openClaims()).as("open claims").isZero();
    }

    // a claim that is kept, and aborted later

    /** Whose it was, the handler could not know. It keeps the claim, and aborts it once the owner's thread has ended. */
    @Test
    void aKeptClaimWhoseOwnerWasNotKnownIsAbortedOnceTheOwnerHasEnded() throws Exception {
        List<AbandonedClaim> told = new ArrayList<>();
        RingBuffer<long[]> ring = Rings.ringBuilder(false, 16)
                .onAbandonedClaim(1, claim -> {
                    told.add(claim);
                    assertThatThrownBy(claim::abort).hasMessageContaining("it is not known for sure whose it is");
                })
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        try (Owner owner = new Owner(ring, "feed", producer -> producer.next(2));
                Owner other = new Owner(ring, "other", producer -> producer.publishEvent(FILL))) {
            Rings.await("the claim to be told", () -> {
                processor.doWork();
                return !told.isEmpty();
            });
            AbandonedClaim kept = told.get(0);
            assertThat(kept.isOwnerKnown()).isFalse();
            owner.ended();
            assertThat(other.thread.isAlive()).isTrue();
            assertThat(kept.abort()).isEqualTo(2);
            Rings.exhaust(processor);
            assertThat(processor.sequence().get()).isEqualTo(2);
            assertThat(kept.abort()).as("once more").isZero();
            assertThat(ring.failure()).isNull();
        }
        ring.close();
    }

    @Test
    void aKeptClaimOfMessagesWhoseOwnerWasNotKnownIsAbortedOnceTheOwnerHasEnded() throws Exception {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256).build();
        MessageProducer producer = MessageProducer.of(ring);
        CountDownLatch claimed = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Rings.Caller owner = new Rings.Caller(() -> {
            producer.tryClaim(1, 8);
            claimed.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(claimed.await(20, TimeUnit.SECONDS)).isTrue();
        AbandonedClaim kept =
                Objects.requireNonNull(StalledClaimDetector.of(ring).look(0));
        assertThatThrownBy(kept::abort).hasMessageContaining("it is not known for sure whose it is");
        end.countDown();
        assertThat(owner.result()).isNull();
        assertThat(kept.abort()).isEqualTo(2);
        assertThat(kept.abort()).isZero();
        assertThat(ring.leftover().openClaims()).isZero();
    }

    /** The refusal names those that it may be at that time. */
    @Test
    void aKeptClaimIsRefusedWithWhomItMayBeOfByNow() throws Exception {
        RingBuffer<long[]> ring = ring(false, false, 16);
        Pipeline.on(ring).poller("books");
        CountDownLatch publishes = new CountDownLatch(1);
        CountDownLatch published = new CountDownLatch(1);
        try (Owner feed = new Owner(ring, "feed", producer -> {
            producer.next(1);
            producer.next(1);
        })) {
            Producer<long[]> late = ring.producer();
            CountDownLatch claimed = new CountDownLatch(1);
            Thread other = new Thread(
                    () -> {
                        long sequence = late.next(1);
                        claimed.countDown();
                        try {
                            publishes.await();
                            late.publish(sequence, sequence);
                            published.countDown();
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "late");
            other.setDaemon(true);
            other.start();
            assertThat(claimed.await(20, TimeUnit.SECONDS)).isTrue();
            AbandonedClaim kept = StalledClaimDetector.of(ring).look(0);
            assertThatThrownBy(kept::abort).hasMessageContaining("feed (").hasMessageContaining("late (");
            publishes.countDown();
            assertThat(published.await(20, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(kept::abort)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it is not known for sure whose it is, and may still be published by feed (")
                    .hasMessageNotContaining("late");
            other.interrupt();
            other.join(20_000);
            feed.ended();
            assertThat(kept.abort()).isEqualTo(2);
        }
    }

    /** Also where its slot belongs to a later claim, whose owner has ended. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKeptClaimThatWasPublishedMeanwhileAbortsNothing(boolean consumed) throws Exception {
        RingBuffer<long[]> ring = ring(false, false, 4);
        EventPoller<long[]> poller = consumed ? Pipeline.on(ring).poller("books") : null;
        Producer<long[]> slow = ring.producer();
        slow.next(1);
        AbandonedClaim kept = StalledClaimDetector.of(ring).look(0);
        assertThatThrownBy(kept::abort)
                .hasMessageContaining(Thread.currentThread().getName());
        slow.publish(0, 0);
        assertThat(kept.abort()).as("published").isZero();
        Rings.publish(slow, 3);
        if (poller != null) {
            assertThat(pollAll(poller)).containsExactly(0L, 1L, 2L, 3L);
        }
        new Owner(ring, "feed", producer -> assertThat(producer.next(1)).isEqualTo(4)).ended();
        assertThat(kept.abort()).as("a lap later").isZero();
        AbandonedClaim other =
                Objects.requireNonNull(StalledClaimDetector.of(ring).look(0));
        assertThat(other.lowest()).isEqualTo(4);
        assertThat(other.abort()).isEqualTo(1);
        assertThat(kept.abort()).as("with nothing open").isZero();
    }

    /** Its thread was within the claim, and is not any more. */
    @Test
    void aKeptClaimOnARingThatTracksClaimsIsAbortedOnceItsOwnerHasSaidWhoseItIs() throws Exception {
        RingBuffer<long[]> ring = ring(false, true, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        TrackedStamps stamps = (TrackedStamps) ((MultiProducerRing<long[]>) ring).stamps;
        Producer<long[]> late = ring.producer();
        late.next(1);
        stamps.claimed(0, 0, 77); // a number that no producer has
        AbandonedClaim kept =
                Objects.requireNonNull(StalledClaimDetector.of(ring).look(0));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(kept::abort)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "the owner of sequence 0 must be known for an abort, but its thread is within the claim:"
                                    + " try again");
        }
        stamps.claimed(0, 0, 0);
        late.next(1); // nobody has told of this one
        assertThat(kept.abort()).isEqualTo(1);
        assertThatThrownBy(() -> late.publish(0, 0)).isInstanceOf(ClaimAbortedException.class);
        late.publish(1, 1);
        assertThat(kept.abort()).isZero();
        assertThat(pollAll(poller)).containsExactly(1L);
    }

    @Test
    void aKeptClaimIsAbortedOnARingThatIsClosedToo() throws Exception {
        RingBuffer<long[]> ring = ring(false, false, 16);
        Pipeline.on(ring).poller("books");
        try (Owner owner = new Owner(ring, "feed", producer -> producer.next(2))) {
            AbandonedClaim kept = StalledClaimDetector.of(ring).look(0);
            ring.close();
            assertThatThrownBy(kept::abort)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("feed (");
            owner.ended();
            assertThat(ring.leftover().openClaims()).isEqualTo(2);
            assertThat(kept.abort()).isEqualTo(2);
            assertThat(kept.abort()).isZero();
            assertThat(ring.leftover().openClaims()).isZero();
        }
    }

    // told by consumers

    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    @Tag("concurrency")
    void aConsumerTellsOfTheClaimItStandsBefore(boolean single, boolean parks) throws Exception {
        List<AbandonedClaim> told = new ArrayList<>();
        RingBufferBuilder<long[]> builder = Rings.ringBuilder(single, 16)
                .onAbandonedClaim(TimeUnit.MILLISECONDS.toNanos(2), claim -> {
                    told.add(claim);
                    claim.abort();
                });
        if (parks) {
            builder.consumersIdle(() -> SignalledIdle.exact(0)); // parks at once: only a deadline lets it look again
        }
        RingBuffer<long[]> ring = builder.build();
        List<Long> handled = new ArrayList<>();
        EventHandler<long[]> books = (event, sequence, endOfBatch) -> handled.add(sequence);
        try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(books).then((event, sequence, endOfBatch) -> {});
            new Owner(ring, "feed", producer -> {
                        producer.publishEvent(FILL);
                        producer.next(2);
                    })
                    .ended();
            pipeline.start(); // only now: the claim is told once, and may be aborted since its owner has ended
            if (!single) {
                ring.producer().publishEvent(FILL); // what the consumers wait for
            } else {
                Rings.await("the claim to be told", () -> ring.cursor().get() == 2 || parks);
                if (parks) { // nobody waits for it; who looks finds it
                    AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
                    if (claim != null) {
                        claim.abort();
                    }
                }
                List<Producer<long[]>> next = new ArrayList<>();
                Rings.await("the ended producer to be closed, after its claim is aborted", () -> {
                    try {
                        return next.add(ring.producer());
                    } catch (IllegalStateException e) {
                        return false; // it is in use still
                    }
                });
                next.get(0).publishEvent(FILL);
            }
            assertThat(pipeline.awaitHandled(3, Rings.LONG)).isTrue();
            assertThat(handled).containsExactly(0L, 3L);
        }
        assertThat(told.size()).isBetween(single && parks ? 0 : 1, 1);
    }

    /** The wake-up comes a moment after a look that found nothing: too soon for the next, and the last one that there is. */
    @Test
    void aConsumerWokenRightAfterALookLooksAgainBeforeItParksForGood() {
        long limit = TimeUnit.HOURS.toNanos(1);
        RingBuffer<long[]> ring = Rings.ringBuilder(false, 16)
                .onAbandonedClaim(limit, claim -> {})
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> feed = ring.producer();
        assertThat(processor.doWork()).isZero(); // looks, and finds nothing
        assertThat(processor.deadline()).isEqualTo(SignalledIdle.NO_DEADLINE);
        feed.next(1);
        ring.producer().publishEvent(FILL); // wakes the consumer, which can not go on to it
        assertThat(processor.doWork()).isZero();
        assertThat(processor.deadline()).isNotEqualTo(SignalledIdle.NO_DEADLINE);
        assertThat(processor.deadline() - System.nanoTime()).isLessThanOrEqualTo(limit / 8);
        feed.publish(0, 0);
        Rings.exhaust(processor);
        assertThat(processor.sequence().get()).isEqualTo(1);
    }

    /** As above, on a thread that parks: nobody wakes it any more, wherever in the eighth of the limit the last wake-up fell. */
    @Test
    @Tag("concurrency")
    void aParkedConsumerTellsOfEveryClaimThatStandsInTheWay() throws Exception {
        long limit = TimeUnit.MILLISECONDS.toNanos(4);
        java.util.concurrent.atomic.AtomicLong aborted = new java.util.concurrent.atomic.AtomicLong(-1);
        RingBuffer<long[]> ring = Rings.ringBuilder(false, 16)
                .trackClaims()
                .onAbandonedClaim(limit, claim -> {
                    claim.abort();
                    aborted.set(claim.highest());
                })
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        java.util.SplittableRandom random = new java.util.SplittableRandom(21);
        try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
            pipeline.start();
            Producer<long[]> slow = ring.producer();
            Producer<long[]> other = ring.producer();
            for (int round = 0; round < 60; round++) {
                long wakes = other.publishEvent(FILL); // the consumer looks, and parks
                assertThat(pipeline.awaitHandled(wakes, Rings.LONG)).isTrue();
                long until = System.nanoTime() + random.nextLong(limit / 4);
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                long open = slow.next(1);
                long last = other.publishEvent(FILL);
                assertThat(pipeline.awaitHandled(last, Rings.LONG))
                        .as("round %d", round)
                        .isTrue();
                assertThat(aborted.get()).isEqualTo(open);
            }
        }
    }

    @Test
    @Tag("concurrency")
    void aClaimIsToldOnceAndAFailingHandlerFailsTheRing() throws Exception {
        List<AbandonedClaim> told = new ArrayList<>();
        IllegalStateException planned = new IllegalStateException("planned");
        RingBuffer<long[]> ring = Rings.ringBuilder(false, 16)
                .onAbandonedClaim(1_000_000, claim -> {
                    told.add(claim);
                    if (told.size() == 2) {
                        throw planned;
                    }
                })
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        producer.next(1);
        producer.next(1);
        Rings.await("the first claim to be told", () -> {
            processor.doWork();
            return !told.isEmpty();
        });
        long started = System.nanoTime();
        while (System.nanoTime() - started < 10_000_000) {
            processor.doWork();
        }
        assertThat(told).as("told once").hasSize(1);
        producer.publish(0, 0);
        Rings.await("the second claim to be told", () -> {
            processor.doWork();
            return ring.state() == State.FAILED;
        });
        assertThat(told).hasSize(2);
        assertThat(told.get(1).lowest()).isEqualTo(1);
        assertThat(ring.failure()).isSameAs(planned);
    }

    @Test
    @Tag("once")
    void anAbortIsRecorded() throws Exception {
        RingBuffer<long[]> ring = ring(false, true, 4);
        Producer<long[]> producer = ring.producer();
        producer.next(2);
        Path file = folder.resolve("abort.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.sluice.ClaimAborted");
            recording.start();
            StalledClaimDetector.of(ring).look(0).abort();
            recording.stop();
            recording.dump(file);
        }
        assertThat(RecordingFile.readAllEvents(file)).singleElement().satisfies(event -> {
            assertThat(event.getString("ring")).isEqualTo("orders");
            assertThat(event.getString("owner"))
                    .startsWith(Thread.currentThread().getName());
            assertThat(event.getLong("lowest")).isZero();
            assertThat(event.getLong("events")).isEqualTo(2);
        });
    }

    /** Whoever goes on with a dead thread's producer of messages finds nothing that it could commit: the place is another's by then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProducerOfMessagesThatWasClosedInItsOwnersSteadHoldsNoClaim(boolean single) throws Exception {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).trackClaims();
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        MessageProducer producer = MessageProducer.of(ring);
        Rings.onOwnThread(() -> assertThat(producer.tryClaim(1, 8)).isZero());
        OpenMessage claim = Objects.requireNonNull((single
                        ? (MessageClaims) ((MessageSingleRing) ring).current()
                        : (MessageClaims)
                                ((MessageMultiRing) ring).knownProducersNow().get(0))
                .tracked());
        assertThat(claim.first()).isZero();
        assertThat(Objects.requireNonNull(StalledClaimDetector.of(ring).look(0)).abort())
                .isEqualTo(2);
        assertThat(claim.first()).as("what could be committed or aborted").isEqualTo(-1);
        assertThatThrownBy(() -> producer.commit(0)).hasMessageContaining("used by one thread only");
        producer.close();
        assertThat(ring.leftover().openClaims()).isZero();
    }

    @Test
    void badInputIsRefused() {
        assertThatThrownBy(() -> StalledClaimDetector.of(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Rings.ringBuilder(true, 4).onAbandonedClaim(0, claim -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("afterNanos must be 1 or more, but was 0");
        assertThatThrownBy(() -> Rings.ringBuilder(true, 4).onAbandonedClaim(1, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("handler must not be null");
    }
}
