package io.sluice.ringbuffer.product;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SequenceView;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A consumer that its caller runs where hardly any stack is left. What the end of the stack cuts off is done by the next call: no event is
 * lost, none comes again that was given away, and progress does not stay behind. Or the ring has failed, if it was the handler that was
 * cut off.
 */
@Tag("once")
@Timeout(120)
class CutOffConsumersTest {
    private static final int EVENTS = 3;
    private static final int SLOTS = 16;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "events",
                "ranges",
                "a worker",
                "a poller",
                "messages",
                "a worker of messages",
                "a poller of messages"
            })
    void whatTheEndOfTheStackCutsOffIsDoneByTheNextCall(String kind) throws Exception {
        // where all is interpreted, each call has a frame
        assertThat(ChildJvm.run(Child.class, List.of("-Xint"), kind)).isEqualTo("all is well\n");
    }

    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(() -> eachDepth(arguments[0]));
            System.out.println("all is well");
        }
    }

    private static void eachDepth(String kind) {
        new Tried(kind).done("with stack"); // loads all
        int cutOff = 0;
        int behindAnEvent = 0;
        for (int spared = 0; spared < 64; spared++) {
            for (int finer = 0; finer < 8; finer++) {
                Tried tried = new Tried(kind);
                boolean cut = EndOfStack.cutsOff(spared, finer, tried.work);
                boolean within = cut && tried.handled[0] > 0;
                if (tried.done(spared + " frames up and " + finer + " down")) {
                    cutOff += cut ? 1 : 0;
                    behindAnEvent += within ? 1 : 0;
                }
            }
        }
        assertThat(cutOff).as("calls that were cut off on a ring that went on").isPositive();
        if (!kind.contains("poller")
                && !kind.contains("messages")) { // there nothing goes deeper than the handler, or a header
            assertThat(behindAnEvent).as("of those, behind an event").isPositive();
        }
    }

    /** A ring with three events, and one consumer. */
    private static final class Tried {
        private final RingBuffer<Object> ring;
        private final int[] handled = new int[SLOTS];
        private final SequenceView progress;
        private final Runnable work;

        Tried(String kind) {
            boolean messages = kind.contains("messages");
            ring = builder(messages).build();
            Pipeline<Object> pipeline = Pipeline.on(ring).errorHandler(failure -> {});
            // makes no call: so what is cut off is seldom the handler, which would fail the ring
            EventHandler<Object> events = (event, sequence, endOfBatch) -> handled[(int) sequence]++;
            if (kind.contains("poller")) {
                EventPoller<Object> poller = pipeline.poller("books");
                progress = poller.sequence();
                work = () -> poller.poll((event, sequence, endOfBatch) -> handled[(int) sequence]++, SLOTS);
            } else {
                if (kind.contains("worker")) {
                    pipeline.handleEventsWithWorkerPool(pipeline.consumer("books", events));
                } else if (kind.contains("ranges")) {
                    pipeline.handleEventsWith(pipeline.batchConsumer("books", (all, lo, hi) -> {
                        for (int i = (int) lo; i <= hi; i++) {
                            handled[i]++;
                        }
                        return hi;
                    }));
                } else {
                    pipeline.handleEventsWith(pipeline.consumer("books", events));
                }
                EventProcessor processor = pipeline.startProcessors().get(0);
                progress = processor.sequence();
                work = processor::doWork;
                processor.onStart();
            }
            publish(messages);
        }

        @SuppressWarnings("unchecked") // events are Objects here
        private static RingBufferBuilder<Object> builder(boolean messages) {
            RingBufferBuilder<?> builder = messages
                    ? RingBufferBuilder.messages(SLOTS * Messages.ALIGNMENT)
                    : RingBufferBuilder.of(Object::new).capacity(SLOTS);
            return (RingBufferBuilder<Object>) builder;
        }

        @SuppressWarnings("unchecked") // as above
        private void publish(boolean messages) {
            if (messages) {
                MessageProducer producer = MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring);
                for (int i = 0; i < EVENTS; i++) {
                    assertThat(producer.offer(1, SafeBuffer.allocate(8), 0, 8)).isEqualTo(2L * i);
                }
            } else {
                Producer<Object> producer = ring.producer();
                for (int i = 0; i < EVENTS; i++) {
                    producer.publishEvent((event, sequence) -> {});
                }
            }
        }

        /** Calls it where there is stack, and looks what has become of the events; whether the ring goes on. */
        boolean done(String when) {
            long given = progress.get();
            int[] before = handled.clone();
            for (int i = 0; i < 2 * EVENTS; i++) {
                work.run();
            }
            if (ring.state() == State.FAILED) {
                return false;
            }
            long claimed = ring.cursor().get();
            assertThat(progress.get()).as("progress, %s", when).isEqualTo(claimed);
            int step = (int) (claimed + 1) / EVENTS;
            for (int i = 0; i <= claimed; i += step) {
                assertThat(handled[i]).as("event %d, %s", i, when).isPositive();
                if (i <= given) {
                    assertThat(handled[i])
                            .as("event %d, given away, %s", i, when)
                            .isEqualTo(before[i]);
                }
            }
            assertThat(ring.leftover().unhandled()).isZero();
            return true;
        }
    }
}
