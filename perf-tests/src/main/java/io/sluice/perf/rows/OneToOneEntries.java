package io.sluice.perf.rows;

import com.conversantmedia.util.concurrent.PushPullConcurrentQueue;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.AgronaRing;
import io.sluice.perf.flow.Event;
import io.sluice.perf.flow.Exchange;
import io.sluice.perf.flow.LmaxDisruptor;
import io.sluice.perf.flow.PolledQueue;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Supplier;
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
                queue("jctools-spsc", "JCTools SpscArrayQueue", () -> new SpscArrayQueue<>(capacity), capacity),
                queue("jctools-mpsc", "JCTools MpscArrayQueue", () -> new MpscArrayQueue<>(capacity), capacity),
                queue("jctools-mpmc", "JCTools MpmcArrayQueue", () -> new MpmcArrayQueue<>(capacity), capacity),
                entry(
                        "agrona-1to1",
                        "Agrona OneToOneRingBuffer, 8 bytes",
                        () -> new AgronaRing(new OneToOneRingBuffer(bytes(capacity)))),
                entry(
                        "agrona-nto1",
                        "Agrona ManyToOneRingBuffer, 8 bytes",
                        () -> new AgronaRing(new ManyToOneRingBuffer(bytes(capacity)))),
                queue(
                        "agrona-queue",
                        "Agrona OneToOneConcurrentArrayQueue",
                        () -> new OneToOneConcurrentArrayQueue<>(capacity),
                        capacity),
                queue(
                        "agrona-nqueue",
                        "Agrona ManyToOneConcurrentArrayQueue",
                        () -> new ManyToOneConcurrentArrayQueue<>(capacity),
                        capacity),
                entry(
                        "conversant",
                        "Conversant PushPullConcurrentQueue",
                        () -> new PolledQueue(
                                new ConversantQueue(new PushPullConcurrentQueue<>(capacity)), capacity, true, true)),
                queue("abq", "ArrayBlockingQueue", () -> new ArrayBlockingQueue<>(capacity), capacity),
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
        return RingEntries.sluice(id, label, SluiceRing.Setup.spinning(single, capacity), Shape.ONE, publishing, 1);
    }

    private static Entry lmax(String id, String label, ProducerType type, int capacity, int batch) {
        return entry(
                id, label, () -> new LmaxDisruptor(type, capacity, BusySpinWaitStrategy::new, Shape.ONE, batch, true));
    }

    private static Entry entry(String id, String label, Supplier<Exchange> maker) {
        return RingEntries.peer(id, label, maker, 1, true);
    }

    private static Entry queue(String id, String label, Supplier<Queue<Event>> maker, int capacity) {
        return entry(id, label, () -> new PolledQueue(maker.get(), capacity, true, true));
    }

    /** A buffer that holds as many messages of 8 bytes as the others hold events. */
    private static UnsafeBuffer bytes(int capacity) {
        return new UnsafeBuffer(
                ByteBuffer.allocateDirect(capacity * 2 * Long.BYTES + RingBufferDescriptor.TRAILER_LENGTH));
    }
}
