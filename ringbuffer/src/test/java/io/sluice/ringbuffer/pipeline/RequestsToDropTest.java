package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a request to drop the oldest events lasts, and for whom. */
@Timeout(60)
class RequestsToDropTest {
    private static final EventTranslatorLong<long[]> FILL = (event, sequence, value) -> event[0] = value;
    private static final int WINDOW = 8;
    private static final int RETAINED = 8;

    private enum Kind {
        EVENTS,
        BATCHES,
        POLLER
    }

    private final List<String> shed = new ArrayList<>();
    private final List<Long> handled = new ArrayList<>();

    private RingBuffer<long[]> ring(boolean single, int retained) {
        return Rings.ringBuilder(single, 16)
                .retain(retained)
                .shedding((consumer, event, sequence) -> shed.add(consumer + " " + sequence))
                .build();
    }

    /** A ring that retains events, whose one consumer has dropped for a publisher what that publisher needed. */
    private final class Past {
        final RingBuffer<long[]> ring;
        final Pipeline<long[]> pipeline;
        final EventProcessor slow;
        final DroppingProducer<long[]> publisher;
        final long last;

        /** How the joiner goes on, once it has joined. */
        private Step step = () -> {};

        Past(boolean single) {
            ring = ring(single, RETAINED);
            pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(pipeline.consumer("slow", (event, sequence, endOfBatch) -> {}));
            slow = pipeline.startProcessors().get(0);
            publisher = DroppingProducer.dropOldest(ring.producer(), 0);
            long published = -1;
            while (published < 20) {
                long result = publisher.publishEvent(FILL, published + 1);
                if (result == Producer.TIMED_OUT) {
                    assertThat(slow.doWork()).isPositive();
                } else {
                    published = result;
                }
            }
            last = published;
            shed.clear();
        }

        long finished() {
            return slow.sequence().get();
        }

        long oldest() {
            return finished() - RETAINED + 1;
        }

        void joinFromTheOldest(Kind kind, ConsumerHandle... after) throws Exception {
            switch (kind) {
                case EVENTS -> {
                    NewConsumer<long[]> late =
                            pipeline.consumer("late", (event, sequence, endOfBatch) -> handled.add(event[0]));
                    EventProcessor processor =
                            pipeline.join(late).after(after).from(oldest()).processor(Rings.LONG);
                    step = () -> Rings.exhaust(processor);
                }
                case BATCHES -> {
                    NewConsumer<long[]> late = pipeline.batchConsumer("late", (all, lo, hi) -> {
                        LongStream.rangeClosed(lo, hi).forEach(handled::add);
                        return hi;
                    });
                    EventProcessor processor =
                            pipeline.join(late).after(after).from(oldest()).processor(Rings.LONG);
                    step = () -> Rings.exhaust(processor);
                }
                case POLLER -> {
                    EventPoller<long[]> poller = pipeline.joinPoller("late")
                            .after(after)
                            .from(oldest())
                            .poller(Rings.LONG);
                    step = () -> {
                        while (poller.poll((event, sequence, endOfBatch) -> handled.add(event[0]), 100) > 0) {}
                    };
                }
            }
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static List<Long> range(long lo, long hi) {
        return LongStream.rangeClosed(lo, hi).boxed().toList();
    }

    private static List<String> shedBy(String consumer, long lo, long hi) {
        return range(lo, hi).stream().map(sequence -> consumer + " " + sequence).toList();
    }

    /** Nobody needs that room any more. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void whoJoinsBehindAPastRequestHandlesWhatTheRingRetains(Kind kind) throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            handled.clear();
            Past past = new Past(single);
            assertThat(past.finished() + WINDOW).as("the room was used").isEqualTo(past.last);
            long oldest = past.oldest();
            past.joinFromTheOldest(kind);
            past.step.run();
            assertThat(handled).isEqualTo(range(oldest, past.last));
            assertThat(shed).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whoJoinsBehindARequestThatAPublisherStillNeedsDropsUpToThere(Kind kind) throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            handled.clear();
            shed.clear();
            Past past = new Past(single);
            assertThat(past.publisher.publishEvent(FILL, past.last + 1)).isEqualTo(Producer.TIMED_OUT);
            long oldest = past.oldest();
            long asked = past.finished() + 1;
            past.joinFromTheOldest(kind);
            past.step.run();
            assertThat(shed).isEqualTo(shedBy("late", oldest, asked));
            assertThat(handled).isEqualTo(range(asked + 1, past.last));
        }
    }

    /** It drops all up to there: the retained events are in the way by now. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aRequestThatComesAfterTheJoinCountsForWhoHasJoined(Kind kind) throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            handled.clear();
            shed.clear();
            Past past = new Past(single);
            long oldest = past.oldest();
            past.joinFromTheOldest(kind);
            assertThat(past.publisher.publishEvent(FILL, past.last + 1)).isEqualTo(Producer.TIMED_OUT);
            long asked = past.finished() + 1;
            past.step.run();
            assertThat(shed).isEqualTo(shedBy("late", oldest, asked));
            assertThat(handled).isEqualTo(range(asked + 1, past.last));
        }
    }

    /** Who follows relies on what others do with an event first. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void whoJoinsBehindAConsumerDropsWhatThatOneHasDropped(Kind kind) throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            handled.clear();
            shed.clear();
            Past past = new Past(single);
            long oldest = past.oldest();
            long asked = past.finished();
            past.joinFromTheOldest(kind, past.pipeline.consumers().get(0));
            Rings.exhaust(past.slow);
            past.step.run();
            assertThat(shed).isEqualTo(shedBy("late", oldest, asked));
            assertThat(handled).isEqualTo(range(asked + 1, past.last));
        }
    }

    /** As it says: a consumer may have dropped for it already, and those behind that one have yet to. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void whatARefusedWaitHasAskedForStaysAsked(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> ends = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> goesOn = (event, sequence, endOfBatch) -> handled.add(sequence);
        pipeline.handleEventsWith(pipeline.consumer("ends", ends), pipeline.consumer("goes on", goesOn));
        List<EventProcessor> processors = pipeline.startProcessors();
        DroppingProducer<long[]> publisher = DroppingProducer.dropOldest(ring.producer(), Long.MAX_VALUE);
        Rings.Caller feed = new Rings.Caller(() -> {
            for (int i = 0; i <= 16; i++) {
                publisher.publishEvent(FILL, i);
            }
        });
        feed.awaitWaiting();
        processors.get(0).halt();
        processors.get(0).doWork(); // ends during the wait
        processors.get(0).onClose();
        assertThat(feed.result()).isInstanceOf(IllegalStateException.class).hasMessageContaining("has ended");
        Rings.exhaust(processors.get(1));
        assertThat(shed).containsExactly("goes on 0");
        assertThat(handled).isEqualTo(range(1, 15));
    }
}
