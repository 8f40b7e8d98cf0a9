package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.State;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The end of the stack cuts the failure of a ring, or the begin of its drain, off at each depth. Where the ring has ended, the next call does
 * what is left: a producer that has room claims nothing more.
 */
@Tag("once")
@Timeout(60)
class CutOffFailureTest {
    @ParameterizedTest
    @ValueSource(strings = {"fail", "drain", "close"})
    void theNextCallEndsTheClaims(String call) throws Exception {
        // where all is interpreted, each call has a frame
        assertThat(ChildJvm.run(Child.class, List.of("-Xint"), call)).isEqualTo("all is well\n");
    }

    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(() -> eachDepth(arguments[0]));
            System.out.println("all is well");
        }

        private static void eachDepth(String call) {
            int endedAndCutOff = 0;
            for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
                assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
                FollowedRing<long[]> ring = (FollowedRing<long[]>) Rings.ring(false, 64);
                Producer<long[]> producer = ring.producer();
                assertThat(producer.tryPublishEvent((event, sequence) -> {})).isZero();
                RuntimeException cause = new RuntimeException("planned");
                Runnable ends = () -> {
                    switch (call) {
                        case "fail" -> ring.fail(cause);
                        case "drain" -> drain(ring);
                        default -> ring.close();
                    }
                };
                boolean[] whole = {false};
                StackEnd.atStep(step, () -> {
                    ends.run();
                    whole[0] = true;
                });
                endedAndCutOff += !whole[0] && ring.state() != State.RUNNING ? 1 : 0;
                wholeInARow = whole[0] ? wholeInARow + 1 : 0;
                ends.run();
                assertThat(Producer.resultName(producer.tryNext(1)))
                        .as("step %d", step)
                        .isEqualTo(call.equals("fail") ? "FAILED" : "CLOSED");
            }
            assertThat(endedAndCutOff)
                    .as("ends that were cut off behind the change of the state")
                    .isPositive();
        }

        private static void drain(Ring ring) {
            ring.drain(0);
        }
    }
}
