package io.sluice.aeron;

import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A sender whose encoder fails, where aborted slots divide its batch, and where it leaves and joins again. */
@Tag("once")
class SenderFailuresTest {
    private static final long BAD = 5;

    /** Fails at one event as often as it is told to. */
    private static EventEncoder<long[]> failing(int[] failures) {
        return EventEncoder.fixed(8, (event, buffer, offset) -> {
            if (event[0] == BAD && failures[0]-- > 0) {
                throw new IllegalStateException("bad " + BAD);
            }
            buffer.putLong(offset, event[0]);
        });
    }

    /** The part of the batch before the aborted slot is sent when the first event behind that slot fails. */
    @ParameterizedTest
    @EnumSource(Action.class)
    void noMessageGoesTwiceWhereAnEventFailsBehindAnAbortedOne(Action action) throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, failing(new int[] {1}))
                    .build();
            Harness.Out out = harness.new Out(64, sender, new FailurePolicy<>() {
                @Override
                public Action onFailure(Throwable cause, long[] event, long sequence, int attempt) {
                    return action;
                }

                @Override
                public boolean mayRewind() {
                    return action == Action.REWIND_BATCH;
                }
            });
            Harness.In in = harness.new In(64);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.runUntil(() -> sender.open() && receiver.isConnected());
            for (long value = 0; value < 10; value++) {
                if (value == 4) {
                    assertThat(catchThrowable(() -> out.producer.publishEvent((event, sequence) -> {
                                throw new IllegalArgumentException("no 4");
                            })))
                            .hasMessage("no 4");
                } else {
                    assertThat(out.offer(value)).isTrue();
                }
            }
            harness.runUntil(() ->
                    out.ring.state() == State.FAILED || out.ring.leftover().unhandled() == 0);
            harness.steps(20);
            List<Long> wanted = new ArrayList<>(List.of(0L, 1L, 2L, 3L));
            if (action != Action.HALT && action != Action.SKIP) {
                wanted.addAll(Harness.numbers(BAD, 9));
            }
            assertThat(in.values).isEqualTo(wanted);
            if (action == Action.HALT) {
                assertThat(out.pipeline.consumers().get(0).sequence().get())
                        .as("what was sent counts as handled")
                        .isEqualTo(BAD - 1);
            }
        }
    }

    /** The failed event comes again, and may go well by then. Those before it are not at fault. */
    @Test
    void aFailureOfAnEarlierMembershipIsNotThatOfTheEventsThatComeAgain() throws Exception {
        try (Harness harness = new Harness()) {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(64)
                    .retain(32)
                    .singleProducer()
                    .build();
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, failing(new int[] {1}))
                    .build();
            List<Long> asked = new ArrayList<>();
            Pipeline<long[]> pipeline = Pipeline.on(ring).onFailure((cause, event, sequence, attempt) -> {
                asked.add(sequence);
                return Action.SKIP;
            });
            pipeline.handleEventsWith(
                    pipeline.batchConsumer("out", sender), pipeline.consumer("other", (e, s, l) -> {}));
            List<EventProcessor> processors = pipeline.startProcessors();
            Harness.In in = harness.new In(64);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.runUntil(() -> sender.open() && receiver.isConnected());
            Producer<long[]> producer = ring.producer();
            for (long value = 0; value < 10; value++) {
                producer.publishEvent((event, sequence, v) -> event[0] = v, value);
            }
            processors.get(1).doWork();
            processors.get(0).doWork();
            harness.runUntil(() -> in.values.size() == BAD);
            ConsumerHandle out = pipeline.consumers().get(0);
            assertThat(out.name()).isEqualTo("out");
            assertThat(out.remove(0)).isEqualTo(Removal.LEFT);
            processors.get(0).doWork();
            processors.get(0).onClose();

            Thread other = new Thread(
                    () -> {
                        while (ring.state() == State.RUNNING) {
                            processors.get(1).doWork();
                            Thread.onSpinWait();
                        }
                    },
                    "other");
            other.setDaemon(true);
            other.start();
            EventProcessor again =
                    pipeline.join(pipeline.batchConsumer("out", sender)).from(2).processor(Duration.ofSeconds(20));
            harness.runUntil(() -> {
                again.doWork();
                return ring.leftover().unhandled() == 0;
            });
            harness.steps(20);
            assertThat(asked).isEmpty();
            assertThat(in.values.subList((int) BAD, in.values.size())).isEqualTo(Harness.numbers(2, 9));
            ring.close();
            other.join();
            sender.close();
        }
    }
}
