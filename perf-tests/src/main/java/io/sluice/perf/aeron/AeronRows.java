package io.sluice.perf.aeron;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import java.util.List;
import java.util.function.Supplier;

/** The rows of {@code bench aeron}. */
public final class AeronRows implements RowTable {
    /** The word after {@code bench}. */
    public static final String SUITE = "aeron";

    private static final String AERON = "aeron";
    private static final String WAITING = "aeron-waits";
    private static final String OBJECTS = "sluice";
    private static final String SLOTS = "sluice-bytes";
    private static final String COPIES = "aeron-copies";
    private static final String AND_HOP = "aeron-and-hop";

    /** By IPC the driver only tells how far the subscriber has come; by UDP it also sends and receives. */
    private static final int IPC_CHUNKS = 16;

    private static final int UDP_CHUNKS = 1;

    /** For the service loader. */
    public AeronRows() {}

    @Override
    public List<Row> rows() {
        return List.of(
                rate("aeron-ipc", "ring, IPC, ring: messages of 64 bytes", Links::ipc, 64, IPC_CHUNKS),
                rate("aeron-udp-64", "ring, UDP over loopback, ring: messages of 64 bytes", Links::udp, 64, UDP_CHUNKS),
                rate(
                        "aeron-udp-1024",
                        "ring, UDP over loopback, ring: messages of 1,024 bytes",
                        Links::udp,
                        1_024,
                        UDP_CHUNKS),
                delay("aeron-open-100k", "100,000", 100_000),
                delay("aeron-open-1m", "1,000,000", 1_000_000));
    }

    private static Row rate(String id, String title, Supplier<String> channel, int length, int chunks) {
        return Row.of(SUITE, id, "messages/s", title + "; a thread on each side, the sending one runs the driver")
                .contestants(
                        AERON,
                        () -> List.of(
                                new Entry(
                                        AERON,
                                        "Aeron alone, tryClaim and poll",
                                        () -> new Rate(Ways.bare(channel, length), chunks)),
                                new Entry(
                                        WAITING,
                                        "Aeron alone, its subscriber waits as Sluice's runner does",
                                        () -> new Rate(Ways.waiting(channel, length), chunks)),
                                new Entry(
                                        OBJECTS,
                                        "Sluice, rings of objects",
                                        () -> new Rate(Ways.objects(channel, length), chunks)),
                                new Entry(
                                        SLOTS,
                                        "Sluice, rings of bytes",
                                        () -> new Rate(Ways.slots(channel, length), chunks)),
                                new Entry(
                                                COPIES,
                                                "Aeron alone, out of a slot and into one, without rings",
                                                () -> new Rate(Ways.copied(channel, length), chunks))
                                        .asBound()))
                .targets(Target.atLeast(OBJECTS, AERON, 0.95, 1.0), Target.atLeast(SLOTS, AERON, 0.95, 1.0))
                .topology("sender->receiver")
                .build();
    }

    private static Row delay(String id, String rate, double messagesPerSecond) {
        return Row.of(
                        SUITE,
                        id,
                        "ns",
                        "ring, IPC, ring: median of " + rate + " messages of 64 bytes a second at intended times")
                .contestants(
                        AND_HOP,
                        () -> List.of(
                                new Entry(
                                                AND_HOP,
                                                "Aeron alone, and one hop through a ring",
                                                () -> new Delay(
                                                        messagesPerSecond, Ways.bare(Links::ipc, 64), Ways.ring()))
                                        .asBound(),
                                new Entry(
                                        AERON,
                                        "Aeron alone, tryClaim and poll",
                                        () -> new Delay(messagesPerSecond, Ways.bare(Links::ipc, 64))),
                                new Entry(
                                        OBJECTS,
                                        "Sluice, rings of objects",
                                        () -> new Delay(messagesPerSecond, Ways.objects(Links::ipc, 64))),
                                new Entry(
                                        SLOTS,
                                        "Sluice, rings of bytes",
                                        () -> new Delay(messagesPerSecond, Ways.slots(Links::ipc, 64)))))
                .targets(Target.atMost(OBJECTS, AND_HOP, 1.1, 1.0), Target.atMost(SLOTS, AND_HOP, 1.1, 1.0))
                .topology("sender->receiver")
                .build();
    }
}
