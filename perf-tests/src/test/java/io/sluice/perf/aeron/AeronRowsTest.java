package io.sluice.perf.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.Interruption;
import io.sluice.perf.batching.Check;
import io.sluice.perf.bench.Bench;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Rows;
import io.sluice.perf.compare.Target;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every contestant of {@code ./sluice bench aeron} moves every message, whole and in order; what they measure is not looked at. */
@Timeout(180)
@Tag("once")
@Tag("any-jdk")
class AeronRowsTest {
    @Test
    void everyContestantMovesEveryMessage() throws Exception {
        for (Row row : Rows.suite(AeronRows.SUITE)) {
            for (Entry entry : row.entries()) {
                Contestant contestant = entry.maker().make();
                for (int i = 0; i < 2; i++) {
                    assertThat(contestant.sample(TimeUnit.MILLISECONDS.toNanos(5)))
                            .as(row.id() + " " + entry.id())
                            .isPositive();
                }
                contestant.finish();
            }
        }
    }

    @Test
    void theTargetsAreThoseThatWereSet() {
        List<Row> rows = Rows.suite(AeronRows.SUITE);
        assertThat(rows)
                .extracting(Row::id)
                .containsExactly("aeron-ipc", "aeron-open-100k", "aeron-open-1m", "aeron-udp-1024", "aeron-udp-64");
        for (Row row : rows) {
            for (Target target : row.targets()) {
                assertThat(target.must()).as(row.id()).isEqualTo(row.isTime() ? 1.1 : 0.95);
                assertThat(target.peer()).isEqualTo(row.isTime() ? "aeron-and-hop" : "aeron");
            }
        }
        assertThat(new Bench().usage()).contains("./sluice bench aeron");
    }

    /** Nothing is judged here but that the experiment does what it says: the machine may be busy. */
    @Test
    void theStoppedSubscriberStandsStillAndTheOthersAreCounted() throws Exception {
        try (Interruption interruption = new Interruption("test")) {
            StoppedSubscriber.Outcome outcome = new StoppedSubscriber(2, 3, interruption).measure("max");
            assertThat(outcome.flow()).isEqualTo("max");
            assertThat(outcome.before()).isPositive();
            assertThat(outcome.named()).as(outcome.toString()).isIn(2, -1);
            assertThat(outcome.namedAfter())
                    .as("the sender named it: %s", outcome)
                    .isPositive();
            assertThat(outcome.backAfter()).as("and again: %s", outcome).isNotNegative();
        }
    }

    @Test
    void whatHasToHoldWhenOneIsStopped() {
        assertThat(StoppedSubscriber.checks(
                        8,
                        List.of(
                                new StoppedSubscriber.Outcome("max", 10_000, 0, 0.98, 8, 1_000, 20, 5, 0),
                                new StoppedSubscriber.Outcome("min", 10_000, 5_000, 0.97, 8, 1_001, 20, 5, 1),
                                new StoppedSubscriber.Outcome("min", 10_000, 0, 1, 0, -1, -1, 5, 0),
                                new StoppedSubscriber.Outcome("max", 10_000, 0, 1, -1, 600, 20, 5, 0))))
                .extracting(Check::holds)
                .containsExactly(true, true, true, false, false, false, true, true, false, true, true, false);
    }

    /** A way that loses a message, or changes one, is found out. */
    @Test
    void aWayThatDoesNotKeepItsWordIsFoundOut() {
        for (Broken.Fault fault : Broken.Fault.values()) {
            assertThatThrownBy(() -> new Rate(() -> new Broken(fault), 1).sample(1_000_000))
                    .as(fault.name())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("message 3 ");
        }
    }

    /** A queue of a thousand messages that does something wrong with the fourth. */
    private static final class Broken implements Way {
        enum Fault {
            LOSES,
            DOUBLES,
            CHANGES
        }

        private final java.util.concurrent.ArrayBlockingQueue<long[]> queue =
                new java.util.concurrent.ArrayBlockingQueue<>(1_000);
        private final Fault fault;

        Broken(Fault fault) {
            this.fault = fault;
        }

        @Override
        public boolean offer(long value) {
            if (value != 3) {
                return queue.offer(new long[] {value, value});
            }
            return switch (fault) {
                case LOSES -> true;
                case DOUBLES -> queue.offer(new long[] {2, 2});
                case CHANGES -> queue.offer(new long[] {3, 4});
            };
        }

        @Override
        public void flush() {}

        @Override
        public void housekeep() {}

        @Override
        public int take(Sink sink) {
            long[] message = queue.poll();
            if (message == null) {
                return 0;
            }
            sink.onMessage(message[0], message[1]);
            return 1;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public void close() {}
    }
}
