package io.sluice.backpressure.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.ChildJvm;
import io.sluice.testing.StackEnd;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of the stack cuts an entry off, at each depth: who has not entered takes no place. */
@Tag("once")
@Timeout(60)
class CutOffEntryTest {
    @Test
    void whoIsCutOffTakesNoPlace() throws Exception {
        // where all is interpreted, each call has a frame
        assertThat(ChildJvm.run(Child.class, List.of("-Xint"))).isEqualTo("all is well\n");
    }

    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(Child::eachDepth);
            System.out.println("all is well");
        }

        private static void eachDepth() {
            AdmissionGate gate =
                    AdmissionGate.builder(1_000, 1_000, 1, System::nanoTime).build();
            int cutOff = 0;
            for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
                assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
                boolean[] in = {false};
                StackEnd.atStep(step, () -> in[0] = gate.tryEnter() == Admission.ADMITTED);
                cutOff += in[0] ? 0 : 1;
                wholeInARow = in[0] ? wholeInARow + 1 : 0;
                if (in[0]) {
                    gate.exit();
                }
                assertThat(gate.inside()).as("inside, behind step %d", step).isZero();
            }
            assertThat(cutOff).as("entries that were cut off").isPositive();
        }
    }
}
