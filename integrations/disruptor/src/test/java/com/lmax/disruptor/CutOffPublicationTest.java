package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The end of the stack cuts a publication off, at each depth, while its consumer sleeps. Where it is out all the same, and the ring is full,
 * the producer that waits for room wakes the consumer.
 */
@Tag("once")
@Timeout(110)
class CutOffPublicationTest {
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    @ParameterizedTest
    @ValueSource(strings = {"single", "multi"})
    void whoWaitsForRoomWakesTheConsumer(String kind) throws Exception {
        // where all is interpreted, each call has a frame
        assertThat(ChildJvm.run(Child.class, List.of("-Xint"), kind)).isEqualTo("all is well\n");
    }

    static final class Child {
        private static final int CAPACITY = 4;

        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(() -> eachDepth(arguments[0]));
            System.out.println("all is well");
        }

        private static void eachDepth(String kind) {
            int outAndCutOff = 0;
            for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
                assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
                RingBuffer<long[]> ring = kind.equals("single")
                        ? RingBuffer.createSingleProducer(() -> new long[1], CAPACITY, new BlockingWaitStrategy())
                        : RingBuffer.createMultiProducer(() -> new long[1], CAPACITY, new BlockingWaitStrategy());
                Thread[] runs = {null};
                BatchEventProcessor<long[]> sleeper = new BatchEventProcessorBuilder()
                        .build(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> {});
                ring.addGatingSequences(sleeper.getSequence());
                runs[0] = new Thread(sleeper, "sleeper");
                runs[0].setDaemon(true);
                runs[0].start();
                await("the consumer to sleep", () -> runs[0].getState() == Thread.State.WAITING);
                long hi = ring.next(CAPACITY);
                boolean[] whole = {false};
                StackEnd.atStep(step, () -> {
                    ring.publish(hi - CAPACITY + 1, hi);
                    whole[0] = true;
                });
                boolean out = true;
                for (long sequence = hi - CAPACITY + 1; sequence <= hi; sequence++) {
                    out &= ring.isAvailable(sequence);
                }
                outAndCutOff += out && !whole[0] ? 1 : 0;
                wholeInARow = whole[0] ? wholeInARow + 1 : 0;
                if (!out) {
                    ring.publish(hi - CAPACITY + 1, hi);
                }
                String when = "step " + step;
                ring.publish(ring.next());
                await(when, () -> sleeper.getSequence().get() == hi + 1);
                sleeper.halt();
            }
            assertThat(outAndCutOff)
                    .as("publications that were cut off behind their release")
                    .isPositive();
        }

        private interface Condition {
            boolean holds();
        }

        private static void await(String what, Condition condition) {
            long started = System.nanoTime();
            while (!condition.holds()) {
                assertThat(System.nanoTime() - started).as(what).isLessThan(LIMIT);
                LockSupport.parkNanos(100_000);
            }
        }
    }
}
