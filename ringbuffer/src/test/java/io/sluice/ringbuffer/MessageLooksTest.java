package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SequenceBarrier;
import io.sluice.core.bytes.SafeBuffer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who looks at a ring of messages without holding the record that it looks at: the header may be another message's payload by then, though
 * the stamp of a lap ago still stands. Here it always is.
 */
@Timeout(60)
class MessageLooksTest {
    private static final int UNITS = 64;

    private final RingBuffer<Messages> ring =
            RingBufferBuilder.messages(8 * UNITS).build();

    private static void fill(MessageProducer producer) {
        SafeBuffer eight = SafeBuffer.allocate(8);
        for (int i = 0; i < UNITS / 2; i++) {
            assertThat(producer.offer(1, eight, 0, 8)).isEqualTo(2L * i);
        }
    }

    /** Claims the first units of the next lap, and leaves them open. What was a header there says now how many sequences it takes. */
    private static void overwrite(MessageProducer producer, int unit, int takes) {
        long open = producer.tryClaim(2, 40);
        assertThat(open).isEqualTo(UNITS);
        long header = 1L << Integer.SIZE | 8L * (takes - 1);
        producer.buffer().putLong(producer.offset(open) + 8 * (unit - 1), header);
    }

    /** A colleague has finished the record, and a lap has passed. */
    @Test
    void aWorkerThatComesLateLooksNoFurtherThanTheRecordItTries() {
        MessageProducer producer = MessageProducer.of(ring);
        fill(producer);
        overwrite(producer, 2, 68);
        assertThat(MessageProducer.of(ring).offer(3, SafeBuffer.allocate(8), 0, 8))
                .isEqualTo(70);
        SequenceBarrier barrier = ((FollowedRing<Messages>) ring).workersBarrier();
        assertThat(barrier.available(2)).isEqualTo(2);
        assertThat(barrier.available(UNITS)).as("the claim there is open").isEqualTo(UNITS - 1);
        assertThat(barrier.available(70)).isEqualTo(70);
    }

    /** While it walks, the last consumer passes all, and a claim takes the place of the record that comes next. */
    private long whileOvertaken(LongSupplier look) {
        MessageProducer producer = MessageProducer.of(ring);
        int[] looks = {0};
        boolean[] armed = {false};
        ring.addGating(() -> {
            if (!armed[0]) {
                return looks[0] == 0 ? 1 : UNITS - 1;
            }
            looks[0]++;
            if (looks[0] == 2) {
                armed[0] = false;
                overwrite(producer, 4, 1);
                armed[0] = true;
            }
            return looks[0] <= 2 ? 1 : UNITS - 1; // the second was read before all this
        });
        fill(producer);
        armed[0] = true;
        long result = look.getAsLong();
        assertThat(looks[0]).as("looks for the slowest consumer").isGreaterThan(2);
        return result;
    }

    @Test
    void whatIsLeftIsNotReadFromPayload() {
        assertThat(whileOvertaken(() -> ring.leftover().openClaims())).isZero();
    }

    /** The records at 2 and 4 were due when it looked; it finds the consumers at the end of the lap then. */
    @Test
    void whatConsumersPassMeanwhileIsNotCounted() {
        assertThat(whileOvertaken(() -> ring.leftover().unhandled())).isEqualTo(2);
    }

    /** A gate of the user's own that stands at the first sequence of a message: behind it is payload, which may look like any header. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aGateWithinARecordLetsNoLookGoOnForEver(boolean single) throws Exception {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(8 * UNITS);
        RingBuffer<Messages> gated = (single ? builder.singleProducer() : builder).build();
        gated.addGating(() -> 0);
        MessageProducer producer = MessageProducer.of(gated);
        SafeBuffer message = SafeBuffer.allocate(8);
        message.putLong(0, -10); // a header of a record without any sequence
        for (int i = 0; i < UNITS / 2; i++) {
            assertThat(producer.offer(1, message, 0, 8)).isEqualTo(2L * i);
        }
        producer.close();
        Rings.onOwnThread(() -> assertThat(gated.drain(0)).as("an answer").isNotNull());
        Rings.onOwnThread(() -> assertThat(gated.cursor().get()).as("an answer").isNotNegative());
    }
}
