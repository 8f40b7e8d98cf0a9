package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy;
import io.sluice.core.Runner;
import io.sluice.core.SignalledIdle;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatcherTest {
    private static final BatchingConfig CONFIG =
            BatchingConfig.defaults().bufferSize(10).sinkIdle(NoOpIdleStrategy.INSTANCE, 0);

    private final RecordingSink sink = new RecordingSink();
    private final Queue<String> queue = new ArrayDeque<>();
    private final List<String> reported = new ArrayList<>();

    @Test
    void aRoundSendsWhatIsThere() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.HALT);
        assertThat(batcher.doWork()).isZero();
        assertThat(sink.idles).isEqualTo(1);
        queue.addAll(List.of("a", "b", "c"));
        assertThat(batcher.doWork()).isEqualTo(3);
        assertThat(sink.batches).containsExactly("abc");
        assertThat(sink.ends).isEqualTo(1);
        assertThat(batcher.doWork()).isZero();
        assertThat(batcher.roleName()).isEqualTo("batcher");
        batcher.onClose();
        assertThat(sink.closed).isTrue();
    }

    @Test
    void aRoundEndsWithTheFirstFullBatch() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.HALT);
        for (int i = 0; i < 25; i++) {
            queue.add("x");
        }
        assertThat(batcher.doWork()).isEqualTo(10);
        assertThat(batcher.doWork()).isEqualTo(10);
        assertThat(batcher.doWork()).isEqualTo(5);
        assertThat(sink.batches).containsExactly("x".repeat(10), "x".repeat(10), "x".repeat(5));
    }

    /** Else whoever runs the batcher could not stop it, and a message before them would not go out. */
    @Test
    void aRoundEndsThoughTheSourceIsNeverEmptyAndItsElementsMakeNoMessage() {
        int[] asked = {0};
        Drainable<String> endless = (consumer, limit) -> {
            if (asked[0] == 1_000) {
                throw new IllegalStateException("a round without end");
            }
            consumer.accept(asked[0]++ == 1 ? "a" : "");
            return 1;
        };
        Batcher<String> batcher = new Batcher<>(
                endless, BatcherTest::encode, sink, CONFIG.maxMessages(7), policy(FailurePolicy.Action.HALT));
        assertThat(batcher.doWork()).isEqualTo(7);
        assertThat(sink.taken()).isEqualTo("a");
        assertThat(sink.ends).isEqualTo(1);
        assertThat(batcher.doWork()).isEqualTo(7);
        assertThat(asked[0]).isEqualTo(14);
        assertThat(reported).isEmpty();
    }

    @Test
    void anElementThatDoesNotFitAnyMoreGoesWithTheSameRound() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.HALT);
        queue.addAll(List.of("012345", "abcdef", "g"));
        batcher.doWork();
        assertThat(sink.batches).containsExactly("012345", "abcdef");
        batcher.doWork();
        assertThat(sink.batches).last().isEqualTo("g");
    }

    @Test
    void aBoundedQueueFillsUpWhileTheDeviceIsBusy() {
        Queue<String> bounded = new ArrayBlockingQueue<>(4);
        List<Boolean> accepted = new ArrayList<>();
        BatchSink busy = batch -> {
            for (int i = 0; i < 6; i++) {
                accepted.add(bounded.offer("n")); // what producers do meanwhile
            }
            sink.send(batch);
        };
        Batcher<String> batcher = new Batcher<>(
                bounded,
                RecordingSink::encode,
                busy,
                CONFIG,
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
        bounded.add("f");
        batcher.doWork();
        assertThat(accepted).containsExactly(true, true, true, true, false, false);
        batcher.doWork();
        assertThat(sink.batches).containsExactly("f", "nnnn");
    }

    @Test
    void aDrainableIsAsGoodAsAQueue() {
        Drainable<String> source = (consumer, limit) -> {
            int count = 0;
            while (count < limit && !queue.isEmpty()) {
                consumer.accept(queue.remove());
                count++;
            }
            return count;
        };
        Batcher<String> batcher = new Batcher<>(
                source,
                RecordingSink::encode,
                sink,
                CONFIG,
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
        queue.addAll(List.of("a", "b"));
        assertThat(batcher.doWork()).isEqualTo(2);
        assertThat(sink.taken()).isEqualTo("ab");
    }

    @Test
    void aFailingSinkIsTriedAgainFromWhereItStopped() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.RETRY_EVENT);
        queue.addAll(List.of("abc", "def"));
        sink.script.addAll(List.of(RecordingSink.failAfter(4), RecordingSink.failAfter(1)));
        assertThat(batcher.doWork()).isPositive();
        assertThat(batcher.pendingMessages()).isEqualTo(2);
        queue.add("g");
        assertThat(batcher.doWork()).isPositive();
        assertThat(sink.taken()).isEqualTo("abcde");
        assertThat(batcher.doWork()).isPositive();
        assertThat(sink.taken()).isEqualTo("abcdefg");
        assertThat(reported).containsExactly("null 2 1 SinkException", "null 2 2 SinkException");
        assertThat(batcher.pendingMessages()).isZero();
        assertThat(sink.ends).isEqualTo(2);
    }

    @Test
    void skippingAFailedSendDropsAndCountsWhatWasNotTaken() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.SKIP);
        queue.addAll(List.of("abcdef", "ghijkl", "m"));
        sink.script.add(RecordingSink.failAfter(0));
        batcher.doWork(); // ghijkl does not fit: abcdef is sent, and dropped; ghijkl is kept
        assertThat(batcher.discardedMessages()).isEqualTo(1);
        assertThat(batcher.pendingMessages()).isEqualTo(1);
        batcher.doWork();
        assertThat(sink.taken()).isEqualTo("ghijklm");
    }

    @Test
    void aBatcherWhoseHeaderFailedSendsAgain() {
        for (FailurePolicy.Action action :
                List.of(FailurePolicy.Action.RETRY_EVENT, FailurePolicy.Action.REWIND_BATCH)) {
            int[] failures = {2};
            Batcher<String> batcher = withHeader(failures, action);
            sink.batches.clear();
            reported.clear();
            queue.addAll(List.of("a", "b", "c"));
            for (int i = 0; i < 6; i++) {
                batcher.doWork();
            }
            assertThat(sink.batches).as(action.name()).containsExactly("#ab", "#c");
            assertThat(reported).containsExactly("null 2 1 SinkException", "null 2 2 SinkException");
            assertThat(batcher.pendingMessages()).isZero();
            assertThat(batcher.discardedMessages()).isZero();
        }
    }

    /** What it took would have to wait in the batcher, where neither its source nor its sink sees it. */
    @Test
    void aBatcherWhoseHeaderFailsTakesNothingMoreFromItsSource() {
        int[] failures = {3};
        Batcher<String> batcher = withHeader(failures, FailurePolicy.Action.RETRY_EVENT);
        queue.addAll(List.of("a", "b", "c"));
        for (int i = 0; i < 3; i++) {
            assertThat(batcher.doWork()).isPositive();
            assertThat(queue).containsExactly("c");
            assertThat(batcher.pendingMessages()).isEqualTo(2);
        }
        batcher.doWork();
        batcher.doWork();
        assertThat(sink.batches).containsExactly("#ab", "#c");
    }

    @Test
    void skippingAFailedHeaderDropsItsBatchAndNoOther() {
        int[] failures = {1};
        Batcher<String> batcher = withHeader(failures, FailurePolicy.Action.SKIP);
        queue.addAll(List.of("a", "b", "c"));
        batcher.doWork();
        assertThat(batcher.discardedMessages()).isEqualTo(2);
        batcher.doWork();
        assertThat(sink.batches).containsExactly("#c");
        assertThat(reported).containsExactly("null 2 1 SinkException");

        // The header fails when an element does not fit behind those before it: that element is not to blame.
        failures[0] = 1;
        queue.addAll(List.of("012345", "abcdef"));
        batcher.doWork();
        batcher.doWork();
        assertThat(sink.batches).containsExactly("#c", "#abcdef");
        assertThat(batcher.discardedMessages()).isEqualTo(3);
    }

    private Batcher<String> withHeader(int[] failures, FailurePolicy.Action action) {
        return new Batcher<>(
                queue,
                BatcherTest::encode,
                sink,
                CONFIG.maxMessages(2).header(1, batch -> {
                    if (failures[0]-- > 0) {
                        throw new IOException("no header");
                    }
                    batch.buffer().put(0, (byte) '#');
                }),
                policy(action));
    }

    @Test
    void skippingAFailedSendStillEndsWhatWasTakenBefore() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.SKIP);
        queue.addAll(List.of("012345", "abcdef")); // do not fit together: two sends in one round
        sink.script.addAll(List.of(6, RecordingSink.failAfter(0)));
        batcher.doWork();
        assertThat(sink.taken()).isEqualTo("012345");
        assertThat(batcher.discardedMessages()).isEqualTo(1);
        batcher.doWork();
        assertThat(sink.ends).as("the end of 012345").isEqualTo(1);
        assertThat(batcher.doWork()).isZero();
        assertThat(sink.ends).isEqualTo(1);
    }

    @Test
    void aSkippedEndIsTriedAgainWithTheNextBatchAndNotInEveryIdleRound() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.SKIP);
        queue.add("a");
        sink.endFailures.add(new IOException("force"));
        batcher.doWork();
        assertThat(sink.ends).isZero();
        assertThat(batcher.doWork()).isZero();
        assertThat(reported).hasSize(1);
        assertThat(sink.idles).isEqualTo(1);
        queue.add("b");
        batcher.doWork();
        assertThat(sink.ends).isEqualTo(1);
        assertThat(sink.taken()).isEqualTo("ab");
    }

    /** Else a device whose force fails for good stops a batcher that is told to go on. */
    @Test
    void endsThatKeepFailingAndAreSkippedKeepNoElementBack() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.SKIP);
        for (int i = 0; i < 100; i++) {
            sink.endFailures.add(new IOException("force"));
        }
        queue.add("a");
        batcher.doWork();
        queue.addAll(List.of("012345", "abcdef")); // do not fit together
        sink.script.add(RecordingSink.failAfter(0));
        batcher.doWork(); // 012345 is dropped, abcdef is kept
        assertThat(batcher.pendingMessages()).isEqualTo(1);
        batcher.doWork(); // for the end that was skipped, perhaps
        batcher.doWork();
        assertThat(sink.taken()).isEqualTo("aabcdef");
        sink.endFailures.clear();
        queue.add("b");
        batcher.doWork();
        assertThat(sink.taken()).isEqualTo("aabcdefb");
        assertThat(sink.ends).isEqualTo(1);
    }

    @Test
    void anEndOfBatchThatFailsIsTriedAgain() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.RETRY_EVENT);
        queue.add("a");
        sink.endFailures.add(new IOException("force"));
        batcher.doWork();
        assertThat(sink.ends).isZero();
        assertThat(batcher.doWork()).isEqualTo(1);
        assertThat(sink.ends).isEqualTo(1);
        assertThat(sink.taken()).isEqualTo("a");
        assertThat(batcher.doWork()).isZero();
    }

    @Test
    void anElementThatCannotBeEncodedIsReportedAndSkippedOrTriedAgain() {
        Batcher<String> skipping = batcher(FailurePolicy.Action.SKIP);
        queue.addAll(List.of("a", "!", "b"));
        skipping.doWork();
        skipping.doWork();
        assertThat(sink.taken()).isEqualTo("ab");
        assertThat(reported).containsExactly("! 1 1 IOException");

        reported.clear();
        int[] failures = {2};
        Batcher<String> retrying = new Batcher<>(
                queue,
                (event, buffer, offset) -> {
                    if (failures[0]-- > 0) {
                        throw new IOException("not yet");
                    }
                    return RecordingSink.encode(event, buffer, offset);
                },
                sink,
                CONFIG,
                policy(FailurePolicy.Action.RETRY_EVENT));
        queue.add("c");
        retrying.doWork();
        assertThat(retrying.pendingMessages()).isEqualTo(1);
        retrying.doWork();
        retrying.doWork();
        assertThat(sink.taken()).isEqualTo("abc");
        assertThat(reported).containsExactly("c 0 1 IOException", "c 0 2 IOException");
    }

    /** The second element does not fit, so the first batch goes out before it, and the sink takes nothing at first. */
    @Test
    void anIdleStrategyThatFailsWhileTheSinkTakesNothingCostsNoElement() {
        boolean[] fails = {true};
        IdleStrategy idle = new IdleStrategy() {
            @Override
            public void idle(int workCount) {
                idle();
            }

            @Override
            public void idle() {
                if (fails[0]) {
                    fails[0] = false;
                    throw new IllegalStateException("planned");
                }
            }

            @Override
            public void reset() {
                // nothing
            }
        };
        Batcher<String> batcher = new Batcher<>(
                queue,
                BatcherTest::encode,
                sink,
                CONFIG.bufferSize(1).sinkIdle(idle, TimeUnit.SECONDS.toNanos(20)),
                (cause, event, sequence, attempt) -> {
                    reported.add(event + " " + cause.getClass().getSimpleName());
                    return cause instanceof SinkException
                            ? FailurePolicy.Action.RETRY_EVENT
                            : FailurePolicy.Action.SKIP;
                });
        sink.script.addAll(List.of(0, 0));
        queue.addAll(List.of("a", "b"));
        for (int i = 0; i < 5; i++) {
            batcher.doWork();
        }
        assertThat(fails[0]).isFalse();
        assertThat(sink.taken()).isEqualTo("ab");
        assertThat(reported).containsExactly("null SinkException");
    }

    @Test
    void aHaltedBatcherStaysHalted() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.HALT);
        queue.addAll(List.of("a", "!"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(batcher::doWork)
                    .isInstanceOf(AgentTerminationException.class)
                    .hasRootCauseMessage("bad event");
        }
        assertThat(reported).hasSize(1);
        assertThat(batcher.pendingMessages()).isEqualTo(2);
    }

    @Test
    void anErrorAndAPolicyThatThrowsHalt() {
        Batcher<String> error = new Batcher<>(
                queue,
                (event, buffer, offset) -> {
                    throw new StackOverflowError("deep");
                },
                sink,
                CONFIG,
                policy(FailurePolicy.Action.SKIP));
        queue.add("a");
        assertThatThrownBy(error::doWork).isInstanceOf(AgentTerminationException.class);
        assertThat(reported).containsExactly("a 0 1 StackOverflowError");

        Batcher<String> throwing =
                new Batcher<>(queue, BatcherTest::encode, sink, CONFIG, (cause, event, sequence, attempt) -> {
                    throw new IllegalStateException("policy");
                });
        queue.clear();
        queue.add("!");
        assertThatThrownBy(throwing::doWork)
                .isInstanceOf(AgentTerminationException.class)
                .satisfies(e -> assertThat(e.getCause().getSuppressed()).hasSize(1));
    }

    @Test
    void aPolicyThatThrowsWhatItWasToldHalts() {
        IllegalStateException bad = new IllegalStateException("bad event");
        Batcher<String> batcher = new Batcher<>(
                queue,
                (event, buffer, offset) -> {
                    throw bad;
                },
                sink,
                CONFIG,
                (cause, event, sequence, attempt) -> {
                    reported.add(event + " " + attempt);
                    throw (RuntimeException) cause;
                });
        queue.add("a");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(batcher::doWork)
                    .isInstanceOf(AgentTerminationException.class)
                    .cause()
                    .isSameAs(bad);
        }
        assertThat(reported).containsExactly("a 1");
    }

    @Test
    void aPolicyThatGivesNoAnswerHalts() {
        Batcher<String> batcher = batcher(null);
        queue.add("!");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(batcher::doWork)
                    .isInstanceOf(AgentTerminationException.class)
                    .hasRootCauseMessage("bad event")
                    .satisfies(e -> assertThat(e.getCause().getSuppressed())
                            .singleElement()
                            .satisfies(
                                    why -> assertThat(why).hasMessage("the failure policy's action must not be null")));
        }
        assertThat(reported).hasSize(1);
    }

    @Test
    @Tag("concurrency")
    @Timeout(30)
    void runGoesOnUntilInterruptedAndKeepsOrderUnderLoad() throws Exception {
        int count = 20_000;
        Queue<Integer> bounded = new ArrayBlockingQueue<>(64);
        List<Integer> got = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(count);
        BatchSink collecting = batch -> {
            for (int i = 0; i < batch.messages(); i++) {
                got.add(batch.buffer().getInt(batch.offset(i)));
                all.countDown();
            }
            batch.buffer().position(batch.buffer().limit());
        };
        Batcher<Integer> batcher = new Batcher<>(
                bounded,
                (event, buffer, offset) -> {
                    buffer.putInt(offset, event);
                    return Integer.BYTES;
                },
                collecting,
                BatchingConfig.defaults().bufferSize(100),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                batcher.run(new YieldingIdleStrategy());
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        thread.start();
        for (int i = 0; i < count; i++) {
            while (!bounded.offer(i)) {
                Thread.onSpinWait();
            }
        }
        assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
        thread.interrupt();
        thread.join(10_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(thrown.get()).isNull();
        for (int i = 0; i < count; i++) {
            assertThat(got.get(i)).isEqualTo(i);
        }
    }

    /** The interrupt comes where a loop that cleared the flag before it parked would lose it: see the polls that it counts. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    @Timeout(20)
    void runEndsThoughTheInterruptComesJustBeforeItParks(int pollThatInterrupts) {
        AtomicInteger polls = new AtomicInteger();
        Drainable<String> source = (consumer, limit) -> {
            if (polls.incrementAndGet() == pollThatInterrupts) {
                Thread.currentThread().interrupt();
            }
            return 0;
        };
        Batcher<String> batcher = new Batcher<>(source, BatcherTest::encode, sink, CONFIG, policy(null));
        SignalledIdle idle = SignalledIdle.exact(0);
        Thread waker = new Thread(() -> {
            while (polls.get() < pollThatInterrupts) {
                idle.signal(); // wakes the parks before it
                Thread.onSpinWait();
            }
        });
        waker.start();
        batcher.run(idle); // would park for ever
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void closingTriesOnceMoreToSendWhatIsPending() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.RETRY_EVENT);
        queue.addAll(List.of("abc", "def"));
        sink.script.add(RecordingSink.failAfter(4));
        batcher.doWork();
        batcher.onClose();
        assertThat(sink.taken()).isEqualTo("abcdef");
        assertThat(sink.ends).isEqualTo(1);
        assertThat(sink.closed).isTrue();
        assertThat(batcher.pendingMessages()).isZero();
    }

    @Test
    void closingReportsWhatTheSinkDoesNotTakeAndClosesItAllTheSame() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.RETRY_EVENT);
        queue.add("abc");
        sink.script.addAll(List.of(RecordingSink.failAfter(0), RecordingSink.failAfter(1)));
        batcher.doWork();
        assertThatThrownBy(batcher::onClose)
                .isInstanceOf(UncheckedIOException.class)
                .hasCauseInstanceOf(SinkException.class);
        assertThat(sink.closed).isTrue();
        assertThat(batcher.pendingMessages()).isEqualTo(1);
    }

    @Test
    void aHaltedBatcherSendsNothingWhenItIsClosed() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.HALT);
        queue.add("a");
        sink.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(batcher::doWork).isInstanceOf(AgentTerminationException.class);
        batcher.onClose();
        assertThat(sink.taken()).isEmpty();
        assertThat(batcher.pendingMessages()).isEqualTo(1);
    }

    @Test
    void anIdleCallThatSucceedsEndsASeriesOfFailures() {
        Batcher<String> batcher = batcher(FailurePolicy.Action.RETRY_EVENT);
        IOException[] failure = {null};
        sink.onIdle = () -> {
            IOException planned = failure[0];
            failure[0] = null;
            if (planned != null) {
                throw planned;
            }
        };
        for (int i = 0; i < 3; i++) {
            failure[0] = new IOException("idle");
            batcher.doWork();
            batcher.doWork();
        }
        assertThat(reported).containsOnly("null 0 1 SinkException").hasSize(3);
    }

    @Test
    void anEndlessRetryIsNeverToldANegativeAttempt() {
        List<Integer> attempts = new ArrayList<>();
        Batcher<String> batcher = new Batcher<>(
                queue,
                (element, sequence, buffer) -> {
                    throw new IOException("planned");
                },
                sink,
                CONFIG,
                (cause, event, sequence, attempt) -> {
                    attempts.add(attempt);
                    return FailurePolicy.Action.RETRY_EVENT;
                });
        queue.add("a");
        batcher.doWork();
        batcher.attempt = Integer.MAX_VALUE - 1;
        batcher.doWork();
        batcher.doWork();
        assertThat(attempts).containsExactly(1, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    /** As any other failure of the sink, so that a policy knows it. */
    @Test
    void aFailureOfAnIdleCallIsReportedAsOneOfTheSinkWithWhatItWasDoing() {
        List<Throwable> causes = new ArrayList<>();
        Batcher<String> batcher =
                new Batcher<>(queue, BatcherTest::encode, sink, CONFIG, (cause, event, sequence, attempt) -> {
                    causes.add(cause);
                    return FailurePolicy.Action.SKIP;
                });
        IOException broken = new IOException("disk is gone");
        sink.onIdle = () -> {
            throw broken;
        };
        batcher.doWork();
        assertThat(causes)
                .singleElement()
                .satisfies(cause -> assertThat(cause)
                        .isInstanceOfSatisfying(SinkException.class, failure -> {
                            assertThat(failure.messages()).isZero();
                            assertThat(failure.firstSequence()).isEqualTo(-1);
                        })
                        .hasMessage("the sink failed when idle: java.io.IOException: disk is gone")
                        .hasCause(broken));
        queue.add("a");
        batcher.doWork();
        assertThat(sink.taken()).isEqualTo("a");
        assertThat(batcher.discardedMessages()).isZero();
    }

    /** Else its elements pile up, and nobody hears why. */
    @Test
    @Timeout(20)
    void theErrorHandlerOfARunnerHearsWhyABatcherHasHalted() {
        List<Throwable> told = new ArrayList<>();
        Batcher<String> batcher = batcher(FailurePolicy.Action.HALT);
        queue.addAll(List.of("a", "!"));
        Runner runner = new Runner(
                "batcher",
                new YieldingIdleStrategy(),
                error -> {
                    told.add(error);
                    assertThat(sink.closed).as("told before it is closed").isFalse();
                },
                List.of(batcher));
        runner.run();
        assertThat(told)
                .singleElement()
                .satisfies(error -> assertThat(error)
                        .isInstanceOf(AgentTerminationException.class)
                        .hasRootCauseMessage("bad event"));
        assertThat(sink.closed).isTrue();
    }

    /** Else a policy that retries so often and then skips would skip the second one at once: it would be lost untried. */
    @Test
    void theAttemptsOfAnElementBeginAtOneAlsoBehindOneThatWasSkipped() {
        List<String> attempts = new ArrayList<>();
        Batcher<String> batcher = new Batcher<>(
                queue,
                (event, buffer, offset) -> {
                    if (event.startsWith("bad")) {
                        throw new IllegalArgumentException(event);
                    }
                    return BatcherTest.encode(event, buffer, offset);
                },
                sink,
                CONFIG,
                (cause, event, sequence, attempt) -> {
                    attempts.add(event + " " + attempt);
                    return attempt < 3 ? FailurePolicy.Action.RETRY_EVENT : FailurePolicy.Action.SKIP;
                });
        queue.addAll(List.of("bad1", "bad2", "c"));
        while (!queue.isEmpty() || batcher.pendingMessages() > 0) {
            batcher.doWork();
        }
        assertThat(attempts).containsExactly("bad1 1", "bad1 2", "bad1 3", "bad2 1", "bad2 2", "bad2 3");
        assertThat(sink.taken()).isEqualTo("c");
    }

    @Test
    void aFailureToSendAndOneOfTheShutdownAreBothReportedWhenItCloses() {
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) throws IOException {
                throw new IOException("no send");
            }

            @Override
            public void onShutdown() throws IOException {
                throw new IOException("no shutdown");
            }
        };
        Batcher<String> batcher =
                new Batcher<>(queue, BatcherTest::encode, failing, CONFIG, policy(FailurePolicy.Action.RETRY_EVENT));
        queue.add("a");
        batcher.doWork();
        assertThatThrownBy(batcher::onClose)
                .hasMessageContaining("no send")
                .satisfies(thrown -> assertThat(thrown.getCause())
                        .satisfies(cause -> assertThat(cause.getSuppressed())
                                .singleElement()
                                .satisfies(end -> assertThat(end).hasMessage("no shutdown"))));
    }

    /**
     * Random elements, limits, failures and policies, beside a model: see {@link ModelDevice} and {@link BatcherProgram}. A step is some
     * elements and some rounds.
     */
    @Test
    void everyElementArrivesOnceOrIsDroppedAsThePolicySaysAndWhatArrivedIsEndedWhateverFails() throws Exception {
        Map<ModelDevice.Seen, Integer> seen = new EnumMap<>(ModelDevice.Seen.class);
        RandomPrograms.Totals totals = RandomPrograms.of(seed -> SeededProgram.of(seed, 40), program -> {
                    BatcherProgram.run(program, seen);
                    return program.size();
                })
                .budget("io.sluice.model.steps", 1_000 * 40)
                .from(0)
                .run();
        ModelDevice.requireSeen(totals, seen);
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void nullsAreRefused() {
        assertThatThrownBy(() -> new Batcher<>((Queue<String>) null, BatcherTest::encode, sink, CONFIG, policy(null)))
                .hasMessage("queue must not be null");
        assertThatThrownBy(() -> new Batcher<>(queue, BatcherTest::encode, null, CONFIG, policy(null)))
                .hasMessage("sink must not be null");
        assertThatThrownBy(() -> new Batcher<>(queue, BatcherTest::encode, sink, CONFIG, null))
                .hasMessage("failurePolicy must not be null");
        assertThatThrownBy(() -> batcher(FailurePolicy.Action.HALT).run(null))
                .hasMessage("idleStrategy must not be null");
    }

    private Batcher<String> batcher(FailurePolicy.Action action) {
        return new Batcher<>(queue, BatcherTest::encode, sink, CONFIG, policy(action));
    }

    private FailurePolicy<String> policy(FailurePolicy.Action action) {
        return (cause, event, sequence, attempt) -> {
            reported.add(event + " " + sequence + " " + attempt + " "
                    + cause.getClass().getSimpleName());
            return action;
        };
    }

    private static int encode(String event, java.nio.ByteBuffer buffer, int offset) throws IOException {
        if (event.equals("!")) {
            throw new IOException("bad event");
        }
        return RecordingSink.encode(event, buffer, offset);
    }
}
