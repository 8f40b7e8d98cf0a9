package io.sluice.perf.rows;

import com.conversantmedia.util.concurrent.PushPullConcurrentQueue;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.AgronaRing;
import io.sluice.perf.flow.Exchange;
import io.sluice.perf.flow.LmaxDisruptor;
import io.sluice.perf.flow.PolledQueue;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.Throughput;
import io.sluice.perf.flow.WarmedSluice;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Supplier;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;

/** Everyone who can move events from one spinning thread to one other, for rows of several capacities. */
final class OneToOneEntries {
    private OneToOneEntries() {}

    static List<Entry> of(int capacity) {
        return List.of(
                sluice("sluice", "Sluice SINGLE", true, capacity, Publishing.ONE),
                sluice("sluice-10", "Sluice SINGLE, claims of 10", true, capacity, Publishing.TEN),
                sluice("sluice-multi", "Sluice MULTI", false, capacity, Publishing.ONE),
                sluice("sluice-multi-10", "Sluice MULTI, claims of 10", false, capacity, Publishing.TEN),
                lmax("lmax", "LMAX Disruptor SINGLE", ProducerType.SINGLE, capacity, 1),
                lmax("lmax-10", "LMAX Disruptor SINGLE, claims of 10", ProducerType.SINGLE, capacity, 10),
                lmax("lmax-multi", "LMAX Disruptor MULTI", ProducerType.MULTI, capacity, 1),
                entry(
                        "jctools-spsc",
                        "JCTools SpscArrayQueue",
                        () -> new PolledQueue(new SpscArrayQueue<>(capacity), capacity, true, true)),
                entry(
                        "jctools-mpsc",
                        "JCTools MpscArrayQueue",
                        () -> new PolledQueue(new MpscArrayQueue<>(capacity), capacity, true, true)),
                entry(
                        "jctools-mpmc",
                        "JCTools MpmcArrayQueue",
                        () -> new PolledQueue(new MpmcArrayQueue<>(capacity), capacity, true, true)),
                entry(
                        "agrona-1to1",
                        "Agrona OneToOneRingBuffer, 8 bytes",
                        () -> new AgronaRing(new OneToOneRingBuffer(bytes(capacity)))),
                entry(
                        "agrona-nto1",
                        "Agrona ManyToOneRingBuffer, 8 bytes",
                        () -> new AgronaRing(new ManyToOneRingBuffer(bytes(capacity)))),
                entry(
                        "agrona-queue",
                        "Agrona OneToOneConcurrentArrayQueue",
                        () -> new PolledQueue(new OneToOneConcurrentArrayQueue<>(capacity), capacity, true, true)),
                entry(
                        "agrona-nqueue",
                        "Agrona ManyToOneConcurrentArrayQueue",
                        () -> new PolledQueue(new ManyToOneConcurrentArrayQueue<>(capacity), capacity, true, true)),
                entry(
                        "conversant",
                        "Conversant PushPullConcurrentQueue",
                        () -> new PolledQueue(
                                new ConversantQueue(new PushPullConcurrentQueue<>(capacity)), capacity, true, true)),
                entry(
                        "abq",
                        "ArrayBlockingQueue",
                        () -> new PolledQueue(new ArrayBlockingQueue<>(capacity), capacity, true, true)),
                entry(
                        "ltq",
                        "LinkedTransferQueue",
                        () -> new PolledQueue(new LinkedTransferQueue<>(), capacity, false, true)),
                entry(
                        "clq",
                        "ConcurrentLinkedQueue",
                        () -> new PolledQueue(new ConcurrentLinkedQueue<>(), capacity, false, true)));
    }

    private static Entry sluice(String id, String label, boolean single, int capacity, Publishing publishing) {
        SluiceRing.Setup setup = new SluiceRing.Setup(
                single,
                capacity,
                () -> BusySpinIdleStrategy.INSTANCE,
                () -> BusySpinIdleStrategy.INSTANCE,
                false,
                true);
        return new Entry(
                id,
                label,
                () -> new WarmedSluice(new Throughput(() -> new SluiceRing(setup, Shape.ONE, publishing), 1, true)));
    }

    private static Entry lmax(String id, String label, ProducerType type, int capacity, int batch) {
        return entry(
                id, label, () -> new LmaxDisruptor(type, capacity, BusySpinWaitStrategy::new, Shape.ONE, batch, true));
    }

    private static Entry entry(String id, String label, Supplier<Exchange> maker) {
        return new Entry(id, label, () -> new Throughput(maker, 1, true));
    }

    /** A buffer that holds as many messages of 8 bytes as the others hold events. */
    private static UnsafeBuffer bytes(int capacity) {
        return new UnsafeBuffer(
                ByteBuffer.allocateDirect(capacity * 2 * Long.BYTES + RingBufferDescriptor.TRAILER_LENGTH));
    }
}
