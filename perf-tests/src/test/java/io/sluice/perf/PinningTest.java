package io.sluice.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which processors threads are bound to. */
@Tag("once")
class PinningTest {
    @Test
    void theProcessorsOfAMaskAreThoseWhoseBitsAreSet() {
        assertThat(Pinning.processors(new long[] {0b11_0000L, 1L << 3, 0})).containsExactly(4, 5, 67);
        assertThat(Pinning.processors(new long[] {0})).isEmpty();
    }

    @Test
    void aThreadIsBoundToOneOfTheProcessorsThatItsProcessMayUse() throws Exception {
        assumeTrue(Pinning.description().equals("pinned"), "threads can not be bound here");
        String all = allowed(Path.of("/proc/self/status"));
        int count = Math.min(64, Pinning.available());
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < count; i++) {
            int processor = i;
            FutureTask<String> bound = new FutureTask<>(() -> {
                Pinning.pin(processor);
                return allowed(Path.of("/proc/thread-self/status"));
            });
            Thread thread = new Thread(bound, "bound");
            thread.start();
            assertThat(seen.add(bound.get(20, TimeUnit.SECONDS)))
                    .as("processor %d of %s, beside %s", i, all, seen)
                    .isTrue();
        }
        assertThat(seen).allMatch(list -> list.matches("[0-9]+"));
    }

    @Test
    void aBoundThreadIsToldTheSameNumberOfProcessors() throws Exception {
        int before = Runtime.getRuntime().availableProcessors();
        FutureTask<Integer> bound = new FutureTask<>(() -> {
            Pinning.pin(0);
            return Pinning.available();
        });
        Thread thread = new Thread(bound, "bound");
        thread.start();
        assertThat(bound.get(20, TimeUnit.SECONDS)).isEqualTo(before);
    }

    private static String allowed(Path status) throws IOException {
        return Files.readAllLines(status, StandardCharsets.US_ASCII).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElseThrow();
    }
}
