package io.sluice.perf.rows;

import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Alternation;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.flow.Counted;
import io.sluice.perf.flow.LmaxDisruptor;
import io.sluice.perf.flow.PingPong;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.YieldingIdleStrategy;

/** The shapes of LMAX's own throughput tests, with their ring sizes: yielding, unpinned, counted events. */
public final class PerftestRows implements RowTable {
    private static final int EVENTS = 100_000_000;

    /** A ping-pong takes so many times as long as an event of a stream. */
    private static final int EVENTS_A_TRIP = 10;

    private record Flow(String id, String title, Shape shape, int capacity, int producers, int batch) {
        Row row() {
            ProducerType type = producers == 1 ? ProducerType.SINGLE : ProducerType.MULTI;
            Publishing publishing = batch == 1 ? Publishing.ONE : Publishing.TEN;
            SluiceRing.Setup setup = new SluiceRing.Setup(
                    producers == 1, capacity, YieldingIdleStrategy::new, YieldingIdleStrategy::new, false, false);
            return Row.of(Alternation.SUITE, id, "events/s", title + ", " + capacity + " slots")
                    .contestants(
                            "lmax",
                            () -> List.of(
                                    new Entry(
                                            "lmax",
                                            "LMAX Disruptor",
                                            () -> new Counted(
                                                    () -> new LmaxDisruptor(
                                                            type,
                                                            capacity,
                                                            YieldingWaitStrategy::new,
                                                            shape,
                                                            batch,
                                                            false),
                                                    producers,
                                                    events())),
                                    new Entry(
                                            "sluice",
                                            "Sluice",
                                            () -> new Counted(
                                                    () -> new SluiceRing(setup, shape, publishing),
                                                    producers,
                                                    events()))))
                    .topology("producer->consumer")
                    .build();
        }
    }

    private static final List<Flow> FLOWS = List.of(
            new Flow("one-to-one", "one producer, one consumer", Shape.ONE, 65_536, 1, 1),
            new Flow(
                    "one-to-one-batch",
                    "one producer that claims ten at a time, one consumer",
                    Shape.ONE,
                    65_536,
                    1,
                    10),
            new Flow("three-to-one", "three producers, one consumer", Shape.ONE, 65_536, 3, 1),
            new Flow(
                    "one-to-three-pipeline",
                    "one producer, three consumers one behind the other",
                    Shape.PIPELINE,
                    8_192,
                    1,
                    1),
            new Flow(
                    "one-to-three-diamond",
                    "one producer, two consumers, a third behind both",
                    Shape.DIAMOND,
                    8_192,
                    1,
                    1));

    /** For the service loader. */
    public PerftestRows() {}

    @Override
    public List<Row> rows() {
        return Stream.concat(FLOWS.stream().map(Flow::row), Stream.of(pingPong()))
                .toList();
    }

    private static Row pingPong() {
        return Row.of(
                        Alternation.SUITE,
                        "ping-pong",
                        "round trips/s",
                        "two rings and two threads, one ping on its way, 1024 slots, a tenth of the events")
                .contestants(
                        "lmax",
                        () -> List.of(
                                new Entry("lmax", "LMAX Disruptor", () -> PingPong.lmax(trips())),
                                new Entry("sluice", "Sluice", () -> PingPong.sluice(trips()))))
                .topology("ping->pong", "pong->ping")
                .build();
    }

    private static int events() {
        return Integer.getInteger(Alternation.EVENTS_PROPERTY, EVENTS);
    }

    private static int trips() {
        return Math.max(1, events() / EVENTS_A_TRIP);
    }
}
