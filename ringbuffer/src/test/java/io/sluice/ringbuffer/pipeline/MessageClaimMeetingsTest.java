package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim of messages is open, or about to be published, while something else goes wrong. */
@Timeout(60)
class MessageClaimMeetingsTest {
    private static SafeBuffer number(long value) {
        SafeBuffer buffer = SafeBuffer.allocate(8);
        buffer.putLong(0, value);
        return buffer;
    }

    private static RingBuffer<Messages> ring(boolean single, boolean tracked) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256);
        if (single) {
            builder.singleProducer();
        }
        return (tracked ? builder.trackClaims() : builder).build();
    }

    /** Writes down the type and the number of each message. */
    private static final class Numbers implements MessageHandler {
        final List<String> seen = new ArrayList<>();

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
            seen.add(type + " " + buffer.getLong(offset));
        }
    }

    // the consumer leaves

    /**
     * Once the last consumer has left nothing stops the others, and what stands where the open claim began may be payload. Its owner
     * settles it all the same, and goes on. A payload of 0 looks like a claim that was aborted, one of -10 like a record of no length.
     */
    @ParameterizedTest
    @CsvSource({
        "true, 0, false",
        "true, -10, false",
        "false, 0, false",
        "false, -10, false",
        "true, 0, true",
        "false, 0, true"
    })
    void aClaimThatOthersHavePassedOnceTheLastConsumerLeftIsSettled(boolean commits, long payload, boolean tracked)
            throws Exception {
        Rings.onOwnThread(() -> {
            RingBuffer<Messages> ring = ring(false, tracked);
            Pipeline<Messages> pipeline = Pipeline.on(ring);
            EventPoller<Messages> last = pipeline.poller("last");
            pipeline.startInvoked();
            MessageProducer owner = MessageProducer.of(ring);
            MessageProducer other = MessageProducer.of(ring);
            assertThat(other.offer(9, number(1), 0, 8)).isZero();
            assertThat(poll(last)).isEqualTo(2);
            long open = owner.tryClaim(1, 8);
            assertThat(open).isEqualTo(2);
            assertThat(last.consumer().remove(Rings.LONG)).isEqualTo(Removal.LEFT);
            for (long sequence = 4; sequence < 32; sequence += 2) {
                assertThat(other.offer(9, number(1), 0, 8)).isEqualTo(sequence);
            }
            assertThat(other.offer(9, number(1), 0, 0)).isEqualTo(32);
            assertThat(other.offer(9, number(payload), 0, 8))
                    .as("its payload begins where the claim does")
                    .isEqualTo(33);
            if (commits) {
                owner.commit(open);
            } else {
                owner.abort(open);
            }
            long next = owner.tryClaim(1, 8);
            assertThat(next).isEqualTo(35);
            owner.commit(next);
        });
    }

    private static int poll(EventPoller<Messages> poller) {
        return poller.poll((event, sequence, endOfBatch) -> {}, 100);
    }

    // a commit that fails

    private static SafeBuffer bytes(RingBuffer<Messages> ring) {
        return (SafeBuffer) ring.get(0).buffer();
    }

    /** A commit that can not copy, as where the stack is at its end. It can be tried again, with what was written. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageWhoseCommitFailedIsCommittedAgainWithWhatWasWritten(boolean single) {
        RingBuffer<Messages> ring = ring(single, true);
        Numbers numbers = new Numbers();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(numbers);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        long open = failedCommit(ring, producer);
        producer.commit(open);
        Rings.exhaust(processor);
        assertThat(numbers.seen).containsExactly("1 42");
    }

    /** Nor does it stand in the way for ever, where its owner gives it up. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageWhoseCommitFailedCanBeAbortedInItsOwnersStead(boolean single) {
        RingBuffer<Messages> ring = ring(single, true);
        Numbers numbers = new Numbers();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(numbers);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        long open = failedCommit(ring, producer);
        AbandonedClaim claim =
                Objects.requireNonNull(StalledClaimDetector.of(ring).look(0), "an open claim");
        assertThat(claim.abort()).isEqualTo(2);
        assertThatThrownBy(() -> producer.commit(open)).isInstanceOf(ClaimAbortedException.class);
        assertThat(producer.offer(2, number(7), 0, 8)).isEqualTo(2);
        Rings.exhaust(processor);
        assertThat(numbers.seen).containsExactly("2 7");
    }

    private static long failedCommit(RingBuffer<Messages> ring, MessageProducer producer) {
        long open = producer.tryClaim(1, 8);
        producer.buffer().putLong(producer.offset(open), 42);
        SafeBuffer all = bytes(ring);
        SafeBuffer kept = new SafeBuffer(all, 0, all.capacity());
        all.wrap(new byte[0]);
        assertThatThrownBy(() -> producer.commit(open)).isInstanceOf(IndexOutOfBoundsException.class);
        all.wrap(kept, 0, kept.capacity());
        return open;
    }

    // a buffer that changes

    /** What another thread does to a buffer that is offered is the user's mistake; it reaches no other message, and no consumer hangs. */
    @ParameterizedTest
    @CsvSource({"true, 24", "false, 24", "true, 0", "false, 0"})
    void aBufferWhoseCapacityChangesWhileItIsOfferedPublishesNothing(boolean single, int then) {
        RingBuffer<Messages> ring = ring(single, false);
        Numbers numbers = new Numbers();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(numbers);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        assertThatThrownBy(() -> producer.offerParts(1, number(1), changing(then)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must stay as they are while they are offered");
        assertNothingFrom(ring, 24);
        assertThatThrownBy(() -> producer.offerAll(1, number(1), changing(then)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must stay as they are while they are offered");
        assertNothingFrom(ring, 56);
        assertThat(Producer.resultName(producer.offer(2, number(7), 0, 8))).isEqualTo("7");
        Rings.exhaust(processor);
        assertThat(numbers.seen).containsExactly("2 7");
        assertThat(ring.leftover().unhandled()).isZero();
    }

    /** What is behind the claim may be another's. */
    private static void assertNothingFrom(RingBuffer<Messages> ring, int end) {
        for (int at = end; at < 256; at++) {
            assertThat(bytes(ring).getByte(at)).as("at %d", at).isZero();
        }
    }

    /** A buffer of 8 bytes when it is asked first, and of others afterwards. */
    private static DirectBuffer changing(int then) {
        SafeBuffer bytes = SafeBuffer.allocate(24);
        bytes.setMemory(0, 24, (byte) -1);
        int[] asked = {0};
        return (DirectBuffer) Proxy.newProxyInstance(
                DirectBuffer.class.getClassLoader(), new Class<?>[] {DirectBuffer.class}, (self, method, arguments) -> {
                    if (method.getName().equals("capacity")) {
                        return asked[0]++ == 0 ? 8 : then;
                    }
                    return method.invoke(bytes, arguments);
                });
    }
}
