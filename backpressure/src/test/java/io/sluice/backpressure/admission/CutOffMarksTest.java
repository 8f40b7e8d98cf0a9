package io.sluice.backpressure.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.VirtualClock;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of the stack cuts off who reports a mark, at each depth: the gate reports its marks all the same from then on. */
@Tag("once")
@Timeout(60)
class CutOffMarksTest {
    @ParameterizedTest
    @ValueSource(strings = {"high", "low"})
    void laterMarksAreReported(String mark) throws Exception {
        // where all is interpreted, each call has a frame
        assertThat(ChildJvm.run(Child.class, List.of("-Xint"), mark)).isEqualTo("all is well\n");
    }

    static final class Child implements WaterMarkHandler {
        private static final int BOUND = 10;
        private static final int BELOW_HIGH = 6;
        private static final int ABOVE_LOW = 6;

        private int highs;
        private int lows;

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(() -> eachDepth(arguments[0].equals("high")));
            System.out.println("all is well");
        }

        private static void eachDepth(boolean high) {
            int cutOff = 0;
            for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
                assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
                boolean whole = new Child().isWhole(high, step);
                cutOff += whole ? 0 : 1;
                wholeInARow = whole ? wholeInARow + 1 : 0;
            }
            assertThat(cutOff).as("marks that were cut off").isPositive();
        }

        /** Whether the call had stack enough that crosses the mark. */
        private boolean isWhole(boolean high, int step) {
            AdmissionGate gate = AdmissionGate.builder(BOUND, 1, 1, new VirtualClock(0))
                    .waterMarks(0.5, 0.7, this)
                    .build();
            assertThat(gate.bound()).isEqualTo(BOUND);
            enter(gate, high ? BELOW_HIGH : BOUND);
            boolean[] ended = {false};
            if (high) {
                StackEnd.atStep(step, () -> ended[0] = gate.tryEnter() == Admission.ADMITTED);
                assertThat(gate.inside()).as("inside, behind step %d", step).isEqualTo(BELOW_HIGH + (ended[0] ? 1 : 0));
            } else {
                leave(gate, BOUND - ABOVE_LOW);
                StackEnd.atStep(step, () -> {
                    gate.exit();
                    ended[0] = true;
                });
            }
            leave(gate, gate.inside());
            highs = 0;
            lows = 0;
            enter(gate, BOUND);
            leave(gate, BOUND);
            assertThat(highs).as("high marks, behind step %d", step).isOne();
            assertThat(lows).as("low marks, behind step %d", step).isOne();
            return ended[0];
        }

        private static void enter(AdmissionGate gate, long times) {
            for (long i = 0; i < times; i++) {
                assertThat(gate.tryEnter()).isEqualTo(Admission.ADMITTED);
            }
        }

        private static void leave(AdmissionGate gate, long times) {
            for (long i = 0; i < times; i++) {
                gate.exit();
            }
        }

        @Override
        public void onHighWater(long inside, long bound) {
            highs++;
        }

        @Override
        public void onLowWater(long inside, long bound) {
            lows++;
        }
    }
}
