package io.sluice.perf.latency;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.core.SignalledIdle;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.WarmedSluice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;

/** The contestants of the rows of latency. */
final class Entries {
    static final String PLATFORM = "platform";
    /** The id of a bound: the cost of every ring whose consumers follow one cursor. */
    static final String CURSOR = "cursor";

    static final String PARKING = "sluice-parking";
    static final String LITE = "lmax-lite";
    static final String PHASED = "lmax-phased";
    static final String BYTES = "sluice-bytes-8";
    static final String MESSAGES = "sluice-messages-8";
    static final String AGRONA_RING = "agrona-1to1";
    static final String AGRONA_QUEUE = "agrona-queue";

    private static final int CAPACITY = 65_536;

    private Entries() {}

    /** Contestants with spinning threads, and the platform. */
    static List<Entry> spinning(Function<Lane.Transport, Contestant> work) {
        return List.of(
                sluice("sluice", "Sluice SINGLE", () -> BusySpinIdleStrategy.INSTANCE, work),
                entry(
                        "lmax",
                        "LMAX Disruptor SINGLE",
                        work,
                        (receiver, core) -> new LmaxLane(
                                CAPACITY, ProducerType.SINGLE, new BusySpinWaitStrategy(), receiver, core)),
                entry(
                        "jctools-spsc",
                        "JCTools SpscArrayQueue",
                        work,
                        (receiver, core) ->
                                QueueLane.spinning(new SpscArrayQueue<>(CAPACITY), CAPACITY, receiver, core)),
                entry(
                        AGRONA_RING,
                        "Agrona OneToOneRingBuffer, 16 bytes",
                        work,
                        (receiver, core) -> new AgronaLane(CAPACITY, 2 * Long.BYTES, receiver, core)),
                agronaQueue(work),
                entry(
                                "cursor",
                                "a cursor and slots, no more",
                                work,
                                (receiver, core) -> new CursorLane(CAPACITY, receiver, core))
                        .asBound(),
                platform());
    }

    /** The same, and Sluice without the wait after a batch. */
    static List<Entry> spinningBothWays(Function<Lane.Transport, Contestant> work) {
        Entry without = noBackOff("sluice-no-back-off", "Sluice SINGLE, no wait after a batch", true, work);
        List<Entry> entries = new ArrayList<>(spinning(work));
        entries.add(1, without);
        return entries;
    }

    /** The same without the contestant that moves bytes, and without the bound. */
    static List<Entry> objects(Function<Lane.Transport, Contestant> work) {
        List<String> others = List.of(AGRONA_RING, "cursor");
        return spinningBothWays(work).stream()
                .filter(entry -> !others.contains(entry.id()))
                .toList();
    }

    /** Contestants and the bound of rings: one cursor without a ring, in the same rounds. */
    static List<Entry> andBound(List<Entry> entries, Function<Lane.Transport, Contestant> work) {
        Stream<Entry> bound = spinning(work).stream().filter(entry -> entry.id().equals(CURSOR));
        return Stream.concat(entries.stream(), bound).toList();
    }

    /** Rings with the idle strategies that they have by default, and the platform. */
    static List<Entry> defaults(Function<Lane.Transport, Contestant> work) {
        return List.of(
                sluice(
                        "sluice-default",
                        "Sluice SINGLE, no idle strategy set",
                        SluiceRing.Setup.withDefaultIdle(true, CAPACITY, true),
                        true,
                        work),
                entry(
                        "lmax-default",
                        "LMAX Disruptor SINGLE, blocking, its default",
                        work,
                        (receiver, core) -> new LmaxLane(
                                CAPACITY, ProducerType.SINGLE, new BlockingWaitStrategy(), receiver, core)),
                platform());
    }

    /** The objects' contestants again, of rings and queues that several producers may use. */
    static List<Entry> multi(Function<Lane.Transport, Contestant> work) {
        return List.of(
                sluice("sluice-multi", "Sluice MULTI", spinningSetup(false), true, work),
                noBackOff("sluice-multi-no-back-off", "Sluice MULTI, no wait after a batch", false, work),
                entry(
                        "lmax-multi",
                        "LMAX Disruptor MULTI",
                        work,
                        (receiver, core) ->
                                new LmaxLane(CAPACITY, ProducerType.MULTI, new BusySpinWaitStrategy(), receiver, core)),
                entry(
                        "jctools-mpsc",
                        "JCTools MpscArrayQueue",
                        work,
                        (receiver, core) ->
                                QueueLane.spinning(new MpscArrayQueue<>(CAPACITY), CAPACITY, receiver, core)),
                entry(
                        "agrona-nqueue",
                        "Agrona ManyToOneConcurrentArrayQueue",
                        work,
                        (receiver, core) -> QueueLane.spinning(
                                new ManyToOneConcurrentArrayQueue<>(CAPACITY), CAPACITY, receiver, core)),
                platform());
    }

    private static Entry noBackOff(String id, String label, boolean single, Function<Lane.Transport, Contestant> work) {
        return sluice(id, label, spinningSetup(single), false, work);
    }

    private static SluiceRing.Setup spinningSetup(boolean single) {
        return SluiceRing.Setup.spinning(single, CAPACITY);
    }

    /** Contestants whose threads block, and the platform. */
    static List<Entry> blocking(Function<Lane.Transport, Contestant> work) {
        return List.of(
                sluice("sluice-exact", "Sluice, signalled idle, exact", SignalledIdle::exact, work),
                sluice("sluice-timed", "Sluice, signalled idle, timed", SignalledIdle::timed, work),
                sluice(PARKING, "Sluice, signalled idle, exact, parks at once", () -> SignalledIdle.exact(0), work),
                entry(
                        "lmax-blocking",
                        "LMAX Disruptor, blocking",
                        work,
                        (receiver, core) -> new LmaxLane(
                                CAPACITY, ProducerType.SINGLE, new BlockingWaitStrategy(), receiver, core)),
                entry(
                        LITE,
                        "LMAX Disruptor, lite blocking",
                        work,
                        (receiver, core) -> new LmaxLane(
                                CAPACITY, ProducerType.SINGLE, new LiteBlockingWaitStrategy(), receiver, core)),
                entry(
                        PHASED,
                        "LMAX Disruptor, spins 10 us, yields 10 us, then lite blocking",
                        work,
                        (receiver, core) -> new LmaxLane(
                                CAPACITY,
                                ProducerType.SINGLE,
                                PhasedBackoffWaitStrategy.withLiteLock(10, 10, TimeUnit.MICROSECONDS),
                                receiver,
                                core)),
                entry(
                        "abq",
                        "ArrayBlockingQueue",
                        work,
                        (receiver, core) ->
                                QueueLane.blocking(new ArrayBlockingQueue<>(CAPACITY), CAPACITY, receiver, core)),
                platform());
    }

    /** Sluice's ring of bytes, with slots of 16, and of 8 where a ping is one word. */
    static Entry bytes(String id, int length, Function<Lane.Transport, Contestant> work) {
        return new Entry(
                id,
                "Sluice SINGLE, slots of " + length + " bytes",
                () -> new WarmedSluice(
                        work.apply((receiver, core) -> new SlotLane(spinningSetup(true), length, receiver, core))));
    }

    /** Rings of bytes whose messages are one word, Agrona's queue of objects, and the platform. */
    static List<Entry> words(Function<Lane.Transport, Contestant> work) {
        return List.of(
                bytes(BYTES, Long.BYTES, work),
                new Entry(
                        MESSAGES,
                        "Sluice SINGLE, messages of 8 bytes",
                        () -> new WarmedSluice(
                                work.apply((receiver, core) -> new MessageLane(spinningSetup(true), receiver, core)))),
                entry(
                        AGRONA_RING,
                        "Agrona OneToOneRingBuffer, tryClaim, 8 bytes",
                        work,
                        (receiver, core) -> new AgronaLane(CAPACITY, Long.BYTES, receiver, core)),
                agronaQueue(work),
                platform());
    }

    private static Entry agronaQueue(Function<Lane.Transport, Contestant> work) {
        return entry(
                AGRONA_QUEUE,
                "Agrona OneToOneConcurrentArrayQueue",
                work,
                (receiver, core) ->
                        QueueLane.spinning(new OneToOneConcurrentArrayQueue<>(CAPACITY), CAPACITY, receiver, core));
    }

    static Entry raw(Function<Lane.Transport, Contestant> work) {
        return entry("raw", "raw ping-pong of one word", work, RawLane::new).asBound();
    }

    private static Entry platform() {
        return new Entry(PLATFORM, "the platform alone: a look at the clock", () -> new Platform(50)).asBound();
    }

    private static Entry sluice(
            String id, String label, Supplier<? extends IdleStrategy> idle, Function<Lane.Transport, Contestant> work) {
        SluiceRing.Setup setup =
                new SluiceRing.Setup(true, CAPACITY, idle, () -> BusySpinIdleStrategy.INSTANCE, false, true);
        return sluice(id, label, setup, true, work);
    }

    private static Entry sluice(
            String id,
            String label,
            SluiceRing.Setup setup,
            boolean backOff,
            Function<Lane.Transport, Contestant> work) {
        return new Entry(
                id,
                label,
                () -> new WarmedSluice(work.apply((receiver, core) -> new SluiceLane(setup, backOff, receiver, core))));
    }

    private static Entry entry(
            String id, String label, Function<Lane.Transport, Contestant> work, Lane.Transport transport) {
        return new Entry(id, label, () -> work.apply(transport));
    }
}
