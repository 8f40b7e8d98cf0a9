package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens when handlers throw. The processors are worked by the test's own thread. */
class FailurePolicyTest {
    private final List<String> reports = new ArrayList<>();
    private final FailurePolicies.Report report =
            (cause, sequence, attempt) -> reports.add(cause.getMessage() + " at " + sequence + ", " + attempt);

    /** One handler on a ring of 32, so that a batch spans up to 8. */
    private static final class Rig {
        final RingBuffer<long[]> ring = ring(true, 32);
        final Pipeline<long[]> pipeline = Pipeline.on(ring);
        final Producer<long[]> producer = ring.producer();
        final EventProcessor processor;
        final ConsumerHandle consumer;

        Rig(EventHandler<long[]> handler, FailurePolicy<? super long[]> policy, int events) {
            pipeline.handleEventsWith(pipeline.consumer("handler", handler).onFailure(policy));
            consumer = pipeline.consumer(handler);
            processor = pipeline.startProcessors().get(0);
            publish(producer, events);
            Rings.exhaust(processor);
        }
    }

    /** Throws from the named places, so many times each. */
    private static final class Failing extends Rings.Recorder {
        private String place;
        private int left;

        Failing(String place, int times) {
            this.place = place;
            this.left = times;
        }

        void failAt(String next) {
            place = next;
            left = 1;
        }

        private void fail(String here) {
            if (here.equals(place) && left > 0) {
                left--;
                throw new IllegalArgumentException("failed");
            }
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
            super.onEvent(event, sequence, endOfBatch);
            fail(Long.toString(sequence));
        }

        @Override
        public void onBatchStart(long size, long available) {
            super.onBatchStart(size, available);
            fail("onBatchStart");
        }

        @Override
        public void onBatchEnd(long sequence) throws Exception {
            super.onBatchEnd(sequence);
            fail("onBatchEnd");
        }

        @Override
        public void onStart() {
            super.onStart();
            fail("onStart");
        }

        @Override
        public void onShutdown() {
            super.onShutdown();
            fail("onShutdown");
        }

        @Override
        public void onTimeout(long sequence) {
            super.onTimeout(sequence);
            fail("onTimeout");
        }
    }

    @Test
    void skipGoesOnWithTheNextEventAndEndsTheBatch() {
        Failing handler = new Failing("2", 1);
        Rig rig = new Rig(handler, FailurePolicies.skip(report), 3);
        assertThat(handler.calls).containsExactly("onStart", "start 3/3", "0", "1", "2!", "end 2");
        assertThat(reports).containsExactly("failed at 2, 1");
        assertThat(rig.processor.sequence().get()).isEqualTo(2);
        assertThat(rig.ring.state()).isEqualTo(State.RUNNING);
        assertThat(rig.consumer.failure()).isNull();
    }

    @Test
    void retryHandsTheSameEventOverAgain() {
        Failing handler = new Failing("1", 2);
        Rig rig = new Rig(handler, FailurePolicies.retryEvent(2, report, Action.HALT), 3);
        assertThat(handler.calls).containsExactly("onStart", "start 3/3", "0", "1", "1", "1", "2!", "end 2");
        assertThat(reports).containsExactly("failed at 1, 1", "failed at 1, 2");
        assertThat(rig.ring.state()).isEqualTo(State.RUNNING);
    }

    @Test
    void retriesAreBoundedAndThenHaltOrSkip() {
        Failing halting = new Failing("1", 99);
        Rig rig = new Rig(halting, FailurePolicies.retryEvent(2, report, Action.HALT), 3);
        assertThat(halting.calls).containsExactly("onStart", "start 3/3", "0", "1", "1", "1");
        assertThat(rig.ring.state()).isEqualTo(State.FAILED);
        assertThat(rig.processor.sequence().get()).isEqualTo(-1);
        assertThat(rig.processor.isDone()).isTrue();
        Failing skipping = new Failing("1", 99);
        Rig other = new Rig(skipping, FailurePolicies.retryEvent(2, report, Action.SKIP), 3);
        assertThat(skipping.calls).containsExactly("onStart", "start 3/3", "0", "1", "1", "1", "2!", "end 2");
        assertThat(other.ring.leftover().unhandled()).isZero();
    }

    /** The test counts on from where an int ends: so many failures take too long. */
    @Test
    void anEndlessRetryIsNeverToldANegativeAttempt() {
        LoopFailures<?>[] loop = {null};
        List<Integer> told = new ArrayList<>();
        FailurePolicy<long[]> endless = (cause, event, sequence, attempt) -> {
            told.add(attempt);
            if (attempt == 1) {
                loop[0].attempts = Integer.MAX_VALUE - 1;
            }
            return Action.RETRY_EVENT;
        };
        Rig rig = new Rig(new Failing("1", 4), endless, 0);
        loop[0] = (LoopFailures<?>) rig.processor;
        publish(rig.producer, 2);
        Rings.exhaust(rig.processor);
        assertThat(told).containsExactly(1, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
        assertThat(rig.processor.sequence().get()).isEqualTo(1);
    }

    /** One attempt more is allowed, and each batch needs it once. */
    @ParameterizedTest
    @ValueSource(strings = {"onBatchStart", "2"})
    void whatFailedAtTheEndOfABatchIsNoAttemptOfTheNextOne(String next) {
        Failing handler = new Failing("onBatchEnd", 1);
        Rig rig = new Rig(handler, FailurePolicies.retryEvent(1, report, Action.HALT), 2);
        assertThat(handler.calls).endsWith("0", "1!", "end 1", "end 1");
        handler.failAt(next);
        publish(rig.producer, 2);
        Rings.exhaust(rig.processor);
        assertThat(reports).containsExactly("failed at 1, 1", "failed at 2, 1");
        assertThat(rig.ring.state()).isEqualTo(State.RUNNING);
        assertThat(rig.processor.sequence().get()).isEqualTo(3);
    }

    @Test
    void rewindStartsTheBatchAgain() {
        Failing handler = new Failing("1", 1);
        Rig rig = new Rig(handler, FailurePolicies.rewindBatch(1, report, Action.HALT), 3);
        assertThat(handler.calls)
                .containsExactly("onStart", "start 3/3", "0", "1", "start 3/3", "0", "1", "2!", "end 2");
        assertThat(rig.processor.sequence().get()).isEqualTo(2);
    }

    /** Two events that take turns in failing: the attempts still run out. */
    @Test
    void rewindsAreBoundedAcrossEvents() {
        List<Long> calls = new ArrayList<>();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            calls.add(sequence);
            if (sequence == 2 || (sequence == 1 && calls.size() % 2 == 0)) {
                throw new IllegalArgumentException("failed");
            }
        };
        Rig rig = new Rig(handler, FailurePolicies.rewindBatch(3, report, Action.HALT), 3);
        assertThat(rig.ring.state()).isEqualTo(State.FAILED);
        assertThat(reports).hasSizeBetween(4, 8);
    }

    @Test
    void rewindGoesBackNoFurtherThanTheHandlersOwnProgress() {
        for (long progress = 0; progress <= 2; progress++) {
            long reported = progress;
            RingBuffer<long[]> ring = ring(true, 32);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            List<String> calls = new ArrayList<>();
            EventHandler<long[]> handler = new EventHandler<>() {
                private boolean failed;

                @Override
                public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                    calls.add(Long.toString(sequence));
                    if (sequence == reported && !failed) {
                        pipeline.consumer(this).progress(reported);
                    }
                    if (sequence == 2 && !failed) {
                        failed = true;
                        throw new IllegalArgumentException("failed");
                    }
                }

                @Override
                public void onBatchStart(long size, long available) {
                    calls.add("start " + size);
                }

                @Override
                public void onBatchEnd(long sequence) {
                    calls.add("end " + sequence);
                }
            };
            pipeline.handleEventsWith(pipeline.consumer("handler", handler)
                    .onFailure(FailurePolicies.rewindBatch(1, report, Action.HALT)));
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            producer.next(4);
            producer.publish(0, 2);
            producer.abort(3, 3);
            Rings.exhaust(processor);
            List<String> expected = new ArrayList<>(List.of("start 4", "0", "1", "2"));
            if (progress < 2) {
                expected.add("start " + (3 - progress));
            }
            for (long again = progress + 1; again <= 2; again++) {
                expected.add(Long.toString(again));
            }
            expected.add("end 3");
            assertThat(calls).as("progress " + progress).isEqualTo(expected);
            assertThat(processor.sequence().get()).isEqualTo(3);
        }
    }

    /** The slot may be a later event's already. */
    @Test
    void anEventBehindTheHandlersOwnProgressIsNotRetried() {
        RingBuffer<long[]> ring = ring(false, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Long> seen = new ArrayList<>();
        List<Producer<long[]>> own = new ArrayList<>();
        EventHandler<long[]> handler = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                seen.add(event[0]);
                if (sequence == 0) {
                    pipeline.consumer(this).progress(0);
                    own.get(0).tryPublishEvent((slot, number) -> slot[0] = 100 + number);
                    throw new IllegalArgumentException("failed");
                }
            }
        };
        pipeline.handleEventsWith(handler);
        pipeline.onFailure(FailurePolicies.retryEvent(5, report, Action.HALT));
        EventProcessor processor = pipeline.startProcessors().get(0);
        own.add(ring.producer());
        publish(own.get(0), 4);
        Rings.exhaust(processor);
        assertThat(seen).containsExactly(0L, 1L, 2L, 3L, 104L);
    }

    @Test
    void haltStopsBeforeTheFailingEventAndPublishesNoFurtherProgress() {
        Failing handler = new Failing("9", 1);
        Rig rig = new Rig(handler, FailurePolicies.halt(), 12);
        assertThat(rig.processor.sequence().get()).isEqualTo(7);
        assertThat(rig.ring.leftover().unhandled()).isEqualTo(4);
        assertThat(rig.processor.doWork()).isZero();
        assertThat(handler.calls).endsWith("8", "9");
        rig.processor.onClose();
        assertThat(handler.calls).endsWith("9", "onShutdown");
        rig.processor.onClose();
        assertThat(handler.calls).endsWith("9", "onShutdown");
    }

    @Test
    void anErrorAlwaysHalts() {
        AssertionError error = new AssertionError("broken");
        Rig rig = new Rig(
                (event, sequence, endOfBatch) -> {
                    throw error;
                },
                FailurePolicies.skip(report),
                1);
        assertThat(rig.ring.failure()).isSameAs(error);
        assertThat(reports).containsExactly("broken at 0, 1");
    }

    @Test
    void aPolicyThatThrowsOrGivesNullHalts() {
        IllegalStateException own = new IllegalStateException("policy");
        Rig throwing = new Rig(
                new Failing("0", 1),
                (cause, event, sequence, attempt) -> {
                    throw own;
                },
                1);
        assertThat(throwing.ring.failure()).hasMessage("failed").hasSuppressedException(own);
        @SuppressWarnings("NullAway")
        FailurePolicy<long[]> giving = (cause, event, sequence, attempt) -> null;
        Rig nulls = new Rig(new Failing("0", 1), giving, 1);
        assertThat(nulls.ring.failure()).hasMessage("failed");
        assertThat(nulls.ring.failure().getSuppressed()[0]).isInstanceOf(NullPointerException.class);
    }

    @Test
    void failuresAtTheEdgesOfABatchGoToThePolicyWithoutAnEvent() {
        for (String place : List.of("onBatchStart", "onBatchEnd")) {
            List<Object> events = new ArrayList<>();
            Failing retried = new Failing(place, 1);
            new Rig(
                    retried,
                    (cause, event, sequence, attempt) -> {
                        events.add(event == null ? "none at " + sequence : event);
                        return Action.RETRY_EVENT;
                    },
                    2);
            boolean start = place.equals("onBatchStart");
            assertThat(events).containsExactly(start ? "none at 0" : "none at 1");
            assertThat(retried.calls)
                    .containsExactlyElementsOf(
                            start
                                    ? List.of("onStart", "start 2/2", "start 2/2", "0", "1!", "end 1")
                                    : List.of("onStart", "start 2/2", "0", "1!", "end 1", "end 1"));
            Failing rewound = new Failing(place, 1);
            new Rig(rewound, FailurePolicies.rewindBatch(1, report, Action.HALT), 2);
            assertThat(rewound.calls).endsWith("start 2/2", "0", "1!", "end 1");
            Failing skipped = new Failing(place, 1);
            Rig rig = new Rig(skipped, FailurePolicies.skip(report), 2);
            assertThat(skipped.calls).containsExactly("onStart", "start 2/2", "0", "1!", "end 1");
            assertThat(rig.processor.sequence().get()).isEqualTo(1);
            Rig halted = new Rig(new Failing(place, 1), FailurePolicies.halt(), 2);
            assertThat(halted.processor.sequence().get()).isEqualTo(-1);
            assertThat(halted.ring.state()).isEqualTo(State.FAILED);
        }
    }

    @Test
    void aFailureAtStartOrShutdownFailsTheRing() {
        Failing starting = new Failing("onStart", 1);
        Rig started = new Rig(starting, FailurePolicies.skip(report), 2);
        assertThat(starting.calls).containsExactly("onStart");
        assertThat(started.ring.failure()).hasMessage("failed");
        assertThat(started.processor.isDone()).isTrue();
        Rig ended = new Rig(new Failing("onShutdown", 1), FailurePolicies.skip(report), 2);
        ended.processor.onClose();
        assertThat(ended.ring.failure()).hasMessage("failed");
        assertThat(ended.consumer.failure()).hasMessage("failed");
    }

    @Test
    void aFailureInATimeOutGoesToThePolicy() {
        for (Action action : List.of(Action.SKIP, Action.HALT)) {
            RingBuffer<long[]> ring = ring(true, 32);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            Failing handler = new Failing("onTimeout", 1);
            pipeline.handleEventsWith(pipeline.consumer("handler", handler)
                    .timeout(1)
                    .onFailure((cause, event, sequence, attempt) -> action));
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            publish(producer, 2);
            Rings.exhaust(processor);
            Rings.await("the time-out", () -> processor.doWork() == 0 && handler.calls.contains("timeout 1"));
            processor.doWork();
            assertThat(handler.calls).containsOnlyOnce("timeout 1");
            assertThat(ring.state()).isEqualTo(action == Action.HALT ? State.FAILED : State.RUNNING);
            if (action == Action.SKIP) {
                publish(producer, 1);
                Rings.exhaust(processor);
                Rings.await("the next", () -> processor.doWork() == 0 && handler.calls.contains("timeout 2"));
            }
        }
    }

    /** Fails whenever it is called without an event, until it is told to go on. */
    private static final class FailsWhenIdle implements EventHandler<long[]> {
        private final boolean failsToSay;
        private final boolean owes;
        boolean fails = true;
        int asked;
        int told;

        FailsWhenIdle(boolean failsToSay, boolean owes) {
            this.failsToSay = failsToSay;
            this.owes = owes;
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

        @Override
        public long timeoutAfterNanos() {
            asked++;
            if (failsToSay && fails) {
                throw new IllegalArgumentException("failed to say");
            }
            return owes ? 0 : Long.MAX_VALUE;
        }

        @Override
        public void onTimeout(long sequence) {
            told++;
            if (!failsToSay && fails) {
                throw new IllegalArgumentException("failed to force");
            }
        }
    }

    private final RingBuffer<long[]> idleRing = ring(true, 32);
    private final Producer<long[]> idleProducer = idleRing.producer();

    /** A consumer that has handled an event, and has nothing to do. */
    private EventProcessor idle(
            FailsWhenIdle handler, FailurePolicy<? super long[]> policy, boolean timeout, boolean worker) {
        Pipeline<long[]> pipeline = Pipeline.on(idleRing).errorHandler(failure -> {});
        NewConsumer<long[]> consumer = pipeline.consumer("handler", handler).onFailure(policy);
        if (timeout) {
            consumer.timeout(1);
        }
        if (worker) {
            pipeline.handleEventsWithWorkerPool(consumer);
        } else {
            pipeline.handleEventsWith(consumer);
        }
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(idleProducer, 1);
        Rings.exhaust(processor);
        return processor;
    }

    private void awaitFailures(EventProcessor processor, int many) {
        Rings.await(many + " failures", () -> processor.doWork() == 0 && reports.size() >= many);
    }

    @ParameterizedTest
    @CsvSource({"true, false, false", "false, true, false", "false, false, true", "true, true, true"})
    void aTimeOutThatAlwaysFailsIsTriedAsOftenAsThePolicySaysAndThenHalts(
            boolean failsToSay, boolean timeout, boolean worker) {
        FailsWhenIdle handler = new FailsWhenIdle(failsToSay, !timeout);
        EventProcessor processor = idle(handler, FailurePolicies.retryEvent(3, report, Action.HALT), timeout, worker);
        Rings.await("the halt", () -> processor.doWork() == 0 && processor.isDone());
        String failed = failsToSay ? "failed to say at 0, " : "failed to force at 0, ";
        assertThat(reports).containsExactly(failed + 1, failed + 2, failed + 3, failed + 4);
        assertThat(idleRing.state()).isEqualTo(State.FAILED);
        assertThat(failsToSay ? handler.asked : handler.told).isEqualTo(4);
        int told = handler.told;
        processor.doWork();
        assertThat(handler.told).as("told once it has failed").isEqualTo(told);
    }

    /** As that of an event. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEndlessRetryOfATimeOutIsNeverToldANegativeAttempt(boolean failsToSay) {
        List<Integer> told = new ArrayList<>();
        FailurePolicy<long[]> endless = (cause, event, sequence, attempt) -> {
            told.add(attempt);
            return Action.RETRY_EVENT;
        };
        EventProcessor processor = idle(new FailsWhenIdle(failsToSay, true), endless, false, false);
        Rings.await("a failure", () -> processor.doWork() == 0 && !told.isEmpty());
        told.clear();
        ((LoopFailures<?>) processor).idleAttempts = Integer.MAX_VALUE - 1;
        Rings.await("three failures", () -> processor.doWork() == 0 && told.size() == 3);
        assertThat(told).containsOnly(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theAttemptsOfATimeOutStartAgainOnceItReturnsAndWithProgress(boolean failsToSay) {
        FailsWhenIdle handler = new FailsWhenIdle(failsToSay, true);
        EventProcessor processor = idle(handler, FailurePolicies.retryEvent(9, report, Action.HALT), false, false);
        String failed = failsToSay ? "failed to say at " : "failed to force at ";
        awaitFailures(processor, 2);
        assertThat(reports).startsWith(failed + "0, 1", failed + "0, 2");
        handler.fails = false;
        reports.clear();
        int told = handler.told;
        Rings.await("a call that returns", () -> processor.doWork() == 0 && handler.told > told);
        handler.fails = true;
        awaitFailures(processor, 2);
        assertThat(reports).startsWith(failed + "0, 1", failed + "0, 2");
        reports.clear();
        publish(idleProducer, 1);
        Rings.exhaust(processor);
        awaitFailures(processor, 2);
        assertThat(reports).startsWith(failed + "1, 1", failed + "1, 2");
    }

    /** What the handler owes comes all the same, though the stream has ended. */
    @ParameterizedTest
    @EnumSource(names = {"RETRY_EVENT", "REWIND_BATCH", "SKIP"})
    void aQuestionAboutATimeOutThatFailsIsAskedAgainUnlessItIsSkipped(Action action) {
        FailsWhenIdle handler = new FailsWhenIdle(true, true);
        EventProcessor processor = idle(
                handler,
                (cause, event, sequence, attempt) -> {
                    handler.fails = false;
                    return action;
                },
                false,
                false);
        Rings.await("the question", () -> processor.doWork() == 0 && handler.asked > 0);
        if (action == Action.SKIP) {
            assertThat(processor.deadline()).as("nothing is owed").isEqualTo(SignalledIdle.NO_DEADLINE);
            processor.doWork();
            assertThat(handler.asked).isEqualTo(1);
        } else {
            Rings.await("the time-out", () -> processor.doWork() == 0 && handler.told > 0);
            assertThat(handler.asked).as("asked again").isGreaterThan(1);
        }
        assertThat(idleRing.state()).isEqualTo(State.RUNNING);
    }

    @ParameterizedTest
    @EnumSource(names = {"RETRY_EVENT", "REWIND_BATCH", "SKIP"})
    void aTimeOutThatFailsIsToldAgainUnlessItIsSkipped(Action action) {
        FailsWhenIdle handler = new FailsWhenIdle(false, false);
        EventProcessor processor = idle(
                handler,
                (cause, event, sequence, attempt) -> {
                    handler.fails = false;
                    return action;
                },
                true,
                false);
        int told = action == Action.SKIP ? 1 : 2;
        Rings.await("the time-outs", () -> processor.doWork() == 0 && handler.told == told);
        processor.doWork();
        assertThat(handler.told).isEqualTo(told);
        assertThat(processor.deadline()).as("nothing is owed").isEqualTo(SignalledIdle.NO_DEADLINE);
    }

    /** Fails in its time-out, and then when it is asked for the next one; never again. */
    private static final class FailsOnceEach implements EventHandler<long[]> {
        final List<Long> told = new ArrayList<>();
        private final boolean failsToSay;
        private boolean said;

        FailsOnceEach(boolean failsToSay) {
            this.failsToSay = failsToSay;
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

        @Override
        public long timeoutAfterNanos() {
            if (failsToSay && !told.isEmpty() && !said) {
                said = true;
                throw new IllegalArgumentException("failed to say");
            }
            return Long.MAX_VALUE;
        }

        @Override
        public void onTimeout(long sequence) {
            told.add(System.nanoTime());
            if (told.size() == 1) {
                throw new IllegalArgumentException("failed to force");
            }
        }
    }

    /** A parked thread is not kept busy by the retries, and what is to be told again is not forgotten for a question that fails. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTimeOutThatFailsIsToldAgainAfterAPauseAlsoIfTheQuestionBehindItFails(boolean failsToSay) {
        FailsOnceEach handler = new FailsOnceEach(failsToSay);
        Pipeline<long[]> pipeline = Pipeline.on(idleRing).errorHandler(failure -> {});
        pipeline.handleEventsWith(pipeline.consumer("handler", handler)
                .timeout(1)
                .onFailure((cause, event, sequence, attempt) -> Action.RETRY_EVENT));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(idleProducer, 1);
        Rings.exhaust(processor);
        Rings.await("the time-out", () -> processor.doWork() == 0 && !handler.told.isEmpty());
        assertThat(processor.deadline()).as("something is owed").isNotEqualTo(SignalledIdle.NO_DEADLINE);
        Rings.await("the next", () -> processor.doWork() == 0 && handler.told.size() == 2);
        assertThat(handler.told.get(1) - handler.told.get(0)).as("the pause").isGreaterThanOrEqualTo(100_000);
        assertThat(processor.deadline()).as("nothing is owed").isEqualTo(SignalledIdle.NO_DEADLINE);
    }

    /** The question returns before the time-out is told again, which is no progress. */
    @Test
    void aTimeOutThatFailsInTurnWithTheQuestionBehindItHaltsInTheEnd() {
        int[] told = {0};
        int[] failedBehind = {0};
        EventHandler<long[]> handler = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

            @Override
            public long timeoutAfterNanos() {
                if (told[0] > failedBehind[0]) {
                    failedBehind[0] = told[0];
                    throw new IllegalArgumentException("failed to say");
                }
                return 0;
            }

            @Override
            public void onTimeout(long sequence) {
                told[0]++;
                throw new IllegalArgumentException("failed to force");
            }
        };
        Pipeline<long[]> pipeline = Pipeline.on(idleRing).errorHandler(failure -> {});
        pipeline.handleEventsWith(
                pipeline.consumer("handler", handler).onFailure(FailurePolicies.retryEvent(5, report, Action.HALT)));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(idleProducer, 1);
        Rings.await("the halt", () -> processor.doWork() >= 0 && processor.isDone());
        assertThat(told[0] + failedBehind[0]).isEqualTo(6);
    }

    /** Nobody wants a time-out of before an event any more. */
    @Test
    void aTimeOutThatFailedBeforeAnEventIsNotToldAgainBehindIt() {
        FailsOnceEach handler = new FailsOnceEach(false);
        Pipeline<long[]> pipeline = Pipeline.on(idleRing).errorHandler(failure -> {});
        pipeline.handleEventsWith(pipeline.consumer("handler", handler)
                .timeout(TimeUnit.MILLISECONDS.toNanos(1))
                .onFailure((cause, event, sequence, attempt) -> {
                    publish(idleProducer, 1);
                    return Action.RETRY_EVENT;
                }));
        EventProcessor processor = pipeline.startProcessors().get(0);
        Rings.await("the time-out", () -> processor.doWork() == 0 && !handler.told.isEmpty());
        Rings.exhaust(processor);
        Rings.await("the time-out of its own", () -> processor.doWork() == 0 && handler.told.size() == 2);
        assertThat(processor.deadline()).as("nothing is owed").isEqualTo(SignalledIdle.NO_DEADLINE);
    }

    /** A journal on a full disk says how long it waits before it tries again. */
    @Test
    void aRetryOfATimeOutComesWhenTheHandlerSaysItWantsOne() {
        int[] told = {0};
        EventHandler<long[]> handler = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {}

            @Override
            public long timeoutAfterNanos() {
                return told[0] == 0 ? 0 : Long.MAX_VALUE / 4;
            }

            @Override
            public void onTimeout(long sequence) {
                told[0]++;
                throw new IllegalArgumentException("no room");
            }
        };
        Pipeline<long[]> pipeline = Pipeline.on(idleRing).errorHandler(failure -> {});
        pipeline.handleEventsWith(pipeline.consumer("handler", handler)
                .onFailure((cause, event, sequence, attempt) -> Action.RETRY_EVENT));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(idleProducer, 1);
        Rings.exhaust(processor);
        Rings.await("the time-out", () -> processor.doWork() == 0 && told[0] > 0);
        for (int cycle = 0; cycle < 9; cycle++) {
            processor.doWork();
        }
        assertThat(told[0]).isEqualTo(1);
        assertThat(processor.deadline() - System.nanoTime()).isGreaterThan(Long.MAX_VALUE / 8);
    }

    /** The first of two siblings fails: the other runs to the cursor, the dependent to the last finished batch. */
    @Test
    void haltEndsSiblingsAtTheCursorAndDependentsAtTheLastFinishedBatch() {
        RingBuffer<long[]> ring = ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Failing failing = new Failing("9", 1);
        Rings.Recorder sibling = new Rings.Recorder();
        Rings.Recorder dependent = new Rings.Recorder();
        pipeline.handleEventsWith(failing, sibling).then(dependent);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        publish(producer, 20);
        Rings.exhaust(processors.get(0));
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FAILED);
        processors.get(2).doWork();
        assertThat(processors.get(2).isDone())
                .as("before its upstream has ended")
                .isFalse();
        Rings.exhaust(processors.get(1));
        Rings.exhaust(processors.get(2));
        assertThat(processors).allMatch(EventProcessor::isDone);
        assertThat(processors.get(0).sequence().get()).isEqualTo(7);
        assertThat(processors.get(1).sequence().get()).isEqualTo(19);
        assertThat(processors.get(2).sequence().get()).isEqualTo(7);
        assertThat(ring.leftover().unhandled()).isEqualTo(12);
        assertThat(pipeline.consumer(failing).state()).isEqualTo(State.FAILED);
        assertThat(pipeline.consumer(sibling).state()).isEqualTo(State.CLOSED);
        assertThat(pipeline.consumer(sibling).failure()).isNull();
        assertThat(pipeline.awaitHandled(7, 0)).isTrue();
        assertThatThrownBy(() -> pipeline.awaitHandled(8, 0)).isInstanceOf(RingFailedException.class);
    }

    @Test
    void progressIsBoundedAndOnlyFromWithinTheHandler() {
        RingBuffer<long[]> ring = ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<String> refusals = new ArrayList<>();
        List<Long> published = new ArrayList<>();
        EventHandler<long[]> handler = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                ConsumerHandle self = pipeline.consumer(this);
                if (sequence == 1) {
                    self.progress(1);
                    published.add(self.sequence().get());
                    for (long bad : new long[] {-1, 1, 8, Long.MAX_VALUE}) {
                        try {
                            self.progress(bad);
                        } catch (IllegalArgumentException e) {
                            refusals.add(e.getMessage());
                        }
                    }
                }
            }
        };
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 12);
        processor.doWork();
        assertThat(published).containsExactly(1L);
        assertThat(refusals)
                .containsExactly(
                        "sequence must be from 2 to 7, but was -1",
                        "sequence must be from 2 to 7, but was 1",
                        "sequence must be from 2 to 7, but was 8",
                        "sequence must be from 2 to 7, but was 9223372036854775807");
        assertThatThrownBy(() -> pipeline.consumer(handler).progress(8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("within the handler of consumer-1, but was called from outside");
    }

    /** A handler that is retried for ever does not keep its processor from ending, and the event is reported as left. */
    @Test
    void haltEndsAnEndlessRetry() {
        RingBuffer<long[]> ring = ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<EventProcessor> processors = new ArrayList<>();
        pipeline.handleEventsWith(new Failing("0", Integer.MAX_VALUE));
        pipeline.onFailure((cause, event, sequence, attempt) -> {
            if (attempt == 1000) {
                processors.get(0).halt();
            }
            return Action.RETRY_EVENT;
        });
        processors.addAll(pipeline.startProcessors());
        publish(ring.producer(), 1);
        assertThat(processors.get(0).doWork()).isZero();
        assertThat(processors.get(0).isDone()).isTrue();
        assertThat(ring.leftover().unhandled()).isEqualTo(1);
    }
}
