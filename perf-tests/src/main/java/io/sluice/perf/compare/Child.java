package io.sluice.perf.compare;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The JVM of one contestant. Warms up until the compilers rest, then prints {@value #READY}, or {@value #RUNNING} if the contestant works
 * on between its samples. Answers each line {@code sample MILLIS} on standard input with one line, the figure and the detail, and blocks
 * in between. The line {@value #FINISH} asks for the last checks, which {@value #FINISHED} answers. Ends with its input, and with its
 * parent.
 */
final class Child {
    static final String READY = "READY";
    static final String RUNNING = "RUNNING";
    static final String FINISH = "finish";
    static final String FINISHED = "FINISHED";

    /** Names the property for the time of a warm-up sample. A test sets it shorter, since nobody looks at its figures. */
    private static final String WARM_UP_MILLIS = "sluice.perf.warmUpMillis";

    private static final long USUAL_WARM_UP_MILLIS = 120;

    private Child() {}

    /**
     * Runs one contestant.
     *
     * @param arguments a row's id and a contestant's
     * @throws Exception what the contestant throws
     */
    @SuppressWarnings("SystemExitOutsideMain")
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // what peers print must not be taken for an answer
        Contestant contestant =
                Rows.entry(Rows.named(arguments[0]), arguments[1]).maker().make();
        long warmUp = TimeUnit.MILLISECONDS.toNanos(Long.getLong(WARM_UP_MILLIS, USUAL_WARM_UP_MILLIS));
        for (int i = 0; i < contestant.warmUps(); i++) {
            contestant.sample(warmUp);
        }
        if (contestant.runsOn()) {
            StoppedProcess.endWithParent();
        }
        // The answer comes before the wait: it makes classes of its own, which are compiled too.
        answer(contestant, "sample " + TimeUnit.NANOSECONDS.toMillis(warmUp));
        if (!Compilers.awaitRest(contestant, warmUp)) {
            System.err.println("the compilers still work after the warm-up: they may take time from the samples");
        }
        out.println(contestant.runsOn() ? RUNNING : READY);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals(FINISH)) {
                contestant.finish();
                out.println(FINISHED);
                continue;
            }
            out.println(answer(contestant, line));
        }
        System.exit(0); // a contestant may leave threads behind
    }

    private static String answer(Contestant contestant, String question) throws Exception {
        long millis = Long.parseLong(question.substring(question.indexOf(' ') + 1));
        double figure = contestant.sample(TimeUnit.MILLISECONDS.toNanos(millis));
        return (figure + " " + contestant.detail()).strip();
    }
}
