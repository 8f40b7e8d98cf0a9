package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Since when a claim stands in the way, and when whoever looks for it is due again. */
class GapTimeTest {
    private static final long LIMIT = TimeUnit.HOURS.toNanos(1);

    /** On a busy ring each look finds some open claim: none of them is abandoned. */
    @Test
    void aClaimIsNotTakenForAsOldAsTheOneBeforeItWhichWasPublished() {
        RingBuffer<long[]> ring = Rings.ring(false, 16);
        Pipeline.on(ring).poller("books");
        Producer<long[]> one = ring.producer();
        Producer<long[]> other = ring.producer();
        StalledClaimDetector watch = new StalledClaimDetector((ObjectRing<?>) ring);
        one.next(1);
        assertThat(watch.look(100, 0)).isNull();
        other.next(1);
        one.publish(0, 0);
        assertThat(watch.look(100, 150)).as("it stands in the way since now").isNull();
        assertThat(watch.look(100, 249)).isNull();
        AbandonedClaim claim = watch.look(100, 250);
        assertThat(claim).isNotNull();
        assertThat(claim.lowest()).isEqualTo(1);
        assertThat(claim.stoodNanos()).isEqualTo(100);
    }

    /** The thread that makes the other join runs this consumer too, so nobody asks it to rest. It follows the other one from then on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConsumerThatIsPutBehindAnotherOneIsDueForNoLook(boolean claimed) throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(false, 16)
                .onAbandonedClaim(LIMIT, claim -> {})
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        if (claimed) {
            ring.producer().next(1);
        }
        processor.doWork(); // looks
        processor.doWork(); // puts the next look off, or waits for the time
        assertThat(processor.deadline()).isNotEqualTo(SignalledIdle.NO_DEADLINE);
        EventProcessor first = pipeline.join(
                        pipeline.consumer("first", (long[] event, long sequence, boolean endOfBatch) -> {}))
                .before(pipeline.consumers().get(0))
                .processor(0);
        first.doWork();
        processor.doWork();
        processor.doWork();
        assertThat(processor.deadline()).isEqualTo(SignalledIdle.NO_DEADLINE);
        pipeline.consumers().get(1).remove(0);
        processor.doWork();
        processor.doWork();
        assertThat(processor.deadline()).isNotEqualTo(SignalledIdle.NO_DEADLINE);
    }

    /** Else its thread would come back at once, again and again, until it is resumed. */
    @Test
    void aPausedConsumerIsNotDueForTheLookThatItPutOff() {
        RingBuffer<long[]> ring = Rings.ringBuilder(false, 16)
                .onAbandonedClaim(LIMIT, claim -> {})
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.doWork(); // looks
        processor.doWork(); // puts the next look off
        assertThat(processor.deadline()).isNotEqualTo(SignalledIdle.NO_DEADLINE);
        ConsumerHandle consumer = pipeline.consumers().get(0);
        consumer.pause();
        processor.doWork();
        assertThat(processor.deadline()).isEqualTo(SignalledIdle.NO_DEADLINE);
        consumer.resume();
        processor.doWork();
        assertThat(processor.deadline()).isNotEqualTo(SignalledIdle.NO_DEADLINE);
    }

    /** Else a consumer that parks would not be called for what its handler owes. */
    @Test
    void whatAHandlerOwesIsDueThoughAClaimMayStandForAsLongAsThereIsTime() {
        RingBuffer<long[]> ring = Rings.ringBuilder(false, 16)
                .onAbandonedClaim(Duration.ofSeconds(Long.MAX_VALUE), claim -> {})
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(new Rings.Recorder() {
            @Override
            public long timeoutAfterNanos() {
                return 1;
            }
        });
        EventProcessor processor = pipeline.startProcessors().get(0);
        ring.producer().next(); // stands in the way
        processor.doWork();
        assertThat(processor.deadline() - System.nanoTime()).isLessThanOrEqualTo(0);
    }
}
