package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Workers that their caller runs, one of which the end of the stack cuts off with an event in hand. What the others do meanwhile, and what
 * becomes of that event, is the same wherever it was cut off.
 */
@Tag("once")
@Tag("any-jdk")
@Timeout(110)
class CutOffWorkersTest {
    /** How many events a ring holds. */
    private static final int LAP = 8;

    private static final int SEQUENCES_OF_A_MESSAGE = 2;

    /** How a cut leaves a worker. */
    private enum Cut {
        /** It has an event in hand. */
        IN_HAND,
        /** So, and that event is done, and marked so, but the progress of the stage was not moved. */
        MARKED
    }

    @ParameterizedTest
    @ValueSource(strings = {"objects", "messages"})
    void whatIsDoneIsNotHandledAgainThoughTheOtherWorkerIsMoreThanALapAhead(String kind) throws Exception {
        assertThat(child("moreThanALapAhead", kind)).isEqualTo("all is well\n");
    }

    private static void moreThanALapAhead(String kind) throws InterruptedException {
        eachCut(kind, 2, Cut.MARKED, workers -> {
            workers.publish(1);
            workers.exhaust(1);
            assertThat(workers.progress())
                    .as("progress, also over the event of the other")
                    .isEqualTo(2);
            for (int i = 0; i < 2 * LAP + 3; i++) {
                workers.publish(1);
                workers.exhaust(1);
            }
            workers.assertAllDone();
            workers.exhaust(0);
            workers.assertAllDone();
            for (int i = 0; i < 2 * LAP; i++) {
                workers.publish(2);
                workers.processors.get(i % 2).doWork();
                workers.exhaust(1 - i % 2);
            }
            workers.assertAllDone();
        });
    }

    /** A lap later the mark in its slot is another event's, while an event before that one is still in hand. */
    @ParameterizedTest
    @ValueSource(strings = {"objects", "messages"})
    void whatIsDoneIsNotMarkedAgainALapLater(String kind) throws Exception {
        assertThat(child("aLapLater", kind)).isEqualTo("all is well\n");
    }

    private static void aLapLater(String kind) throws InterruptedException {
        eachCut(kind, 3, Cut.MARKED, workers -> {
            for (int i = 1; i < 2 * LAP - 1; i++) {
                workers.publish(1);
                workers.exhaust(1);
            }
            int last = 2 * LAP - 1;
            long[] progress = {-1};
            workers.within = last;
            workers.inner = () -> {
                workers.publish(1);
                workers.exhaust(2);
                workers.exhaust(0);
                progress[0] = workers.progress();
            };
            workers.publish(1);
            workers.exhaust(1);
            assertThat(progress[0])
                    .as("events done without a gap, within the last")
                    .isEqualTo(last);
            workers.assertAllDone();
            for (int i = 0; i < 2 * LAP; i++) {
                workers.publish(1);
                workers.exhaust(i % 3);
            }
            workers.assertAllDone();
        });
    }

    /** Else its event would be nobody's, and held up all behind it. */
    @ParameterizedTest
    @ValueSource(strings = {"objects", "messages"})
    void aWorkerWithAnEventInHandLeavesOnlyOnceThatIsDone(String kind) throws Exception {
        assertThat(child("leaves", kind)).isEqualTo("all is well\n");
    }

    private static void leaves(String kind) throws InterruptedException {
        eachCut(kind, 2, Cut.IN_HAND, workers -> {
            ConsumerHandle leaver = workers.nodes.get(0);
            assertThat(leaver.remove(0)).as("from its own thread").isEqualTo(Removal.LATER);
            assertThat(workers.pipeline.consumers()).hasSize(2);
            workers.publish(3);
            workers.exhaust(1);
            workers.exhaust(0);
            assertThat(leaver.remove(0)).as("behind its event").isEqualTo(Removal.LEFT);
            assertThat(workers.pipeline.consumers()).hasSize(1);
            for (int i = 0; i < 2 * LAP; i++) {
                workers.publish(1);
                workers.exhaust(1);
            }
            workers.assertDoneAndTheFirstTwiceAtMost();
        });
    }

    /** Whoever runs it next goes on with its event. */
    @ParameterizedTest
    @ValueSource(strings = {"objects", "messages"})
    void aWorkerWhoseThreadEndedWithAnEventInHandLeavesOnlyOnceThatIsDone(String kind) throws Exception {
        assertThat(child("leavesBehindItsThread", kind)).isEqualTo("all is well\n");
    }

    private static void leavesBehindItsThread(String kind) throws InterruptedException {
        List<Workers> cutOff = new ArrayList<>();
        eachCut(kind, 2, Cut.IN_HAND, cutOff::add);
        for (Workers workers : cutOff) {
            ConsumerHandle leaver = workers.nodes.get(0);
            assertThat(leaver.remove(0)).as("by another thread").isEqualTo(Removal.LATER);
            workers.newProducer();
            workers.publish(3);
            workers.exhaust(1);
            workers.exhaust(0);
            assertThat(leaver.remove(0)).as("behind its event").isEqualTo(Removal.LEFT);
            workers.assertDoneAndTheFirstTwiceAtMost();
        }
    }

    /** Else its event was nobody's, and all behind it waited in silence. */
    @ParameterizedTest
    @ValueSource(strings = {"objects", "messages"})
    void aWorkerThatIsClosedWithAnEventInHandFailsTheRing(String kind) throws Exception {
        assertThat(child("closed", kind)).isEqualTo("all is well\n");
    }

    private static void closed(String kind) throws InterruptedException {
        eachCut(kind, 2, Cut.IN_HAND, workers -> {
            ConsumerNode<?> closed = workers.nodes.get(0);
            boolean isDone = closed.marked;
            workers.publish(1);
            workers.processors.get(0).onClose();
            assertThat(closed.isEnded()).isTrue();
            assertThat(workers.progress()).isEqualTo(isDone ? 1 : 0);
            workers.exhaust(1);
            if (isDone) {
                workers.assertAllDone();
                assertThat(workers.ring.state()).isEqualTo(State.RUNNING);
                return;
            }
            assertThat(workers.ring.failure())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "worker worker 0 must finish the event that it has taken before it is closed, but a stack"
                                    + " overflow has cut that event off: call doWork again before onClose");
            assertThat(closed.failure()).isSameAs(workers.ring.failure());
            assertThat(closed.failedWhere()).isEqualTo("in onClose");
            assertThat(workers.handled[1])
                    .as("an event of a stage that has failed")
                    .isZero();
        });
    }

    /** The end of the ring leaves events, and says how many: that is no failure. */
    @ParameterizedTest
    @ValueSource(strings = {"objects", "messages"})
    void aWorkerWithAnEventInHandFailsNoRingThatWasClosed(String kind) throws Exception {
        assertThat(child("closedBehindTheRing", kind)).isEqualTo("all is well\n");
    }

    private static void closedBehindTheRing(String kind) throws InterruptedException {
        eachCut(kind, 2, Cut.IN_HAND, workers -> {
            boolean isDone = workers.nodes.get(0).marked;
            workers.ring.close();
            workers.processors.forEach(EventProcessor::onClose);
            assertThat(workers.ring.state()).isEqualTo(State.CLOSED);
            assertThat(workers.ring.failure()).isNull();
            assertThat(workers.progress()).isEqualTo(isDone ? 1 : 0);
        });
    }

    /** Where all is interpreted, frames are the same each time, and each call has one. */
    private static String child(String task, String kind) throws Exception {
        return ChildJvm.run(Child.class, List.of("-Xint"), task, kind);
    }

    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            String kind = arguments[1];
            switch (arguments[0]) {
                case "moreThanALapAhead" -> moreThanALapAhead(kind);
                case "aLapLater" -> aLapLater(kind);
                case "leaves" -> leaves(kind);
                case "closed" -> closed(kind);
                case "closedBehindTheRing" -> closedBehindTheRing(kind);
                default -> leavesBehindItsThread(kind);
            }
            System.out.println("all is well");
        }
    }

    /**
     * Cuts the first of some workers off at each depth of the stack.
     *
     * @param many how many workers
     * @param wanted how the cut has to leave it
     * @param then what to do then, on the same thread
     */
    private static void eachCut(String kind, int many, Cut wanted, Consumer<Workers> then) throws InterruptedException {
        Throwable[] thrown = {null};
        Thread thread = new Thread(null, () -> eachDepth(kind, many, wanted, then), "shallow", 256 << 10);
        thread.setUncaughtExceptionHandler((one, t) -> thrown[0] = t);
        thread.start();
        thread.join();
        assertThat(thrown[0]).isNull();
    }

    private static void eachDepth(String kind, int many, Cut wanted, Consumer<Workers> then) {
        int met = 0;
        for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            Workers workers = new Workers(kind, many);
            workers.publish(1);
            boolean whole = StackEnd.atStep(step, workers.processors.get(0)::doWork) == null;
            wholeInARow = whole ? wholeInARow + 1 : 0;
            boolean failed = ((LoopFailures<?>) workers.processors.get(0)).done; // the handler was cut off
            if (!failed && workers.isLeft(wanted)) {
                met++;
                then.accept(workers);
            }
        }
        assertThat(met).as("cuts that left it so").isPositive();
    }

    /** Some workers of one stage, and how often each event was handled. */
    private static final class Workers {
        final RingBuffer<Object> ring;
        final Pipeline<Object> pipeline;
        final List<ConsumerNode<?>> nodes = new ArrayList<>();
        final List<EventProcessor> processors;
        private final int sequences; // of an event
        private final int[] handled = new int[16 * LAP];
        private int published;
        private LongSupplier publisher;

        /** At which event a handler does something else. */
        int within = -1;

        Runnable inner = () -> {};

        @SuppressWarnings({"unchecked", "rawtypes"}) // events are Objects to the tests
        Workers(String kind, int many) {
            boolean messages = kind.equals("messages");
            sequences = messages ? SEQUENCES_OF_A_MESSAGE : 1;
            RingBufferBuilder<?> builder = messages
                    ? RingBufferBuilder.messages(LAP * sequences * Messages.ALIGNMENT)
                    : RingBufferBuilder.of(Object::new).capacity(LAP);
            ring = ((RingBufferBuilder<Object>) builder).build();
            pipeline = Pipeline.on(ring).errorHandler(failure -> {});
            NewConsumer<Object>[] consumers = new NewConsumer[many];
            for (int i = 0; i < many; i++) {
                consumers[i] = pipeline.consumer("worker " + i, new Counts(this));
            }
            pipeline.handleEventsWithWorkerPool(consumers);
            pipeline.consumers().forEach(one -> nodes.add((ConsumerNode<?>) one));
            processors = pipeline.startProcessors();
            processors.forEach(EventProcessor::onStart);
            newProducer();
        }

        /** Each thread needs its own. */
        @SuppressWarnings("unchecked") // as above
        void newProducer() {
            if (sequences == 1) {
                Producer<Object> producer = ring.producer();
                publisher = () -> producer.tryPublishEvent((event, sequence) -> {});
            } else {
                MessageProducer producer = MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring);
                SafeBuffer content = SafeBuffer.allocate(8);
                publisher = () -> producer.offer(1, content, 0, 8);
            }
        }

        /** Whether the cut has left the first worker so. */
        boolean isLeft(Cut wanted) {
            ConsumerNode<?> node = nodes.get(0);
            if (sequences > 1 && wanted == Cut.MARKED && node.inHand && handled[0] == 0) {
                // to read a header takes more stack than to mark: the test does the rest of it in the worker's stead
                handled[0]++;
                node.work.mark(0, sequences - 1);
                node.marked = true;
            }
            return node.inHand && (wanted == Cut.IN_HAND || node.marked);
        }

        void publish(int events) {
            for (int i = 0; i < events; i++) {
                assertThat(publisher.getAsLong()).as("room for it").isEqualTo((long) published * sequences);
                published++;
            }
        }

        void exhaust(int worker) {
            Rings.exhaust(processors.get(worker));
        }

        /** Behind how many events the stage is. */
        long progress() {
            return (nodes.get(0).sequence().get() + 1) / sequences;
        }

        void assertAllDone() {
            assertThat(handled[0]).as("the event that was in hand").isEqualTo(1);
            assertDoneAndTheFirstTwiceAtMost();
        }

        /** What the cut has left without a mark may come again. */
        void assertDoneAndTheFirstTwiceAtMost() {
            assertThat(handled[0]).as("the event that was in hand").isBetween(1, 2);
            assertThat(Arrays.copyOfRange(handled, 1, published)).containsOnly(1);
            assertThat(progress()).as("events done without a gap").isEqualTo(published);
            assertThat(ring.leftover().unhandled()).isZero();
        }
    }

    /** Makes hardly a call: so what is cut off is seldom the handler, which would fail the ring. */
    private static final class Counts implements EventHandler<Object> {
        private final Workers workers;

        Counts(Workers workers) {
            this.workers = workers;
        }

        @Override
        public void onEvent(Object event, long sequence, boolean endOfBatch) {
            int number = (int) sequence / workers.sequences;
            workers.handled[number]++;
            if (number == workers.within) {
                workers.inner.run();
            }
        }
    }
}
