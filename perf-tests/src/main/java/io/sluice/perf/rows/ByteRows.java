package io.sluice.perf.rows;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.AgronaClaims;
import io.sluice.perf.flow.BareSlots;
import io.sluice.perf.flow.Living;
import io.sluice.perf.flow.SlotRing;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.WarmedSluice;
import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Messages of bytes a second, through a handler and a flyweight. */
final class ByteRows {
    private static final int CAPACITY = 65_536;
    private static final String PEER = "agrona-1to1";
    private static final String BARE = "bare-slots";

    /** The share of the bare slots' figure that was reached, less a tenth. */
    private static final double KEPT = 0.35;

    private ByteRows() {}

    static List<Row> rows() {
        return List.of(row(8), row(56));
    }

    private static Row row(int length) {
        return Row.of(
                        Row.COMPARE,
                        "bytes-" + length,
                        "events/s",
                        "one producer, one consumer, 65536 messages of " + length + " bytes, busy spin")
                .contestants(PEER, () -> entries(length))
                .targets(
                        Target.atLeast("sluice-bytes", PEER, 8, 10).limitedBy(BARE, KEPT),
                        Target.atLeast("sluice-bytes", "lmax", 1.5, 2),
                        Target.atLeast("sluice-bytes-multi", "agrona-nto1", 5, 8))
                .topology("producer->consumer")
                .build();
    }

    private static List<Entry> entries(int length) {
        return List.of(
                sluice("sluice-bytes", "Sluice SINGLE, slots of bytes", true, length),
                sluice("sluice-bytes-multi", "Sluice MULTI, slots of bytes", false, length),
                RingEntries.peer(
                        PEER,
                        "Agrona OneToOneRingBuffer, tryClaim",
                        () -> new AgronaClaims(new OneToOneRingBuffer(bytes(length)), length),
                        1,
                        true),
                RingEntries.peer(
                        "agrona-nto1",
                        "Agrona ManyToOneRingBuffer, tryClaim",
                        () -> new AgronaClaims(new ManyToOneRingBuffer(bytes(length)), length),
                        1,
                        true),
                RingEntries.peer(
                                BARE,
                                "slots, a release for each, no more",
                                () -> new BareSlots(CAPACITY, length),
                                1,
                                true)
                        .asBound(),
                OneToOneEntries.lmax(
                        "lmax", "LMAX Disruptor SINGLE, an object of 8 bytes", ProducerType.SINGLE, CAPACITY, 1));
    }

    private static Entry sluice(String id, String label, boolean single, int length) {
        return new Entry(
                id,
                label,
                () -> new WarmedSluice(
                        new Living(() -> new SlotRing(SluiceRing.Setup.spinning(single, CAPACITY), length), 1, true)));
    }

    /** A buffer that holds as many messages as the others have slots. */
    private static UnsafeBuffer bytes(int length) {
        int record = BitUtil.align(length + RecordDescriptor.HEADER_LENGTH, RecordDescriptor.ALIGNMENT);
        int power = BitUtil.findNextPositivePowerOfTwo(CAPACITY * record);
        return new UnsafeBuffer(ByteBuffer.allocateDirect(power + RingBufferDescriptor.TRAILER_LENGTH));
    }
}
