package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingClosedException;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A ring of messages as its users see it: lengths, types, results, controlled handlers, claims that nobody commits, and refusals. */
@Timeout(60)
class MessageRingTest {
    private static RingBuffer<Messages> ring(boolean single, int bytes) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(bytes);
        return (single ? builder.singleProducer() : builder).name("messages").build();
    }

    private static SafeBuffer text(String text) {
        SafeBuffer buffer = SafeBuffer.allocate(text.length());
        buffer.putStringWithoutLengthAscii(0, text);
        return buffer;
    }

    private static void offer(MessageProducer producer, int type, String text) {
        assertThat(producer.offer(type, text(text), 0, text.length())).isNotNegative();
    }

    /** Works until nothing is left; how much was done. */
    private static int exhaust(EventProcessor processor) {
        int all = 0;
        for (int work = processor.doWork(); work > 0; work = processor.doWork()) {
            all += work;
        }
        return all;
    }

    /** Writes down what comes. */
    private static final class Notes implements MessageHandler {
        final List<String> seen = new ArrayList<>();

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
            seen.add(type + " " + buffer.getStringWithoutLengthAscii(offset, length) + (last ? "!" : ""));
        }
    }

    // messages

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageTakesEightBytesMoreThanItsLengthRoundedUp(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        List<EventProcessor> processors = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        assertThat(ring.capacity()).isEqualTo(128);
        assertThat(producer.maxLength()).isEqualTo(128);
        assertThat(producer.offer(7, text(""), 0, 0)).isZero();
        assertThat(producer.offer(1, text("12345678"), 0, 8)).isEqualTo(1);
        assertThat(producer.offer(Integer.MAX_VALUE, text("x123456789y"), 1, 9)).isEqualTo(3);
        assertThat(producer.offerParts(2, text("ab"), text(""), text("cde"))).isEqualTo(6);
        assertThat(producer.offerAll(3, text("one"), text("two"), text("three")))
                .isEqualTo(8);
        assertThat(producer.tryClaim(4, 128)).isEqualTo(14);
        producer.commit(14);
        assertThat(processors.get(0).doWork()).isEqualTo(8);
        assertThat(notes.seen.subList(0, 7))
                .containsExactly(
                        "7 ", "1 12345678", Integer.MAX_VALUE + " 123456789", "2 abcde", "3 one", "3 two", "3 three");
        assertThat(notes.seen.get(7)).startsWith("4 ").endsWith("!").hasSize(2 + 128 + 1);
        assertThat(pipeline.consumer(notes).sequence().get()).isEqualTo(30);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageThatWouldCrossTheEndBeginsAtTheStart(boolean single) {
        RingBuffer<Messages> ring = ring(single, 64);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, "");
        offer(producer, 2, "a");
        offer(producer, 3, "b");
        offer(producer, 4, "c"); // at 5 and 6
        assertThat(producer.offer(5, text("d"), 0, 1)).isEqualTo(Producer.FULL); // 7 would be padding, 8 is not free
        assertThat(exhaust(processor)).isEqualTo(4);
        assertThat(producer.offer(5, text("d"), 0, 1)).isEqualTo(8);
        assertThat(ring.get(8).offset(8)).isEqualTo(8);
        assertThat(exhaust(processor)).isPositive();
        assertThat(notes.seen)
                .extracting(one -> one.replace("!", ""))
                .containsExactly("1 ", "2 a", "3 b", "4 c", "5 d");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOldPayloadIsNeverTakenForAMessage(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        long forged = 9L << 32 | 8; // looks like the header of a message
        for (int i = 0; i < 30; i++) {
            long sequence = producer.tryClaim(1, 120);
            for (int at = 0; at < 120; at += 8) {
                producer.buffer().putLong(producer.offset(sequence) + at, forged);
            }
            producer.commit(sequence);
            assertThat(processor.doWork()).isEqualTo(1);
            producer.offer(2, text(""), 0, 0); // so that records begin at other places in the next lap
            assertThat(processor.doWork()).isEqualTo(1);
            long open = producer.tryClaim(3, 64);
            assertThat(processor.doWork()).isZero();
            producer.abort(open);
            assertThat(processor.doWork()).isEqualTo(1);
        }
        assertThat(notes.seen).hasSize(60).noneMatch(one -> one.startsWith("3") || one.startsWith("9"));
    }

    @Test
    void aClaimOfManyProducersIsPassedOnlyOnceItIsSettled() {
        RingBuffer<Messages> ring = ring(false, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer one = MessageProducer.of(ring);
        MessageProducer other = MessageProducer.of(ring);
        long open = one.tryClaim(1, 16);
        offer(other, 2, "other");
        assertThat(processor.doWork()).isZero();
        assertThat(ring.leftover().openClaims()).isEqualTo(3);
        assertThat(ring.leftover().unhandled()).isEqualTo(1);
        one.abort(open);
        assertThat(processor.doWork()).isEqualTo(1);
        assertThat(notes.seen).containsExactly("2 other!");
        assertThat(ring.leftover().isNone()).isFalse(); // producers are open
        one.close();
        other.close();
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRingWithoutConsumersIsNeverFull(boolean single) {
        RingBuffer<Messages> ring = ring(single, 64);
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 100; i++) {
            offer(producer, 1, "1234");
        }
        assertThat(ring.cursor().get()).isEqualTo(ring.leftover().unhandled() + 199);
        long open = producer.tryClaim(1, 8);
        assertThat(ring.leftover().openClaims()).isEqualTo(2);
        assertThat(ring.cursor().get()).isEqualTo(open - 1);
        producer.abort(open);
        assertThat(ring.leftover().openClaims()).isZero();
    }

    // controlled handlers

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aControlledHandlerSaysHowToGoOn(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> seen = new ArrayList<>();
        List<ControlledMessageHandler.Action> wanted = new ArrayList<>();
        ControlledMessageHandler controlled = new ControlledMessageHandler() {
            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                Action action = wanted.remove(0);
                seen.add(type + " " + action + (endOfBatch ? "!" : ""));
                return action;
            }

            @Override
            public void onBatchEnd(long sequence) {
                seen.add("end " + sequence);
            }
        };
        Notes behind = new Notes();
        pipeline.handleEventsWith(controlled).then(behind);
        List<EventProcessor> processors = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 4; type++) {
            offer(producer, type, "m" + type); // two sequences each
        }
        wanted.addAll(List.of(
                ControlledMessageHandler.Action.COMMIT,
                ControlledMessageHandler.Action.CONTINUE,
                ControlledMessageHandler.Action.ABORT));
        assertThat(processors.get(0).doWork()).isEqualTo(2);
        assertThat(seen).containsExactly("1 COMMIT", "2 CONTINUE", "3 ABORT", "end 3");
        seen.clear();
        assertThat(processors.get(1).doWork()).isEqualTo(2);
        wanted.add(ControlledMessageHandler.Action.ABORT);
        assertThat(processors.get(0).doWork()).isZero();
        assertThat(processors.get(0).deadline())
                .as("it is called again before long")
                .isNotEqualTo(SignalledIdle.NO_DEADLINE);
        assertThat(pipeline.consumer(controlled).sequence().get()).isEqualTo(3);
        assertThat(seen).containsExactly("3 ABORT", "end 3");
        seen.clear();
        wanted.addAll(List.of(ControlledMessageHandler.Action.BREAK));
        assertThat(processors.get(0).doWork()).isEqualTo(1);
        assertThat(processors.get(0).deadline())
                .as("a time that has passed would keep its thread from parking")
                .isEqualTo(SignalledIdle.NO_DEADLINE);
        assertThat(pipeline.consumer(controlled).sequence().get()).isEqualTo(5);
        wanted.add(ControlledMessageHandler.Action.CONTINUE);
        assertThat(processors.get(0).doWork()).isEqualTo(1);
        assertThat(seen).containsExactly("3 BREAK", "end 5", "4 CONTINUE!", "end 7");
        processors.get(1).doWork();
        assertThat(behind.seen).containsExactly("1 m1", "2 m2!", "3 m3", "4 m4!");
    }

    @Test
    void whatWasCommittedIsSeenWithinTheBatch() {
        RingBuffer<Messages> ring = ring(true, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<Long> progress = new ArrayList<>();
        ControlledMessageHandler controlled = new ControlledMessageHandler() {
            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                progress.add(pipeline.consumer(this).sequence().get());
                return Action.COMMIT;
            }
        };
        pipeline.handleEventsWith(controlled);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 3; i++) {
            offer(producer, 1, "12345678");
        }
        assertThat(processor.doWork()).isEqualTo(3);
        assertThat(progress).containsExactly(-1L, 1L, 3L);
    }

    /** What no rewind brings back has been handled, so it counts, though the rest of its batch is handled again. */
    @Test
    void whatWasCommittedBeforeARewindIsCounted() {
        RingBuffer<Messages> ring = ring(true, 1024);
        Pipeline<Messages> pipeline =
                Pipeline.on(ring).onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.REWIND_BATCH);
        List<String> seen = new ArrayList<>();
        ControlledMessageHandler controlled = (type, buffer, offset, length, sequence, endOfBatch) -> {
            seen.add("" + type);
            if (seen.size() == 4) {
                throw new IllegalStateException("planned");
            }
            return type == 2 ? ControlledMessageHandler.Action.COMMIT : ControlledMessageHandler.Action.CONTINUE;
        };
        pipeline.handleEventsWith(controlled);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 4; type++) {
            offer(producer, type, "m");
        }
        assertThat(processor.doWork()).isEqualTo(4);
        assertThat(seen).containsExactly("1", "2", "3", "4", "3", "4");
    }

    /** Nothing of the batch comes again, so it does not begin again: a batch of no messages would be the first that a handler gets. */
    @Test
    void aRewindBehindTheCommitOfAllMessagesBeginsNoBatch() {
        RingBuffer<Messages> ring = ring(true, 1024);
        Pipeline<Messages> pipeline =
                Pipeline.on(ring).onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.REWIND_BATCH);
        List<String> seen = new ArrayList<>();
        ControlledMessageHandler controlled = new ControlledMessageHandler() {
            @Override
            public void onBatchStart(long size, long available) {
                seen.add("start of " + size);
            }

            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                seen.add("" + type);
                return Action.COMMIT;
            }

            @Override
            public void onBatchEnd(long sequence) {
                seen.add("end " + sequence);
                if (seen.size() == 4) {
                    throw new IllegalStateException("planned");
                }
            }
        };
        pipeline.handleEventsWith(controlled);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, "m"); // two sequences
        offer(producer, 2, "m");
        assertThat(processor.doWork()).isEqualTo(2);
        assertThat(seen).containsExactly("start of 4", "1", "2", "end 3", "end 3");
    }

    @Test
    void anActionOfNullIsAFailure() {
        RingBuffer<Messages> ring = ring(true, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        ControlledMessageHandler controlled = (type, buffer, offset, length, sequence, endOfBatch) -> null;
        pipeline.handleEventsWith(controlled);
        EventProcessor processor = pipeline.startProcessors().get(0);
        offer(MessageProducer.of(ring), 1, "x");
        assertThat(processor.doWork()).isZero();
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(ring.failure())
                .hasMessage("onMessage must return ABORT, BREAK, COMMIT or CONTINUE, but returned null");
    }

    // failures

    @ParameterizedTest
    @CsvSource({"SKIP, 1 2 3 1", "RETRY_EVENT, 1 2 2 3 1", "REWIND_BATCH, 1 2 1 2 3 1", "HALT, 1 2"})
    void eachPolicyHoldsForMessages(FailurePolicy.Action action, String expected) {
        RingBuffer<Messages> ring = ring(true, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        List<String> seen = new ArrayList<>();
        boolean[] failed = {false};
        MessageHandler fails = (type, buffer, offset, length, sequence, endOfBatch) -> {
            seen.add("" + type);
            if (type == 2 && !failed[0]) {
                failed[0] = true;
                throw new IllegalStateException("planned");
            }
        };
        pipeline.handleEventsWith(
                pipeline.consumer("fails", fails).onFailure((cause, event, sequence, attempt) -> action));
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, "a");
        offer(producer, 2, "b");
        offer(producer, 3, "c");
        processor.doWork();
        if (action != FailurePolicy.Action.HALT) {
            offer(producer, 1, "d");
            processor.doWork();
            assertThat(pipeline.consumer(fails).sequence().get()).isEqualTo(7);
        }
        assertThat(String.join(" ", seen)).isEqualTo(expected);
        assertThat(ring.state()).isEqualTo(action == FailurePolicy.Action.HALT ? State.FAILED : State.RUNNING);
    }

    /** A handler that throws neither wedges its consumer nor has it spin on the message for ever. */
    @Test
    void aMessageThatAlwaysFailsIsGivenUp() {
        RingBuffer<Messages> ring = ring(true, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        MessageHandler fails = (type, buffer, offset, length, sequence, endOfBatch) -> {
            if (type == 9) {
                throw new IllegalStateException("planned");
            }
            notes.onMessage(type, buffer, offset, length, sequence, endOfBatch);
        };
        pipeline.handleEventsWith(pipeline.consumer("fails", fails)
                .onFailure((cause, event, sequence, attempt) ->
                        attempt < 3 ? FailurePolicy.Action.RETRY_EVENT : FailurePolicy.Action.SKIP));
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, "a");
        offer(producer, 9, "bad");
        offer(producer, 2, "b");
        assertThat(processor.doWork()).isPositive();
        assertThat(notes.seen).containsExactly("1 a", "2 b!");
    }

    // workers

    @Test
    void workersShareTheMessages() {
        RingBuffer<Messages> ring = ring(false, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes one = new Notes();
        Notes other = new Notes();
        Notes behind = new Notes();
        pipeline.handleEventsWithWorkerPool(
                        pipeline.consumer("one", one).batchLimit(2),
                        pipeline.consumer("other", other).batchLimit(1))
                .then(behind);
        List<EventProcessor> processors = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 1; i <= 6; i++) {
            offer(producer, i, "message " + i);
        }
        assertThat(processors.get(0).doWork()).isEqualTo(2);
        assertThat(processors.get(1).doWork()).isEqualTo(1);
        assertThat(processors.get(2).doWork()).isEqualTo(3);
        assertThat(processors.get(1).doWork()).isEqualTo(1);
        assertThat(processors.get(0).doWork()).isEqualTo(2);
        assertThat(processors.get(2).doWork()).isEqualTo(3);
        assertThat(one.seen).containsExactly("1 message 1!", "2 message 2!", "5 message 5!", "6 message 6!");
        assertThat(other.seen).containsExactly("3 message 3!", "4 message 4!");
        assertThat(behind.seen).hasSize(6);
    }

    // claims that nobody commits

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theClaimOfAnEndedThreadIsFoundAndAborted(boolean single) throws Exception {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer lost = MessageProducer.of(ring);
        Thread thread = new Thread(
                () -> {
                    for (int i = 0; i < 9; i++) {
                        offer(lost, 1, "12345678");
                        processor.doWork();
                    }
                    lost.tryClaim(2, 32);
                },
                "lost");
        thread.start();
        thread.join();
        processor.doWork();
        int before = notes.seen.size();
        StalledClaimDetector detector = StalledClaimDetector.of(ring);
        AbandonedClaim claim = detector.look(0);
        assertThat(claim).isNotNull();
        assertThat(claim.lowest()).isEqualTo(18);
        assertThat(claim.highest()).isEqualTo(22);
        assertThat(claim.threads()).containsExactly(thread);
        MessageProducer other = null;
        if (!single) {
            other = MessageProducer.of(ring);
            offer(other, 3, "behind");
            assertThat(processor.doWork()).isZero();
        }
        assertThat(claim.abort()).isEqualTo(5);
        assertThat(claim.abort()).isZero();
        if (other == null) {
            other = MessageProducer.of(ring);
            offer(other, 3, "behind");
        }
        processor.doWork();
        processor.doWork();
        assertThat(notes.seen.subList(before, notes.seen.size())).containsExactly("3 behind!");
        other.close();
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAbandonedClaimWithPaddingIsPassedWhole(boolean single) throws Exception {
        for (int before = 0; before < 8; before++) {
            RingBuffer<Messages> ring = ring(single, 64);
            Pipeline<Messages> pipeline = Pipeline.on(ring);
            Notes notes = new Notes();
            pipeline.handleEventsWith(notes);
            EventProcessor processor = pipeline.startProcessors().get(0);
            MessageProducer lost = MessageProducer.of(ring);
            int empty = before;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < empty; i++) {
                    offer(lost, 1, "");
                }
                exhaust(processor);
                lost.tryClaim(2, 8);
            });
            thread.start();
            thread.join();
            AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
            assertThat(claim.abort()).isEqualTo(before == 7 ? 3 : 2);
            exhaust(processor);
            MessageProducer other = MessageProducer.of(ring);
            offer(other, 3, "behind");
            exhaust(processor);
            assertThat(notes.seen.get(notes.seen.size() - 1)).isEqualTo("3 behind!");
            assertThat(notes.seen).hasSize(before + 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theClaimOfALivingThreadIsNamedAndNotAborted(boolean single) throws Exception {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline.on(ring).handleEventsWith(new Notes());
        MessageProducer slow = MessageProducer.of(ring);
        CountDownLatch claimed = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    slow.tryClaim(2, 32);
                    claimed.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "slow");
        thread.start();
        assertThat(claimed.await(20, TimeUnit.SECONDS)).isTrue();
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        assertThat(claim.describe()).contains("slow");
        assertThatThrownBy(claim::abort)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("slow");
        end.countDown();
        thread.join();
        assertThat(ring.leftover().openClaims()).isEqualTo(5);
        assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereClaimsAreTrackedThatOfALivingThreadIsAbortedAndItsLateWritesReachNoMessage(boolean single)
            throws Exception {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).trackClaims();
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer slow = MessageProducer.of(ring);
        CountDownLatch claimed = new CountDownLatch(1);
        CountDownLatch aborted = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> thrown = new ArrayList<>();
        Thread thread = new Thread(() -> {
            try {
                offer(slow, 1, "before");
                long lost = slow.tryClaim(2, 32);
                claimed.countDown();
                aborted.await();
                slow.buffer().setMemory(slow.offset(lost), 32, (byte) 'x'); // late
                assertThatThrownBy(() -> slow.commit(lost)).isInstanceOf(ClaimAbortedException.class);
                assertThatThrownBy(() -> slow.commit(lost)).isInstanceOf(IllegalArgumentException.class);
                long again = slow.tryClaim(4, 5);
                slow.buffer().putStringWithoutLengthAscii(slow.offset(again), "again");
                slow.commit(again);
                slow.abort(slow.tryClaim(5, 8));
                offer(slow, 6, "last");
                slow.close();
            } catch (Throwable t) {
                thrown.add(t);
            }
            done.countDown();
        });
        thread.start();
        assertThat(claimed.await(20, TimeUnit.SECONDS)).isTrue();
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        assertThat(claim.isOwnerKnown()).isTrue();
        assertThat(claim.threads()).containsExactly(thread);
        assertThat(claim.abort()).isEqualTo(5);
        assertThat(claim.abort()).isZero();
        exhaust(processor);
        if (!single) {
            try (MessageProducer other = MessageProducer.of(ring)) {
                for (int i = 0; i < 12; i++) { // a lap, so that the lost claim's place is another's
                    offer(other, 3, "12345678");
                    exhaust(processor);
                }
            }
        }
        aborted.countDown();
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(thrown).isEmpty();
        exhaust(processor);
        assertThat(notes.seen).extracting(one -> one.replace("!", "")).doesNotContain("2 " + "x".repeat(32));
        assertThat(notes.seen)
                .extracting(one -> one.replace("!", ""))
                .filteredOn(one -> !one.equals("3 12345678"))
                .containsExactly("1 before", "4 again", "6 last");
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTrackedClaimThatIsCommittedOrWhoseThreadHasEndedIsNotAbortedTwice(boolean single) throws Exception {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).trackClaims();
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer own = MessageProducer.of(ring);
        long sequence = own.tryClaim(1, 4);
        own.buffer().putStringWithoutLengthAscii(own.offset(sequence), "good");
        AbandonedClaim late = StalledClaimDetector.of(ring).look(0);
        own.commit(sequence);
        assertThat(late.abort()).isZero();
        sequence = own.tryClaim(2, 4);
        assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(2);
        own.abort(sequence); // aborted is aborted, by whom ever
        sequence = own.tryClaim(3, 4);
        assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(2);
        offer(own, 4, "next"); // what was lost is not open any more
        own.tryClaim(5, 4);
        own.close();
        MessageProducer lost = MessageProducer.of(ring);
        CountDownLatch claimed = new CountDownLatch(1); // else it may be within its claim, and is not to be aborted yet
        Thread thread = new Thread(() -> {
            lost.tryClaim(6, 4);
            claimed.countDown();
        });
        thread.start();
        assertThat(claimed.await(20, TimeUnit.SECONDS)).isTrue();
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        long first = claim.abort(); // living or not
        thread.join();
        assertThat(first).isEqualTo(2);
        assertThat(claim.abort()).isBetween(0L, 2L); // its owner closes, and has not learnt
        offer(MessageProducer.of(ring), 7, "end");
        exhaust(processor);
        assertThat(notes.seen).extracting(one -> one.replace("!", "")).containsExactly("1 good", "4 next", "7 end");
    }

    @Test
    void theCloseOfAProducerWhoseClaimWasLostLeavesTheMessagesThatStandThereNow() {
        RingBuffer<Messages> ring =
                RingBufferBuilder.messages(256).trackClaims().build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer lost = MessageProducer.of(ring);
        assertThat(lost.tryClaim(1, 32)).isZero();
        assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(5);
        exhaust(processor);
        MessageProducer other = MessageProducer.of(ring);
        int offered = 0;
        while (other.offer(2, text("12345678"), 0, 8) >= 0) {
            offered++;
        }
        assertThat(offered).isGreaterThan(13); // beyond the end: they stand where the lost claim was
        lost.close();
        exhaust(processor);
        assertThat(notes.seen).hasSize(offered).allMatch(one -> one.startsWith("2 12345678"));
        other.close();
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConsumerThatStandsBeforeAnAbandonedClaimTells(boolean single) throws Exception {
        List<AbandonedClaim> told = new ArrayList<>();
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).onAbandonedClaim(1, claim -> {
            told.add(claim);
            claim.abort();
        });
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer lost = MessageProducer.of(ring);
        Thread thread = new Thread(() -> lost.tryClaim(2, 32));
        thread.start();
        thread.join();
        while (told.isEmpty()) {
            processor.doWork();
        }
        offer(MessageProducer.of(ring), 3, "behind");
        while (notes.seen.isEmpty()) {
            processor.doWork();
        }
        assertThat(notes.seen).containsExactly("3 behind!");
        assertThat(told).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClosedProducerLeavesNothingOpen(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        producer.tryClaim(1, 20);
        producer.close();
        assertThat(processor.doWork()).isEqualTo(1);
        assertThat(producer.tryClaim(1, 20)).isEqualTo(Producer.CLOSED);
        offer(MessageProducer.of(ring), 2, "next");
        assertThat(processor.doWork()).isEqualTo(1);
        assertThat(notes.seen).containsExactly("2 next!");
    }

    // the end

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClosedRingRefusesMessages(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, "x");
        ring.close();
        assertThat(producer.offer(1, text("x"), 0, 1)).isEqualTo(Producer.CLOSED);
        assertThat(producer.claim(1, 1, 1_000)).isEqualTo(Producer.CLOSED);
        assertThatThrownBy(() -> MessageProducer.of(ring)).isInstanceOf(RingClosedException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFullRingTimesOut(boolean single) {
        RingBuffer<Messages> ring = ring(single, 64);
        Pipeline.on(ring).handleEventsWith(new Notes());
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 4; i++) {
            offer(producer, 1, "12345678");
        }
        assertThat(producer.tryClaim(1, 0)).isEqualTo(Producer.FULL);
        assertThat(producer.claim(1, 0, 1_000)).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.claim(1, 0, 0)).isEqualTo(Producer.FULL);
    }

    // refusals

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void badInputIsNamedAndClaimsNothing(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline.on(ring).handleEventsWith(new Notes());
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer buffer = SafeBuffer.allocate(100);
        assertThatThrownBy(() -> producer.offer(0, buffer, 0, 8)).hasMessage("type must be 1 or more, but was 0");
        assertThatThrownBy(() -> producer.offer(-3, buffer, 0, 8)).hasMessage("type must be 1 or more, but was -3");
        assertThatThrownBy(() -> producer.tryClaim(0, 8)).hasMessage("type must be 1 or more, but was 0");
        assertThatThrownBy(() -> producer.offer(1, buffer, 0, -1))
                .hasMessage("length must be from 0 to 32, but was -1");
        assertThatThrownBy(() -> producer.tryClaim(1, 33)).hasMessage("length must be from 0 to 32, but was 33");
        assertThatThrownBy(() -> producer.offer(1, buffer, 90, 11)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> producer.offer(1, null, 0, 0)).hasMessage("buffer must not be null");
        assertThatThrownBy(() -> producer.offerParts(1, buffer))
                .hasMessage("length of all parts must be from 0 to 32, but was 100");
        assertThatThrownBy(() -> producer.offerParts(0, text("x"))).hasMessage("type must be 1 or more, but was 0");
        assertThatThrownBy(() -> producer.offerAll(1)).hasMessage("number of messages must be 1 or more, but was 0");
        assertThatThrownBy(() -> producer.offerAll(1, text("x"), buffer))
                .hasMessage("length must be from 0 to 32, but was 100");
        DirectBuffer[] five = new DirectBuffer[5];
        Arrays.fill(five, text("123456789"));
        assertThatThrownBy(() -> producer.offerAll(1, five))
                .hasMessage("length of all records must be from 0 to 64, but was 120");
        assertThatThrownBy(() -> producer.commit(0))
                .hasMessage("sequence must be that of the open claim, but none is open and commit got 0");
        long open = producer.tryClaim(1, 8);
        assertThat(open).isZero();
        assertThatThrownBy(() -> producer.abort(1))
                .hasMessage("sequence must be that of the open claim, 0, but abort got 1");
        assertThatThrownBy(() -> producer.tryClaim(1, 8)).isInstanceOf(IllegalStateException.class);
        producer.commit(open);
        assertThatThrownBy(() -> producer.commit(open)).isInstanceOf(IllegalArgumentException.class);
        assertThat(producer.tryClaim(1, 0)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBufferThatFailsWhileItIsCopiedLeavesNothingOpen(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer closed = SafeBuffer.allocateDirect(16);
        DirectBuffer fails = (DirectBuffer) java.lang.reflect.Proxy.newProxyInstance(
                DirectBuffer.class.getClassLoader(), new Class<?>[] {DirectBuffer.class}, (self, method, arguments) -> {
                    if (method.getName().equals("wrapAdjustment")) { // a copy asks for it, nothing before it does
                        throw new IllegalStateException("planned");
                    }
                    return method.invoke(closed, arguments);
                });
        assertThatThrownBy(() -> producer.offer(1, fails, 0, 8)).hasMessage("planned");
        assertThatThrownBy(() -> producer.offerParts(1, fails)).hasMessage("planned");
        assertThatThrownBy(() -> producer.offerAll(1, fails, fails)).hasMessage("planned");
        offer(producer, 2, "good");
        while (notes.seen.isEmpty()) {
            processor.doWork();
        }
        assertThat(notes.seen).containsExactly("2 good!");
    }

    @Test
    void whatNeedsEventsOfOneSizeIsRefused() {
        assertThatThrownBy(() -> RingBufferBuilder.messages(100))
                .hasMessage("bytes must be a power of two from 64 to 1073741824, but was 100");
        assertThatThrownBy(() -> RingBufferBuilder.messages(128).capacity(16))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> RingBufferBuilder.messages(128).retain(4).build())
                .hasMessage(
                        "retain must be used on a ring whose events have one size, since nobody may join at a given message, but was used on a ring of messages");
        RingBuffer<Messages> ring = ring(false, 256);
        assertThatThrownBy(ring::producer).isInstanceOf(UnsupportedOperationException.class);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        BatchHandler<Messages> batches = (all, lo, hi) -> hi;
        assertThatThrownBy(() -> pipeline.handleBatchesWith(batches))
                .hasMessageContaining("since a range is no list of messages")
                .hasMessageContaining("kind BATCHES");
        MessageHandler handler = new Notes();
        assertThatThrownBy(() -> pipeline.handleEventsPartitionedBy(event -> 0, handler))
                .hasMessageStartingWith("key of a ring of messages must be a MessageKey");
        assertThatThrownBy(() -> pipeline.clearEventsWith(event -> {}))
                .hasMessage(
                        "clearEventsWith must be called on a ring whose events have one size, since messages hold no objects to let go, but was called on a ring of messages");
        ControlledMessageHandler controlled =
                (type, buffer, offset, length, sequence, end) -> ControlledMessageHandler.Action.BREAK;
        assertThatThrownBy(() -> pipeline.handleEventsWithWorkerPool(controlled))
                .hasMessageContaining("controlled");
        assertThatThrownBy(() -> controlled.onEvent(ring.get(0), 0, true))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(pipeline.consumers()).isEmpty();
        MessageHandler makesProgress = new MessageHandler() {
            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
                pipeline.consumer(this).progress(sequence);
            }
        };
        pipeline.onFailure(FailurePolicies.halt()).errorHandler(told -> {});
        pipeline.handleEventsWith(makesProgress);
        EventProcessor processor = pipeline.startProcessors().get(0);
        assertThatThrownBy(() -> pipeline.join(handler).from(0))
                .hasMessage(
                        "from must be called on a ring whose events have one size, since not each sequence begins a message, but was called on a ring of messages");
        offer(MessageProducer.of(ring), 1, "x");
        processor.doWork();
        assertThat(ring.failure())
                .hasMessage(
                        "progress must be called on a ring whose events have one size, since a ControlledMessageHandler returns COMMIT for it, but was called on a ring of messages");
        assertThatThrownBy(() -> MessageProducer.of(foreign()))
                .hasMessageContaining("ring must be one of RingBufferBuilder.messages");
    }

    @SuppressWarnings("unchecked") // a ring of objects that are messages, which nobody should build
    private static RingBuffer<Messages> foreign() {
        return RingBufferBuilder.of(() -> ring(true, 64).get(0)).build();
    }

    // costs

    @Tag("once")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingAllocates(boolean single) {
        RingBuffer<Messages> ring = ring(single, 4096);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        long[] sum = {0};
        MessageHandler adds = (type, buffer, offset, length, sequence, endOfBatch) -> sum[0] += buffer.getLong(offset);
        ControlledMessageHandler controlled = (type, buffer, offset, length, sequence, endOfBatch) -> {
            sum[0] += type;
            return ControlledMessageHandler.Action.COMMIT;
        };
        pipeline.handleEventsWith(adds, controlled);
        List<EventProcessor> processors = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer message = SafeBuffer.allocate(40);
        DirectBuffer[] parts = {message, message};
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 5_000; i++) {
                producer.offer(1, message, 0, 8 + i % 32);
                producer.offerParts(2, parts);
                producer.offerAll(3, parts);
                long sequence = producer.tryClaim(4, 24);
                if (i % 3 == 0) {
                    producer.abort(sequence);
                } else {
                    producer.commit(sequence);
                }
                for (int node = 0; node < 2; node++) {
                    processors.get(node).doWork();
                }
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
        assertThat(sum[0]).isPositive();
    }
}
