package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import program.ArrayProgram;
import program.GraphProgram;
import program.WaitProgram;

/** Programs without chance, each on this library and on the Disruptor's jar: what they see is the same, line by line. */
@Tag("once")
class SameAnswersTest {
    @ParameterizedTest
    @ValueSource(classes = {ArrayProgram.class, WaitProgram.class, GraphProgram.class})
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aProgramSeesTheSameOnThisLibraryAndOnTheDisruptor(Class<?> program) throws Exception {
        @SuppressWarnings("unchecked")
        List<String> here = (List<String>) program.getMethod("run").invoke(null);
        @SuppressWarnings("unchecked")
        List<String> theirs = (List<String>) Peer.theirsWith(program)
                .loadClass(program.getName())
                .getMethod("run")
                .invoke(null);
        int at = 0;
        while (at < Math.min(here.size(), theirs.size()) && here.get(at).equals(theirs.get(at))) {
            at++;
        }
        assertThat(here.subList(at, Math.min(at + 4, here.size())))
                .as("from line " + at)
                .isEqualTo(theirs.subList(at, Math.min(at + 4, theirs.size())));
        assertThat(here).hasSameSizeAs(theirs).hasSizeGreaterThan(50);
    }
}
