package io.sluice.perf.rows;

import com.conversantmedia.util.concurrent.PushPullConcurrentQueue;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.AgronaRing;
import io.sluice.perf.flow.BareEvents;
import io.sluice.perf.flow.Event;
import io.sluice.perf.flow.Exchange;
import io.sluice.perf.flow.LmaxDisruptor;
import io.sluice.perf.flow.PolledQueue;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.IntFunction;
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

/** All contestants that can move events from one spinning thread to one other, for rows of several capacities. */
final class OneToOneEntries {
    /** The id of the bound of every ring of objects. */
    static final String BARE = "bare";

    /** A queue of a number of events; bounded, or else the producer looks at the consumer's progress. */
    private record Queues(String id, String label, boolean bounded, IntFunction<Queue<Event>> maker) {}

    private static final List<Queues> QUEUES = List.of(
            new Queues("jctools-spsc", "JCTools SpscArrayQueue", true, SpscArrayQueue::new),
            new Queues("jctools-mpsc", "JCTools MpscArrayQueue", true, MpscArrayQueue::new),
            new Queues("jctools-mpmc", "JCTools MpmcArrayQueue", true, MpmcArrayQueue::new),
            new Queues("agrona-queue", "Agrona OneToOneConcurrentArrayQueue", true, OneToOneConcurrentArrayQueue::new),
            new Queues(
                    "agrona-nqueue", "Agrona ManyToOneConcurrentArrayQueue", true, ManyToOneConcurrentArrayQueue::new),
            new Queues(
                    "conversant",
                    "Conversant PushPullConcurrentQueue",
                    true,
                    capacity -> new ConversantQueue(new PushPullConcurrentQueue<>(capacity))),
            new Queues("abq", "ArrayBlockingQueue", true, ArrayBlockingQueue::new),
            new Queues("ltq", "LinkedTransferQueue", false, capacity -> new LinkedTransferQueue<>()),
            new Queues("clq", "ConcurrentLinkedQueue", false, capacity -> new ConcurrentLinkedQueue<>()));

    private OneToOneEntries() {}

    static List<Entry> of(int capacity) {
        SluiceRing.Setup single = SluiceRing.Setup.spinning(true, capacity);
        SluiceRing.Setup multi = SluiceRing.Setup.spinning(false, capacity);
        List<Entry> entries = new ArrayList<>(List.of(
                sluice("sluice", "Sluice SINGLE", single, Publishing.ONE),
                sluice("sluice-10", "Sluice SINGLE, claims of 10", single, Publishing.TEN),
                sluice(
                        "sluice-no-back-off",
                        "Sluice SINGLE, no wait after a batch",
                        single.withoutBackOff(),
                        Publishing.ONE),
                sluice("sluice-multi", "Sluice MULTI", multi, Publishing.ONE),
                sluice("sluice-multi-10", "Sluice MULTI, claims of 10", multi, Publishing.TEN),
                lmax("lmax", "LMAX Disruptor SINGLE", ProducerType.SINGLE, capacity, 1),
                lmax("lmax-10", "LMAX Disruptor SINGLE, claims of 10", ProducerType.SINGLE, capacity, 10),
                lmax("lmax-multi", "LMAX Disruptor MULTI", ProducerType.MULTI, capacity, 1),
                peer(
                        "agrona-1to1",
                        "Agrona OneToOneRingBuffer, 8 bytes",
                        () -> new AgronaRing(new OneToOneRingBuffer(bytes(capacity)))),
                peer(
                        "agrona-nto1",
                        "Agrona ManyToOneRingBuffer, 8 bytes",
                        () -> new AgronaRing(new ManyToOneRingBuffer(bytes(capacity))))));
        entries.add(peer(BARE, "objects, a release for each, no more", () -> new BareEvents(capacity))
                .asBound());
        for (Queues queue : QUEUES) {
            entries.add(peer(
                    queue.id,
                    queue.label,
                    () -> new PolledQueue(queue.maker.apply(capacity), capacity, queue.bounded, true)));
        }
        return entries;
    }

    private static Entry sluice(String id, String label, SluiceRing.Setup setup, Publishing publishing) {
        return RingEntries.sluice(id, label, setup, Shape.ONE, publishing, 1);
    }

    static Entry lmax(String id, String label, ProducerType type, int capacity, int batch) {
        return peer(
                id, label, () -> new LmaxDisruptor(type, capacity, BusySpinWaitStrategy::new, Shape.ONE, batch, true));
    }

    private static Entry peer(String id, String label, Supplier<Exchange> maker) {
        return RingEntries.peer(id, label, maker, 1, true);
    }

    /** A buffer that holds as many messages of 8 bytes as the others hold events. */
    private static UnsafeBuffer bytes(int capacity) {
        return new UnsafeBuffer(
                ByteBuffer.allocateDirect(capacity * 2 * Long.BYTES + RingBufferDescriptor.TRAILER_LENGTH));
    }
}
