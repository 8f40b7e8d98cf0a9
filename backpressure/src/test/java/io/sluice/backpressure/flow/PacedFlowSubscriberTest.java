package io.sluice.backpressure.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import io.sluice.backpressure.rate.PacedPublisher;
import io.sluice.backpressure.rate.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;

class PacedFlowSubscriberTest {
    private final VirtualClock clock = new VirtualClock(0);
    private final RateLimiter limiter = RateLimiter.singleWriter(clock, 4);
    private final List<Integer> sent = new ArrayList<>();
    private final PacedFlowSubscriber<Integer> subscriber = subscriber(8);
    private final Source source = new Source();

    private PacedFlowSubscriber<Integer> subscriber(int window) {
        return new PacedFlowSubscriber<>(
                new PacedPublisher<Integer>(limiter, 2, YieldingIdleStrategy.INSTANCE, batch -> {
                    if (batch.contains(-1)) {
                        throw new IllegalStateException("mine");
                    }
                    sent.addAll(batch);
                }),
                window);
    }

    private static final class Source implements Flow.Subscription {
        long requested;
        int requests;
        int cancels;

        @Override
        public void request(long n) {
            requested += n;
            requests++;
        }

        @Override
        public void cancel() {
            cancels++;
        }
    }

    @Test
    void asksForAWindowAndForHalfOfItWhenThatHasGone() {
        assertThat(subscriber.doWork()).isZero();
        subscriber.onSubscribe(source);
        assertThat(source.requested).isEqualTo(8);
        for (int i = 0; i < 3; i++) {
            subscriber.onNext(i);
        }
        assertThat(subscriber.doWork()).isEqualTo(3);
        assertThat(source.requests).isEqualTo(1);
        subscriber.onNext(3);
        subscriber.doWork();
        assertThat(source.requested).isEqualTo(12);
        assertThat(source.requests).isEqualTo(2);
        assertThat(sent).containsExactly(0, 1, 2, 3);
    }

    @Test
    void theLimitReachesTheSourceAsMissingDemand() {
        limiter.setRate(1_000);
        subscriber.onSubscribe(source);
        for (int i = 0; i < 8; i++) {
            subscriber.onNext(i);
        }
        assertThat(subscriber.doWork()).isEqualTo(2); // collected: nothing may go yet
        assertThat(source.requested).isEqualTo(8);
        assertThat(sent).isEmpty();
        for (int millis = 1; millis <= 20; millis++) {
            clock.now += 1_000_000;
            subscriber.doWork();
            assertThat(sent.size()).isLessThanOrEqualTo(millis + 1);
            assertThat(source.requested - sent.size()).isLessThanOrEqualTo(8 + 2);
        }
        assertThat(sent).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(source.requested).isEqualTo(16);
    }

    @Test
    void theEndIsReachedWhenEverythingBeforeItHasGone() {
        limiter.setRate(1_000);
        subscriber.onSubscribe(source);
        subscriber.onNext(1);
        subscriber.onNext(2);
        subscriber.onComplete();
        subscriber.doWork();
        assertThat(subscriber.isDone()).isFalse();
        clock.now += 10_000_000;
        subscriber.doWork();
        assertThat(sent).containsExactly(1, 2);
        assertThat(subscriber.isDone()).isTrue();
        assertThat(subscriber.failure()).isNull();
        assertThat(source.cancels).isZero();
        assertThat(subscriber.doWork()).isZero();
    }

    @Test
    void theSourcesFailureIsThrownOnceBehindItsItems() {
        subscriber.onSubscribe(source);
        subscriber.onNext(1);
        RuntimeException failure = new RuntimeException("theirs");
        subscriber.onError(failure);
        subscriber.onError(new RuntimeException("too late"));
        assertThatThrownBy(subscriber::doWork).hasMessage("the source failed").hasCause(failure);
        assertThat(sent).containsExactly(1);
        assertThat(subscriber.failure()).isSameAs(failure);
        assertThat(subscriber.isDone()).isTrue();
        assertThat(subscriber.doWork()).isZero();
    }

    @Test
    void aSourceThatSendsTooMuchIsCancelledAndNamed() {
        subscriber.onSubscribe(source);
        for (int i = 0; i < 9; i++) {
            subscriber.onNext(i);
        }
        assertThatThrownBy(subscriber::doWork).hasRootCauseMessage("the source sent more than the 8 asked for");
        assertThat(sent).hasSize(8);
        assertThat(source.cancels).isEqualTo(1);
    }

    /** The ninth is dropped; then the agent makes room, and the source goes on. */
    @Test
    void nothingIsSentThatCameBehindAnItemTooMany() {
        subscriber.onSubscribe(source);
        for (int i = 0; i < 9; i++) {
            subscriber.onNext(i);
        }
        limiter.setRate(1);
        assertThat(subscriber.doWork()).as("the burst").isPositive();
        subscriber.onNext(9);
        subscriber.onNext(10);
        limiter.setUnlimited();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 8; i++) {
                        subscriber.doWork();
                    }
                })
                .hasRootCauseMessage("the source sent more than the 8 asked for");
        assertThat(sent).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void aSenderThatThrowsEndsIt() {
        subscriber.onSubscribe(source);
        subscriber.onNext(1);
        subscriber.onNext(-1);
        subscriber.onNext(3);
        assertThatThrownBy(subscriber::doWork).hasMessage("mine");
        assertThat(source.cancels).isEqualTo(1);
        assertThat(subscriber.isDone()).isTrue();
        subscriber.onNext(4);
        assertThat(subscriber.doWork()).isZero();
        assertThat(sent).containsExactly(1);
    }

    @Test
    void aSecondSourceIsCancelled() {
        subscriber.onSubscribe(source);
        Source second = new Source();
        subscriber.onSubscribe(second);
        assertThat(second.cancels).isEqualTo(1);
        assertThat(second.requests).isZero();
        assertThat(source.cancels).isZero();
    }

    @Test
    void cancellingLetsTheSourceGo() {
        subscriber.onSubscribe(source);
        subscriber.onNext(1);
        subscriber.cancel();
        subscriber.onNext(2);
        assertThat(subscriber.doWork()).isZero();
        assertThat(source.cancels).isEqualTo(1);
        assertThat(sent).isEmpty();
        assertThat(subscriber.isDone()).isTrue();
    }

    @Test
    void windowsOfAnySizeAndBadOnes() {
        PacedFlowSubscriber<Integer> three = subscriber(3);
        three.onSubscribe(source);
        for (int i = 0; i < 100; i++) {
            three.onNext(i);
            three.doWork();
        }
        PacedFlowSubscriber<Integer> one = subscriber(1);
        one.onSubscribe(source);
        for (int i = 100; i < 110; i++) {
            one.onNext(i);
            one.doWork();
        }
        assertThat(sent).hasSize(110).isSorted();
        assertThatThrownBy(() -> subscriber(0)).hasMessage("window must be from 1 to 16777216, but was 0");
        assertThatThrownBy(() -> subscriber.onNext(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> subscriber.onError(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> subscriber.onSubscribe(null)).isInstanceOf(NullPointerException.class);
        assertThat(subscriber.roleName()).isEqualTo("paced-flow-subscriber");
    }

    /** The JDK's own publisher on other threads: nothing lost, doubled or out of order. */
    @Test
    @Tag("concurrency")
    @Timeout(60)
    void carriesTheItemsOfAnotherThreadInOrder() {
        PacedFlowSubscriber<Integer> own = subscriber(16);
        int items = 50_000;
        Thread feeder = new Thread(() -> {
            try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>()) {
                publisher.subscribe(own);
                for (int i = 0; i < items; i++) {
                    publisher.submit(i);
                }
            }
        });
        feeder.start();
        while (!own.isDone()) {
            if (own.doWork() == 0) {
                LockSupport.parkNanos(20_000);
            }
        }
        assertThat(sent).hasSize(items);
        for (int i = 0; i < items; i++) {
            assertThat(sent.get(i)).isEqualTo(i);
        }
    }

    /** The end is read before the items: else it may be read with items that came between the two reads, and lose them. */
    @Test
    @Tag("concurrency")
    @Timeout(60)
    void whatComesJustBeforeTheEndIsSent() throws InterruptedException {
        int rounds = 50_000;
        AtomicReference<PacedFlowSubscriber<Integer>> fed = new AtomicReference<>();
        Thread feeder = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                PacedFlowSubscriber<Integer> to;
                do {
                    Thread.onSpinWait();
                    to = fed.getAndSet(null);
                } while (to == null);
                to.onNext(i);
                to.onComplete();
            }
        });
        feeder.setDaemon(true);
        feeder.start();
        for (int i = 0; i < rounds; i++) {
            PacedFlowSubscriber<Integer> own = subscriber(1);
            own.onSubscribe(source);
            fed.set(own);
            while (!own.isDone()) {
                own.doWork();
            }
            assertThat(sent).as("round %d", i).containsExactly(i);
            sent.clear();
        }
        feeder.join();
    }

    // ---- the TCK

    @TestFactory
    @Tag("concurrency")
    @Timeout(120)
    Stream<DynamicTest> passesTheReactiveStreamsTck() {
        return Tck.tests(Verification::new, Verification::stop, Set.of());
    }

    /** A subscriber, served by a thread of its own, as an agent would be. */
    public static final class Verification extends FlowSubscriberBlackboxVerification<Integer> {
        private final AtomicBoolean running = new AtomicBoolean(true);
        private final List<Thread> threads = new CopyOnWriteArrayList<>();

        Verification() {
            super(new TestEnvironment(1_000, 50));
        }

        @Override
        public Flow.Subscriber<Integer> createFlowSubscriber() {
            RateLimiter unlimited = RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 64);
            PacedFlowSubscriber<Integer> subscriber = new PacedFlowSubscriber<>(
                    new PacedPublisher<Integer>(unlimited, 4, YieldingIdleStrategy.INSTANCE, batch -> {}), 4);
            Thread thread = new Thread(
                    () -> {
                        while (running.get() && !subscriber.isDone()) {
                            try {
                                subscriber.doWork();
                            } catch (IllegalStateException e) {
                                assertThat(e).hasMessage("the source failed"); // by some of the tests
                            }
                            LockSupport.parkNanos(20_000);
                        }
                    },
                    "tck");
            threads.add(thread);
            thread.start();
            return subscriber;
        }

        @Override
        public Integer createElement(int element) {
            return element;
        }

        void stop() {
            running.set(false);
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
