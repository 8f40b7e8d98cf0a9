package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import program.ArrayProgram;
import program.DifferentProgram;
import program.GraphProgram;
import program.WaitProgram;

/** Programs without chance, each on this library and on the Disruptor's jar: what they see is the same, line by line. */
@Tag("once")
class SameAnswersTest {
    @ParameterizedTest
    @ValueSource(classes = {ArrayProgram.class, WaitProgram.class, GraphProgram.class})
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aProgramSeesTheSameOnThisLibraryAndOnTheDisruptor(Class<?> program) throws Exception {
        compare(program);
    }

    static void compare(Class<?> program) throws Exception {
        List<String> here = answers(program);
        List<String> theirs = answers(Peer.theirsWith(program).loadClass(program.getName()));
        int at = 0;
        while (at < Math.min(here.size(), theirs.size()) && here.get(at).equals(theirs.get(at))) {
            at++;
        }
        assertThat(here.subList(at, Math.min(at + 4, here.size())))
                .as("from line " + at)
                .isEqualTo(theirs.subList(at, Math.min(at + 4, theirs.size())));
        assertThat(here).hasSameSizeAs(theirs).hasSizeGreaterThan(50);
    }

    /** The lines of docs/drop-in.md for which one thread is enough to see both sides. */
    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void whatDiffersIsWhatTheDocsSay() throws Exception {
        assertThat(answers(DifferentProgram.class))
                .containsExactly(
                        "default exception handler after the start: done",
                        "the strategy has the program's barrier: false",
                        "the program's barrier is alerted by a halt: true",
                        "the halt of one is heard by the other: false",
                        "who was halted before a run runs: false");
        assertThat(answers(Peer.theirsWith(DifferentProgram.class).loadClass(DifferentProgram.class.getName())))
                .containsExactly(
                        "default exception handler after the start: refused",
                        "the strategy has the program's barrier: true",
                        "the program's barrier is alerted by a halt: true",
                        "the halt of one is heard by the other: true",
                        "who was halted before a run runs: true");
    }

    @SuppressWarnings("unchecked")
    private static List<String> answers(Class<?> program) throws ReflectiveOperationException {
        return (List<String>) program.getMethod("run").invoke(null);
    }
}
