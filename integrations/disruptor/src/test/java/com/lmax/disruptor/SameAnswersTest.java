package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

    /** The answer here, that of the Disruptor 4 and that of the Disruptor 3; null where the question is not asked. */
    private record Difference(
            String question, String here, @Nullable String four, String three) {
        @Nullable
        String there() {
            return Peer.isVersion3() ? three : four;
        }
    }

    private static final List<Difference> DIFFERENCES = List.of(
            new Difference("default exception handler after the start", "done", "refused", "refused"),
            new Difference("the strategy has the program's barrier", "false", "true", "true"),
            new Difference("the program's barrier is alerted by a halt", "true", "true", "true"),
            new Difference("the halt of one is heard by the other", "false", "true", "true"),
            new Difference("who was halted before a run runs", "false", "true", "true"),
            new Difference("no wait strategy", "refused", "taken", "taken"),
            new Difference("a null in a group", "refused", "taken", "taken"),
            new Difference("a null in a fixed group", "refused", "taken", "taken"),
            new Difference("a barrier behind null", "refused", "taken", "taken"),
            new Difference("a barrier behind two, one null", "refused", "taken", "taken"),
            new Difference("no default exception handler", "refused", "taken", "taken"),
            new Difference("cursor while a claim waits", "1", "2", "1"),
            new Difference("remaining capacity while a claim waits", "0", "-1", "0"),
            new Difference("claimed in the end", "2", "2", "2"),
            new Difference("a claim of more than a ring holds, SINGLE", "refused", "refused", "waits"),
            new Difference("a claim of more than a ring holds, MULTI", "refused", "refused", "waits"),
            new Difference("a sequence whose slot is used again is available", "false", "false", "true"),
            new Difference("BlockingWaitStrategy, its locks are held", "goes on", "waits", "waits"),
            new Difference("TimeoutBlockingWaitStrategy, its locks are held", "goes on", "waits", "waits"),
            new Difference("a time limit of 0, at the first event", "gets 0", "TimeoutException", "TimeoutException"),
            new Difference(
                    "who follows a slow consumer", "parks, then gets 5", "spins, then gets 5", "spins, then gets 5"),
            new Difference("whose event is claimed and not published", "parks", "spins", "spins"),
            new Difference("whose strategy comes back early", "spins", "spins", "spins"),
            new Difference("whose strategy holds an event back", "spins", "spins", "spins"),
            new Difference("a wait strategy throws at 0, told", "none", "none", "none"),
            new Difference("handled after a wait strategy has thrown", "[10]", "[]", "[]"),
            new Difference("a wait strategy after an event throws at 2, told", "11", "11", "11"),
            new Difference(
                    "handled after a later throw of a wait strategy",
                    "[10, 11, 12, 13]",
                    "[10, 11, 13]",
                    "[10, 11, 13]"),
            new Difference("who joins while claims are open begins at", "2", "3", "3"),
            new Difference("claims until the ring is full", "2", "3", "3"),
            new Difference("threads for a processor that is added twice", "1", "2", "2"),
            new Difference("a handler after a processor that is not in the graph", "taken", "refused", "taken"),
            new Difference("onBatchStart throws at 0, told", "10", "none", "none"),
            new Difference("onBatchStart throws at 3, told", "13", "12", "12"),
            new Difference("a data provider throws at 0, told", "none", "none", "none"),
            new Difference("a data provider throws at 2, told", "12", "11", "11"),
            new Difference("onBatchStart(0) throws at 0, told", "none", null, "none"),
            new Difference("handled after onBatchStart(0) has thrown", "[10]", null, "[]"));

    /** The lines of docs/drop-in.md for which a program without chance sees both sides. */
    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void whatDiffersIsWhatTheDocsSay() throws Exception {
        List<Difference> asked =
                DIFFERENCES.stream().filter(line -> line.there() != null).toList();
        assertThat(answers(DifferentProgram.class))
                .containsExactlyElementsOf(asked.stream()
                        .map(line -> line.question() + ": " + line.here())
                        .toList());
        assertThat(answers(Peer.theirsWith(DifferentProgram.class).loadClass(DifferentProgram.class.getName())))
                .containsExactlyElementsOf(asked.stream()
                        .map(line -> line.question() + ": " + line.there())
                        .toList());
    }

    @SuppressWarnings("unchecked")
    private static List<String> answers(Class<?> program) throws ReflectiveOperationException {
        return (List<String>) program.getMethod("run").invoke(null);
    }
}
