package io.sluice.perf.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The programs of the drop-in print the same on both jars. */
@Tag("once")
@Timeout(120)
class SwapTest {
    @Test
    void theFirstProgramPrintsTheSameOnBothJars() throws Exception {
        List<String> ours = lines("getting-started");
        List<String> expected = new ArrayList<>();
        IntStream.range(0, 20)
                .mapToObj(i -> "order " + i + " at " + (i % 2 == 0 ? 100 + i : 199 + i) + ", sequence " + i)
                .forEach(expected::add);
        expected.add("total 3180");
        assertThat(ours).isEqualTo(expected);
        assertThat(lines("getting-started", "--disruptor")).isEqualTo(ours);
    }

    @Test
    void theLoggingProgramPrintsTheSameOnBothJars() throws Exception {
        List<String> ours = lines("logging");
        assertThat(ours)
                .isEqualTo(IntStream.range(0, 20)
                        .mapToObj(i -> "INFO LoggingSample - event " + i + " through a AsyncLogger")
                        .toList());
        assertThat(lines("logging", "--disruptor")).isEqualTo(ours);
    }

    @Test
    void badArgumentsAreSaidWithWhatIsAllowed() {
        assertThatThrownBy(() -> Swap.run(List.of(), System.out))
                .isInstanceOf(UsageException.class)
                .hasMessage("PROGRAM must be one of getting-started, logging, but is missing");
        assertThatThrownBy(() -> Swap.run(List.of("x"), System.out)).hasMessageEndingWith("but was 'x'");
        assertThatThrownBy(() -> Swap.run(List.of("logging", "--fast"), System.out))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("must be one of --disruptor");
    }

    private static List<String> lines(String... arguments) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int status = Swap.run(List.of(arguments), new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(status).isZero();
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
