package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first program with a mistake in its handler, as a process of its own: the failure is not silent. */
@Tag("once")
class FirstProgramFailureTest {
    @TempDir
    Path folder;

    @Test
    void aDivisionByZeroInTheFirstProgramsHandlerIsPrintedAndTheProgramFails() throws Exception {
        Path readme = Repository.root().resolve("README.md");
        Markdown.Block program = new Markdown(readme, Repository.read(readme))
                .blocks().stream()
                        .filter(block -> block.language().equals("java"))
                        .findFirst()
                        .orElseThrow();
        String wrong = program.text().replace("order.price < 103", "order.price / (sequence - 1) < 103");
        assertThat(wrong).as("the program with its mistake").isNotEqualTo(program.text());
        Snippet snippet = Snippet.of(new Markdown.Block(program.line(), "java", wrong, List.of()));
        assertThat(snippet.compile(folder)).as("the compiler's words").isEmpty();
        Snippet.Ended ended = snippet.run(folder);
        assertThat(ended.err())
                .containsOnlyOnce("ring ring-1: consumer consumer-1 failed at sequence 1")
                .contains("java.lang.ArithmeticException: / by zero")
                .contains("at FirstProgram.lambda$main$")
                .contains("Exception in thread \"main\" io.sluice.ringbuffer.RingFailedException");
        assertThat(ended.status()).isEqualTo(1);
    }
}
