package io.sluice.perf.dropin;

import com.lmax.disruptor.RingBuffer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * The JVM of one jar. Prints where its classes of {@code com.lmax.disruptor} come from, then answers each line on standard input with a line
 * of figures, and blocks in between. Ends with its input.
 */
final class Child {
    private Child() {}

    /**
     * Runs one case.
     *
     * @param arguments its id, and its size
     * @throws Exception what the workload throws
     */
    @SuppressWarnings("SystemExitOutsideMain")
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // what a library prints must not be taken for an answer
        Workload workload = Case.workload(arguments[0], Integer.parseInt(arguments[1]));
        out.println(Path.of(RingBuffer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI()));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            StringJoiner answer = new StringJoiner(" ");
            for (double figure : workload.run()) {
                answer.add(String.format(Locale.ROOT, "%.6f", figure));
            }
            out.println(answer);
        }
        System.exit(0); // a workload leaves threads behind
    }
}
