package io.sluice.perf.rows;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.AgronaClaims;
import io.sluice.perf.flow.AgronaCopies;
import io.sluice.perf.flow.BareMessages;
import io.sluice.perf.flow.BareSlots;
import io.sluice.perf.flow.Living;
import io.sluice.perf.flow.MessageExchange;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.WarmedSluice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Messages of their own lengths a second, through a handler and a flyweight, beside Agrona's ring buffers of the same size. */
final class MessageRows {
    private static final int BYTES = 1 << 20;

    private static final String BARE_SINGLE = "bare-slots";
    private static final String BARE_MULTI = "bare-messages";

    private MessageRows() {}

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int length : new int[] {8, 64, 256, 1024}) {
            rows.add(one(length));
        }
        rows.add(three(64).build());
        for (int length : new int[] {8, 256, 1024}) {
            rows.add(three(length).onRequest().build());
        }
        rows.add(multicast(64));
        return rows;
    }

    private static Row one(int length) {
        return Row.of(
                        Row.COMPARE,
                        "messages-" + length,
                        "events/s",
                        "one producer, one consumer, 1 MiB of messages of " + length + " bytes, busy spin")
                .contestants(
                        "agrona-1to1",
                        () -> List.of(
                                spinning("sluice-messages", "Sluice SINGLE, messages", true, length),
                                spinning("sluice-messages-multi", "Sluice MULTI, messages", false, length),
                                RingEntries.peer(
                                        "agrona-1to1",
                                        "Agrona OneToOneRingBuffer, tryClaim",
                                        () -> new AgronaClaims(new OneToOneRingBuffer(bytes()), length),
                                        1,
                                        true),
                                RingEntries.peer(
                                        "agrona-nto1",
                                        "Agrona ManyToOneRingBuffer, tryClaim",
                                        () -> new AgronaClaims(new ManyToOneRingBuffer(bytes()), length),
                                        1,
                                        true),
                                RingEntries.peer(
                                                BARE_SINGLE,
                                                "slots of 8 bytes more, a release for each, no more",
                                                () -> new BareSlots(
                                                        BareMessages.slots(BYTES, length), Long.BYTES + length),
                                                1,
                                                true)
                                        .asBound(),
                                RingEntries.peer(
                                                BARE_MULTI,
                                                "an addition, a release of the header for each, no more",
                                                () -> new BareMessages(BYTES, length, true, Thread::onSpinWait),
                                                1,
                                                true)
                                        .asBound()))
                .targets(
                        Target.atLeast("sluice-messages", "agrona-1to1", 2, 3).limitedBy(BARE_SINGLE, kept(length)),
                        Target.atLeast("sluice-messages-multi", "agrona-nto1", 2, 3)
                                .limitedBy(BARE_MULTI, kept(length)))
                .topology("producer->consumer")
                .build();
    }

    private static Row.Builder three(int length) {
        SluiceRing.Setup setup = yielding(false);
        return Row.of(
                        Row.COMPARE,
                        "messages-3p-" + length,
                        "events/s",
                        "three producers, one consumer, 1 MiB of messages of " + length + " bytes, yielding")
                .contestants(
                        "agrona-nto1",
                        () -> List.of(
                                living("sluice-messages-multi", "Sluice MULTI, messages", setup, length, 3, 1),
                                RingEntries.peer(
                                        "agrona-nto1",
                                        "Agrona ManyToOneRingBuffer, tryClaim",
                                        () -> new AgronaCopies(
                                                () -> new ManyToOneRingBuffer(bytes()), length, 1, Thread::yield),
                                        3,
                                        false),
                                RingEntries.peer(
                                                BARE_MULTI,
                                                "an addition, a release of the header for each, no more",
                                                () -> new BareMessages(BYTES, length, false, Thread::yield),
                                                3,
                                                false)
                                        .asBound()))
                .targets(Target.atLeast("sluice-messages-multi", "agrona-nto1", 2, 3)
                        .limitedBy(BARE_MULTI, kept(length)))
                .topology("3 producers->consumer");
    }

    private static Row multicast(int length) {
        SluiceRing.Setup setup = yielding(true);
        return Row.of(
                        Row.COMPARE,
                        "messages-multicast-" + length,
                        "events/s",
                        "one producer, three consumers, each sees all, 1 MiB of messages of " + length
                                + " bytes, yielding; Agrona has a ring for each")
                .contestants(
                        "agrona-3",
                        () -> List.of(
                                living("sluice-messages", "Sluice SINGLE, messages", setup, length, 1, 3),
                                RingEntries.peer(
                                        "agrona-3",
                                        "three of Agrona's OneToOneRingBuffer, written one after the other",
                                        () -> new AgronaCopies(
                                                () -> new OneToOneRingBuffer(bytes()), length, 3, Thread::yield),
                                        1,
                                        false)))
                .targets(Target.atLeast("sluice-messages", "agrona-3", 1.5, 2))
                .topology("producer->3 consumers")
                .build();
    }

    private static Entry spinning(String id, String label, boolean single, int length) {
        return living(id, label, SluiceRing.Setup.spinning(single, 1), length, 1, 1);
    }

    private static SluiceRing.Setup yielding(boolean single) {
        return new SluiceRing.Setup(single, 1, YieldingIdleStrategy::new, YieldingIdleStrategy::new, false, false);
    }

    private static Entry living(
            String id, String label, SluiceRing.Setup setup, int length, int producers, int consumers) {
        return new Entry(
                id,
                label,
                () -> new WarmedSluice(new Living(
                        () -> new MessageExchange(setup, BYTES, length, consumers), producers, setup.pinned())));
    }

    /** The share of a bound that was reached, less a tenth or more: with messages of 8 bytes, of 64, and of more. */
    private static double kept(int length) {
        return length < 64 ? 0.35 : length < 256 ? 0.45 : 0.55;
    }

    private static UnsafeBuffer bytes() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(BYTES + RingBufferDescriptor.TRAILER_LENGTH));
    }
}
