package io.sluice.perf.records;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A measurement in a JVM of its own: the lines that it printed, and its longest pause for the garbage collector. */
record ChildRun(List<String> lines, double longestPauseMillis) {
    private static final Pattern PAUSE = Pattern.compile("Pause .* ([0-9]+\\.[0-9]+)ms");

    static ChildRun of(Class<?> program, List<String> flags, String... arguments)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-records-");
        Path log = folder.resolve("gc.log");
        Path out = folder.resolve("out.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("-Xlog:gc:file=" + log);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            int status = process.waitFor();
            List<String> lines = Files.readAllLines(out, StandardCharsets.UTF_8);
            if (status != 0) {
                throw new IOException(program.getSimpleName() + " ended with " + status + ": " + lines);
            }
            return new ChildRun(lines, longest(Files.readAllLines(log, StandardCharsets.UTF_8)));
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(log);
            Files.deleteIfExists(out);
            Files.deleteIfExists(folder);
        }
    }

    static double longest(List<String> log) {
        double longest = 0;
        for (String line : log) {
            Matcher pause = PAUSE.matcher(line);
            if (pause.find()) {
                longest = Math.max(longest, Double.parseDouble(pause.group(1)));
            }
        }
        return longest;
    }

    /** The numbers of the lines that begin with a word, each line's in a list. */
    List<double[]> numbers(String word) {
        List<double[]> found = new ArrayList<>();
        for (String line : lines) {
            String[] parts = line.split(" ", -1);
            if (parts[0].equals(word)) {
                double[] numbers = new double[parts.length - 1];
                for (int i = 0; i < numbers.length; i++) {
                    numbers[i] = Double.parseDouble(parts[i + 1]);
                }
                found.add(numbers);
            }
        }
        return found;
    }

    /** The median of one column. */
    double median(String word, int column) {
        double[] values = numbers(word).stream()
                .mapToDouble(line -> line[column])
                .sorted()
                .toArray();
        return values[values.length / 2];
    }
}
