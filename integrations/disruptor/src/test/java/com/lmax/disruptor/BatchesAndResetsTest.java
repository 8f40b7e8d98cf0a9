package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.ProducerType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes visible of a batch, to whom, and how much room there is after a claim further back. */
class BatchesAndResetsTest {
    private static final String[] ARGS = {"x", "y", "z"};

    /** With many producers each slot is published by itself. */
    @ParameterizedTest
    @EnumSource
    void eachEventOfABatchIsPublished(ProducerType type) throws Exception {
        RingBuffer<long[]> ring = RingBuffer.create(type, () -> new long[1], 64, new BlockingWaitStrategy());
        EventPoller<long[]> poller = ring.newPoller();
        EventTranslator<long[]> none = (event, sequence) -> event[0] = sequence;
        EventTranslatorOneArg<long[], String> one = (event, sequence, a) -> event[0] = sequence;
        EventTranslatorTwoArg<long[], String, String> two = (event, sequence, a, b) -> event[0] = sequence;
        EventTranslatorThreeArg<long[], String, String, String> three =
                (event, sequence, a, b, c) -> event[0] = sequence;
        EventTranslatorVararg<long[]> any = (event, sequence, args) -> event[0] = sequence;
        List<Consumer<RingBuffer<long[]>>> forms = List.of(
                to -> to.publishEvents(translators(none)),
                to -> to.publishEvents(one, ARGS),
                to -> to.publishEvents(two, ARGS, ARGS),
                to -> to.publishEvents(three, ARGS, ARGS, ARGS),
                to -> to.publishEvents(any, ARGS, ARGS, ARGS),
                to -> to.tryPublishEvents(translators(none)),
                to -> to.tryPublishEvents(one, ARGS),
                to -> to.tryPublishEvents(two, ARGS, ARGS),
                to -> to.tryPublishEvents(three, ARGS, ARGS, ARGS),
                to -> to.tryPublishEvents(any, ARGS, ARGS, ARGS));
        List<Long> seen = new ArrayList<>();
        List<Long> published = new ArrayList<>();
        for (Consumer<RingBuffer<long[]>> form : forms) {
            form.accept(ring);
            for (int i = 0; i < ARGS.length; i++) {
                published.add((long) published.size());
            }
            poller.poll((event, sequence, endOfBatch) -> seen.add(event[0]));
            assertThat(seen).isEqualTo(published);
        }
    }

    @SuppressWarnings("unchecked") // an array of a generic type
    private static EventTranslator<long[]>[] translators(EventTranslator<long[]> translator) {
        return (EventTranslator<long[]>[]) new EventTranslator<?>[] {translator, translator, translator};
    }

    @Test
    void aPollerBehindSeveralFollowsTheSlowest() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 64);
        Sequence fast = new Sequence();
        Sequence slow = new Sequence();
        EventPoller<long[]> poller = ring.newPoller(fast, slow);
        ring.publishEvents((event, sequence, arg) -> event[0] = sequence, ARGS);
        fast.set(2);
        slow.set(0);
        List<Long> seen = new ArrayList<>();
        poller.poll((event, sequence, endOfBatch) -> seen.add(event[0]));
        assertThat(seen).containsExactly(0L);
        slow.set(2);
        poller.poll((event, sequence, endOfBatch) -> seen.add(event[0]));
        assertThat(seen).containsExactly(0L, 1L, 2L);
    }

    /** What was known of the consumers' progress is of events that come once more. */
    @Test
    void aClaimFurtherBackLeavesNoMoreRoomThanTheConsumersDo() throws Exception {
        for (Sequencer sequencer : List.of(
                new SingleProducerSequencer(4, new BlockingWaitStrategy()),
                new MultiProducerSequencer(4, new BlockingWaitStrategy()))) {
            Sequence consumer = new Sequence();
            sequencer.addGatingSequences(consumer);
            for (int lap = 0; lap < 2; lap++) { // in the second one the sequencer looks at the consumer
                long last = sequencer.next(4);
                sequencer.publish(last - 3, last);
                consumer.set(last - lap * 4L);
            }
            sequencer.claim(0);
            consumer.set(0);
            assertThat(sequencer.next(4)).isEqualTo(4);
            assertThatThrownBy(() -> sequencer.tryNext(1)).isSameAs(InsufficientCapacityException.INSTANCE);
        }
    }
}
