package io.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StackEndTest {
    /** As many frames as are asked for. */
    private static void deeper(int frames) {
        if (frames > 0) {
            deeper(frames - 1);
        }
    }

    @Test
    void workThatNeedsMoreThanIsSparedIsCutOff() throws InterruptedException {
        List<StackOverflowError> cutOff = new ArrayList<>();
        List<String> ran = new ArrayList<>();
        onAShortStack(() -> {
            cutOff.add(StackEnd.run(0, () -> deeper(1_000_000)));
            cutOff.add(StackEnd.run(300, () -> ran.add("with stack enough")));
        });
        assertThat(cutOff).hasSize(2);
        assertThat(cutOff.get(0)).isNotNull();
        assertThat(cutOff.get(1)).isNull();
        assertThat(ran).containsExactly("with stack enough");
    }

    @Test
    void whatTheWorkThrowsReachesTheCaller() throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        onAShortStack(() -> {
            try {
                StackEnd.run(300, () -> {
                    throw new IllegalStateException("planned");
                });
            } catch (IllegalStateException e) {
                thrown.add(e);
            }
        });
        assertThat(thrown).singleElement().satisfies(one -> assertThat(one).hasMessage("planned"));
    }

    @Test
    void itsFirstStepLoadsTheLibrary(@TempDir Path folder) throws Exception {
        assertThat(LoadedClasses.of(folder, FirstStep.class)).contains(' ' + FullMemory.class.getName() + ' ', "done");
    }

    static final class FirstStep {
        private FirstStep() {}

        public static void main(String[] arguments) {
            StackEnd.atStep(-1, () -> System.out.println("done"));
        }
    }

    private static void onAShortStack(Runnable work) throws InterruptedException {
        Thread thread = new Thread(null, work, "short", 512 << 10);
        List<Throwable> escaped = new ArrayList<>();
        thread.setUncaughtExceptionHandler((one, t) -> escaped.add(t));
        thread.start();
        thread.join();
        assertThat(escaped).isEmpty();
    }
}
