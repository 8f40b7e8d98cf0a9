package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.LONG;
import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Start, publish, drain and close in any order lose nothing that was published. */
@Timeout(60)
class EndOrdersTest {
    /**
     * Every order of the public steps, each up to twice: what was published was handled or is reported as left, and what was
     * not published was refused by an exception or a constant.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void nothingPublishedIsLostInAnyOrderOfStartPublishDrainAndClose(boolean single) {
        String[] steps = {"start", "publish", "publish", "drain", "close"};
        List<List<String>> orders = new ArrayList<>();
        permute(List.of(steps), new ArrayList<>(), orders);
        assertThat(orders).hasSize(120);
        for (List<String> order : orders) {
            runInOrder(single, order);
        }
    }

    private static void permute(List<String> left, List<String> order, List<List<String>> orders) {
        if (left.isEmpty()) {
            orders.add(List.copyOf(order));
        }
        for (int i = 0; i < left.size(); i++) {
            List<String> rest = new ArrayList<>(left);
            order.add(rest.remove(i));
            permute(rest, order, orders);
            order.remove(order.size() - 1);
        }
    }

    private static void runInOrder(boolean single, List<String> order) {
        RingBuffer<long[]> ring = ring(single, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicLong handled = new AtomicLong();
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
        Producer<long[]> producer = ring.producer();
        long published = 0;
        boolean ended = false;
        boolean closed = false;
        boolean started = false;
        for (String step : order) {
            switch (step) {
                case "start" -> {
                    if (closed) {
                        assertThatThrownBy(pipeline::start)
                                .as(order.toString())
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("CLOSED");
                    } else {
                        pipeline.start();
                        started = true;
                    }
                }
                case "publish" -> {
                    if (ended) {
                        assertThatThrownBy(() -> publish(producer, 1))
                                .as(order.toString())
                                .isInstanceOf(RingClosedException.class);
                        assertThat(producer.tryNext(1)).isEqualTo(Producer.CLOSED);
                    } else {
                        publish(producer, 3);
                        published += 3;
                    }
                }
                case "drain" -> {
                    Ring.Leftover left = ring.drain(started && !closed ? LONG : 0);
                    if (started && !closed) {
                        assertThat(left.isNone()).as(order + ": " + left).isTrue();
                        assertThat(handled).as(order.toString()).hasValue(published);
                    }
                    assertThat(left.openProducers()).as(order.toString()).isZero();
                    ended = true;
                }
                default -> {
                    ring.close();
                    ended = true;
                    closed = true;
                }
            }
        }
        assertThat(handled.get() + ring.leftover().unhandled())
                .as(order.toString())
                .isEqualTo(published);
        assertThat(ring.leftover().openClaims()).as(order.toString()).isZero();
    }
}
