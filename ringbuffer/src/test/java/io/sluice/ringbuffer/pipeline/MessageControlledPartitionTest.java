package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.pipeline.MessageNotes.offer;
import static io.sluice.ringbuffer.pipeline.MessageNotes.ringOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Controlled handlers that divide the messages among themselves by key. */
@Timeout(60)
class MessageControlledPartitionTest {
    private static final MessageKey TYPE = (type, buffer, offset, length) -> type;

    /** Answers as told, and writes down the progress that its consumer had. */
    private static final class Controlled implements ControlledMessageHandler {
        final List<String> calls = new ArrayList<>();
        final List<Action> answers = new ArrayList<>();
        long failsAt = -1;
        Pipeline<Messages> pipeline;

        @Override
        public void onBatchStart(long size, long available) {
            calls.add("start " + size + "/" + available);
        }

        @Override
        public Action onMessage(
                int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
            calls.add(type + "@" + sequence + (endOfBatch ? "!" : "") + " behind "
                    + pipeline.consumer(this).sequence().get());
            if (sequence == failsAt) {
                failsAt = -1;
                throw new IllegalStateException("planned");
            }
            return answers.isEmpty() ? Action.CONTINUE : answers.remove(0);
        }

        @Override
        public void onBatchEnd(long sequence) {
            calls.add("end " + sequence);
        }
    }

    /** A controlled handler of even types; messages of 2 sequences each, of types 2, 1, 4, 1, 6. */
    private static EventProcessor controlled(Controlled handler, boolean single) {
        RingBuffer<Messages> ring = ringOf(single, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        handler.pipeline = pipeline;
        pipeline.handleEventsPartitionedBy(
                TYPE,
                pipeline.consumer("controlled", handler)
                        .onFailure(FailurePolicies.rewindBatch(
                                1, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT)),
                pipeline.consumer("other", new MessageNotes()));
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type : new int[] {2, 1, 4, 1, 6}) {
            offer(producer, type, 8);
        }
        return run;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aControlledHandlerSaysHowToGoOnWithItsOwnMessages(boolean single) {
        Controlled handler = new Controlled();
        EventProcessor run = controlled(handler, single);
        handler.answers.addAll(List.of(ControlledMessageHandler.Action.COMMIT, ControlledMessageHandler.Action.BREAK));
        assertThat(run.doWork()).isEqualTo(2);
        assertThat(handler.calls).containsExactly("start 10/10", "2@0 behind -1", "4@4 behind 3", "end 5");
        handler.calls.clear();
        handler.answers.addAll(List.of(ControlledMessageHandler.Action.ABORT, ControlledMessageHandler.Action.ABORT));
        assertThat(run.doWork()).as("another's message is passed").isEqualTo(1);
        assertThat(run.sequence().get()).isEqualTo(7);
        assertThat(run.doWork()).isZero();
        assertThat(run.deadline()).as("it is called again before long").isNotEqualTo(SignalledIdle.NO_DEADLINE);
        assertThat(run.doWork()).isEqualTo(1);
        assertThat(run.sequence().get()).isEqualTo(9);
        assertThat(handler.calls)
                .containsExactly(
                        "start 2/2",
                        "6@8! behind 5",
                        "end 7",
                        "start 2/2",
                        "6@8! behind 7",
                        "end 7",
                        "start 2/2",
                        "6@8! behind 7",
                        "end 9");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRewindGoesBackNoFurtherThanWhatWasCommitted(boolean single) {
        Controlled handler = new Controlled();
        EventProcessor run = controlled(handler, single);
        handler.answers.add(ControlledMessageHandler.Action.COMMIT);
        handler.failsAt = 8;
        assertThat(run.doWork()).isEqualTo(3);
        assertThat(handler.calls)
                .containsExactly(
                        "start 10/10",
                        "2@0 behind -1",
                        "4@4 behind 3",
                        "6@8! behind 3",
                        "start 6/6",
                        "4@4 behind 3",
                        "6@8! behind 3",
                        "end 9");
        assertThat(run.sequence().get()).isEqualTo(9);
    }
}
