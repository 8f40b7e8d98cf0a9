package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Every form in which a claim can be made, by every kind of producer: what has to hold of each. Public entries take strings only,
 * so that {@link ClaimFormsTest} can run this in class loaders with and without assertions.
 */
public final class ClaimForms {
    private static final EventTranslator<long[]> FILL = (event, sequence) -> event[0] = sequence;

    private ClaimForms() {}

    /** The kinds of producers. Of each ring 2 slots are retained, so that claims of one and of three fill it exactly. */
    enum Kind {
        SINGLE(true, false, 8),
        REMEMBERING(true, false, CachedCursorProducer.FEWEST_SLOTS),
        MULTI(false, false, 8),
        TRACKED_SINGLE(true, true, 8),
        TRACKED_MULTI(false, true, 8);

        final boolean single;
        final boolean tracked;
        final int capacity;

        Kind(boolean single, boolean tracked, int capacity) {
            this.single = single;
            this.tracked = tracked;
            this.capacity = capacity;
        }
    }

    /** A ring with one consumer, which the test's thread runs, and one producer, bound to nobody yet. */
    private static final class Subject {
        final Kind kind;
        final List<AbandonedClaim> told = new ArrayList<>();
        final RingBuffer<long[]> ring;
        final EventProcessor consumer;
        final Producer<long[]> producer;
        final DroppingProducer<long[]> newest;
        final DroppingProducer<long[]> oldest;

        Subject(Kind kind) {
            this.kind = kind;
            RingBufferBuilder<long[]> builder = Rings.ringBuilder(kind.single, kind.capacity)
                    .retain(2)
                    .onAbandonedClaim(1, told::add)
                    .shedding((consumer, event, sequence) -> {});
            ring = (kind.tracked ? builder.trackClaims() : builder).build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
            consumer = pipeline.startProcessors().get(0);
            producer = ring.producer();
            newest = DroppingProducer.dropNewest(producer, new long[1], event -> {});
            oldest = DroppingProducer.dropOldest(producer, TimeUnit.DAYS.toNanos(1));
        }

        int window() {
            return kind.capacity - 2;
        }

        Thread owner() {
            return ((AbstractProducer<?>) producer).owner();
        }
    }

    /** Claims, runs what is to happen while the claim is open, and publishes, unless it throws. */
    private interface Use {
        long by(Subject subject, Runnable whileOpen) throws Exception;
    }

    private record Form(String name, int claims, boolean mayStayOpen, Use use) {}

    private interface Claim {
        long by(Producer<long[]> producer);
    }

    private static Form claim(String name, int claims, Claim claim) {
        return new Form(name, claims, true, (subject, whileOpen) -> {
            long hi = claim.by(subject.producer);
            if (hi >= 0) {
                whileOpen.run();
                subject.producer.publish(subject.producer.claimedFrom(), hi);
            }
            return hi;
        });
    }

    private static Form safe(String name, int claims, Use use) {
        return new Form(name, claims, false, use);
    }

    private static final List<Form> FORMS = forms();

    private static List<Form> forms() {
        List<Form> forms = new ArrayList<>(List.of(
                new Form("next()", 1, true, (subject, whileOpen) -> {
                    long sequence = subject.producer.next();
                    whileOpen.run();
                    subject.producer.publish(sequence);
                    return sequence;
                }),
                claim("next(1)", 1, producer -> producer.next(1)),
                claim("next(3)", 3, producer -> producer.next(3)),
                claim("next(1, time)", 1, producer -> producer.next(1, Rings.LONG)),
                claim("next(3, 0)", 3, producer -> producer.next(3, 0)),
                claim("tryNext(1)", 1, producer -> producer.tryNext(1)),
                claim("tryNext(3)", 3, producer -> producer.tryNext(3)),
                claim("tryNextUpTo(1)", 1, producer -> producer.tryNextUpTo(1)),
                claim("tryNextUpTo(3)", 3, producer -> producer.tryNextUpTo(3)),
                safe("publishEvents", 3, (subject, open) -> subject.producer.publishEvents(batch(open), 3)),
                safe("tryPublishEvents", 3, (subject, open) -> subject.producer.tryPublishEvents(batch(open), 3))));
        forms.addAll(List.of(
                safe(
                        "publishEvent",
                        1,
                        (subject, open) -> subject.producer.publishEvent((event, sequence) -> open.run())),
                safe("publishEvent 1", 1, (subject, open) -> subject.producer.publishEvent(one(open), "a")),
                safe("publishEvent 2", 1, (subject, open) -> subject.producer.publishEvent(two(open), "a", "b")),
                safe(
                        "publishEvent 3",
                        1,
                        (subject, open) ->
                                subject.producer.publishEvent((event, sequence, a, b, c) -> open.run(), "a", "b", "c")),
                safe("publishEvent long", 1, (subject, open) -> subject.producer.publishEvent(number(open), 1L)),
                safe(
                        "publishEvent two longs",
                        1,
                        (subject, open) -> subject.producer.publishEvent(numbers(open), 1L, 2L))));
        forms.addAll(List.of(
                safe(
                        "tryPublishEvent",
                        1,
                        (subject, open) -> subject.producer.tryPublishEvent((event, sequence) -> open.run())),
                safe("tryPublishEvent 1", 1, (subject, open) -> subject.producer.tryPublishEvent(one(open), "a")),
                safe("tryPublishEvent 2", 1, (subject, open) -> subject.producer.tryPublishEvent(two(open), "a", "b")),
                safe(
                        "tryPublishEvent 3",
                        1,
                        (subject, open) -> subject.producer.tryPublishEvent(
                                (event, sequence, a, b, c) -> open.run(), "a", "b", "c")),
                safe("tryPublishEvent long", 1, (subject, open) -> subject.producer.tryPublishEvent(number(open), 1L)),
                safe(
                        "tryPublishEvent two longs",
                        1,
                        (subject, open) -> subject.producer.tryPublishEvent(numbers(open), 1L, 2L))));
        for (boolean newest : new boolean[] {true, false}) {
            String name = newest ? "drop newest" : "drop oldest";
            forms.addAll(List.of(
                    safe(
                            name,
                            1,
                            (subject, open) -> dropping(subject, newest).publishEvent((event, sequence) -> open.run())),
                    safe(
                            name + " 1",
                            1,
                            (subject, open) -> dropping(subject, newest).publishEvent(one(open), "a")),
                    safe(
                            name + " 2",
                            1,
                            (subject, open) -> dropping(subject, newest).publishEvent(two(open), "a", "b")),
                    safe(
                            name + " long",
                            1,
                            (subject, open) -> dropping(subject, newest).publishEvent(number(open), 1L)),
                    safe(
                            name + " 3",
                            1,
                            (subject, open) -> dropping(subject, newest)
                                    .publishEvent((event, sequence, a, b, c) -> open.run(), "a", "b", "c")),
                    safe(
                            name + " two longs",
                            1,
                            (subject, open) -> dropping(subject, newest).publishEvent(numbers(open), 1L, 2L))));
        }
        return forms;
    }

    private static DroppingProducer<long[]> dropping(Subject subject, boolean newest) {
        return newest ? subject.newest : subject.oldest;
    }

    private static EventTranslatorOneArg<long[], String> one(Runnable open) {
        return (event, sequence, a) -> open.run();
    }

    private static EventTranslatorTwoArg<long[], String, String> two(Runnable open) {
        return (event, sequence, a, b) -> open.run();
    }

    private static EventTranslatorLong<long[]> number(Runnable open) {
        return (event, sequence, value) -> open.run();
    }

    private static EventTranslatorTwoLongs<long[]> numbers(Runnable open) {
        return (event, sequence, first, second) -> open.run();
    }

    private static EventTranslatorBatch<long[]> batch(Runnable open) {
        return (event, sequence, i) -> {
            if (i == 0) {
                open.run();
            }
        };
    }

    /** A thread of its own that runs one task after another, so that it lives in between. */
    private static final class Actor implements AutoCloseable {
        private final Thread[] thread = new Thread[1];
        private final java.util.concurrent.ExecutorService tasks;

        Actor() {
            ThreadFactory threads = task -> {
                thread[0] = new Thread(task, "feed");
                thread[0].setDaemon(true);
                return thread[0];
            };
            tasks = Executors.newSingleThreadExecutor(threads);
        }

        Object run(java.util.concurrent.Callable<?> task) throws Exception {
            return start(task).get(20, TimeUnit.SECONDS);
        }

        java.util.concurrent.Future<?> start(java.util.concurrent.Callable<?> task) {
            return tasks.submit(task);
        }

        void end() throws InterruptedException {
            tasks.shutdown();
            thread[0].join(20_000);
            assertThat(thread[0].isAlive()).isFalse();
        }

        @Override
        public void close() {
            tasks.shutdownNow();
        }
    }

    private interface Check {
        void of(Form form, Subject subject, Actor feed) throws Exception;
    }

    /** Runs a check for each form; the message says which failed. */
    private static void each(Kind kind, Check check) throws Exception {
        List<String> failed = new ArrayList<>();
        for (Form form : FORMS) {
            try (Actor feed = new Actor()) {
                check.of(form, new Subject(kind), feed);
            } catch (Exception | AssertionError e) {
                failed.add(form.name + ": " + e);
            }
        }
        assertThat(failed).as("forms of claim that fail with " + kind).isEmpty();
    }

    /** Does something on the test's thread while a claim of the other thread is open. */
    private static void whileOpen(Form form, Subject subject, Actor feed, Run between) throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        java.util.concurrent.Future<?> done = feed.start(() -> form.use.by(subject, () -> {
            open.countDown();
            await(goOn);
        }));
        try {
            assertThat(open.await(20, TimeUnit.SECONDS)).isTrue();
            between.run();
        } finally {
            goOn.countDown();
        }
        done.get(20, TimeUnit.SECONDS);
    }

    private interface Run {
        void run() throws Exception;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // what has to hold of each; called by name

    public static void theFirstClaimBindsTheProducerToItsThread(String kind) throws Exception {
        each(Kind.valueOf(kind), (form, subject, feed) -> {
            assertThat(subject.owner()).isNull();
            whileOpen(form, subject, feed, () -> assertThat(subject.owner()).isSameAs(feed.thread[0]));
            assertThat(subject.owner()).isSameAs(feed.thread[0]);
        });
    }

    public static void anotherThreadIsRefusedWhereItHasToLookForRoom(String kind) throws Exception {
        each(Kind.valueOf(kind), (form, subject, feed) -> {
            for (int i = subject.window() / form.claims; i > 0; i--) {
                assertThat((long) feed.run(() -> form.use.by(subject, () -> {})))
                        .isNotNegative();
            }
            refused(form, subject); // the ring is full
            Rings.exhaust(subject.consumer);
            refused(form, subject); // there is room, which this producer does not know of yet
            assertThat((long) feed.run(() -> form.use.by(subject, () -> {})))
                    .isEqualTo(subject.window() + form.claims - 1L);
        });
    }

    private static void refused(Form form, Subject subject) {
        assertThatThrownBy(() -> form.use.by(subject, () -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("a producer must be used by one thread only, but the producer of Thread[")
                .hasMessageContaining(" was used by " + Thread.currentThread());
    }

    public static void anotherThreadNeitherAbortsNorClosesNorPublishesTwice(String kind) throws Exception {
        each(Kind.valueOf(kind), (form, subject, feed) -> {
            whileOpen(form, subject, feed, () -> {
                assertThatThrownBy(() -> subject.producer.abort(0, form.claims - 1L))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("must be used by one thread only");
                assertThatThrownBy(subject.producer::close)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(" was closed by " + Thread.currentThread());
            });
            assertThatThrownBy(() -> subject.producer.publish(0, form.claims - 1L)) // it is published
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must be used by one thread only");
            assertThatThrownBy(() -> subject.producer.publish(0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must be used by one thread only");
            assertThat(feed.run(() -> subject.producer.publishEvent(FILL))).isEqualTo((long) form.claims);
            feed.end();
            subject.producer.close();
            subject.producer.close();
            assertThatThrownBy(() -> subject.producer.tryNext(1))
                    .hasMessageContaining("must be used by one thread only");
            assertThat(subject.ring.producer().publishEvent(FILL)).isEqualTo(form.claims + 1L);
        });
    }

    public static void anOpenClaimIsSeenByDrain(String kind) throws Exception {
        each(
                Kind.valueOf(kind),
                (form, subject, feed) -> whileOpen(form, subject, feed, () -> {
                    Ring.Leftover left = subject.ring.drain(0);
                    assertThat(left.openClaims()).isEqualTo(form.claims);
                    assertThat(left.openProducers())
                            .isEqualTo(subject.kind.single ? 1 : 0); // many are told by their word
                }));
    }

    public static void aSlowClaimIsFoundAndNamedAndHarmsNobody(String kind) throws Exception {
        each(Kind.valueOf(kind), (form, subject, feed) -> {
            whileOpen(form, subject, feed, () -> {
                AbandonedClaim claim = StalledClaimDetector.of(subject.ring).look(0);
                assertThat(claim).isNotNull();
                assertThat(claim.lowest()).isZero();
                assertThat(claim.highest()).isEqualTo(form.claims - 1L);
                assertThat(claim.threads()).containsExactly(feed.thread[0]);
                assertThat(claim.isOwnerKnown()).isEqualTo(subject.kind.single || subject.kind.tracked);
                assertThat(RingMonitor.of(subject.ring).dump()).contains("feed (");
                Rings.await("the consumer to tell of it", () -> {
                    subject.consumer.doWork();
                    return !subject.told.isEmpty();
                });
                assertThat(subject.told.get(0).threads()).containsExactly(feed.thread[0]);
                assertThat(subject.ring.state()).isEqualTo(State.RUNNING);
            });
            Rings.exhaust(subject.consumer);
            assertThat(subject.consumer.sequence().get()).isEqualTo(form.claims - 1L);
        });
    }

    public static void theClaimOfAnEndedThreadIsAborted(String kind) throws Exception {
        each(Kind.valueOf(kind), (form, subject, feed) -> {
            if (!form.mayStayOpen) {
                return; // the form ends with the claim
            }
            IllegalStateException dies = new IllegalStateException("dies");
            assertThatThrownBy(() -> feed.run(() -> form.use.by(subject, () -> {
                        throw dies;
                    })))
                    .hasRootCause(dies);
            feed.end();
            AbandonedClaim claim = StalledClaimDetector.of(subject.ring).look(0);
            assertThat(claim.isOwnerKnown()).isTrue();
            assertThat(claim.threads()).containsExactly(feed.thread[0]);
            assertThat(claim.abort()).isEqualTo(form.claims);
            Rings.exhaust(subject.consumer);
            assertThat(subject.consumer.sequence().get()).isEqualTo(form.claims - 1L);
            try (Producer<long[]> next = subject.ring.producer()) {
                assertThat(next.publishEvent(FILL)).isEqualTo((long) form.claims);
            }
        });
    }

    /** However the two mix: the thread that came second is told so, and nobody gets an index out of bounds in place of it. */
    public static void twoThreadsOnOneProducerAreToldSo(String kind) throws Exception {
        Kind of = Kind.valueOf(kind);
        for (int round = of.capacity > 8 ? 10 : 100; round > 0; round--) {
            RingBufferBuilder<long[]> builder = Rings.ringBuilder(of.single, of.capacity);
            Producer<long[]> producer =
                    (of.tracked ? builder.trackClaims() : builder).build().producer();
            CountDownLatch begin = new CountDownLatch(1);
            List<Rings.Caller> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                both.add(new Rings.Caller(() -> {
                    await(begin);
                    publishUntilRefusedOr(producer, both);
                }));
            }
            begin.countDown();
            List<Throwable> thrown = new ArrayList<>();
            for (Rings.Caller one : both) {
                Throwable its = one.result();
                if (its != null) {
                    thrown.add(its);
                }
            }
            assertThat(thrown)
                    .as("what two threads on one producer throw")
                    .anySatisfy(one -> assertThat(one)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("must be used by one thread only"))
                    .noneSatisfy(one -> assertThat(one).isInstanceOf(IndexOutOfBoundsException.class));
        }
    }

    /** Publishes in several forms, until it is refused, or the only one left and the producer's own thread. */
    private static void publishUntilRefusedOr(Producer<long[]> producer, List<Rings.Caller> both) {
        AbstractProducer<long[]> own = (AbstractProducer<long[]>) producer;
        do {
            producer.publishEvent(FILL);
            long one = producer.next(1);
            long hi = producer.tryNextUpTo(2);
            producer.publish(one, one);
            if (hi >= 0) {
                producer.publish(one + 1, hi);
            }
        } while (own.owner() != Thread.currentThread() || both.stream().allMatch(caller -> caller.thread.isAlive()));
    }

    public static void aClaimAbortedInItsLivingOwnersSteadIsItsLoss(String kind) throws Exception {
        each(Kind.valueOf(kind), (form, subject, feed) -> {
            if (!subject.kind.tracked) {
                return;
            }
            assertThatThrownBy(() -> whileOpen(
                            form,
                            subject,
                            feed,
                            () -> assertThat(StalledClaimDetector.of(subject.ring)
                                            .look(0)
                                            .abort())
                                    .isEqualTo(form.claims)))
                    .hasRootCauseInstanceOf(ClaimAbortedException.class);
            Rings.exhaust(subject.consumer);
            assertThat(feed.run(() -> subject.producer.publishEvent(FILL))).isEqualTo((long) form.claims);
            assertThat(subject.ring.state()).isEqualTo(State.RUNNING);
        });
    }
}
