package io.sluice.jcstress.gate;

import io.sluice.jcstress.twin.Catalogue;
import io.sluice.jcstress.twin.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The marked blocks of {@code docs/verification.md}: how many rows and tests there are, which a test compares with the catalogue;
 * and the result of each step of {@code ./sluice prove} when it was last run.
 */
final class ProveReport {
    static final String PAGE = "docs/verification.md";

    /** The result of a step that was never run. */
    private static final String NEVER = "not run yet";

    private static final String HEAD = "| step | what | outcome | counts | minutes | commit | date |";

    /**
     * The result of a step.
     *
     * @param outcome {@code passed} or {@code FAILED}, and why
     * @param counts what it has counted
     * @param minutes how long it took
     * @param commit what it ran on
     * @param date when, in UTC
     */
    record Entry(String outcome, String counts, String minutes, String commit, String date) {
        static final String PASSED = "passed";

        boolean passed() {
            return outcome.equals(PASSED);
        }

        String row(ProveStep step) {
            return "| " + String.join(" | ", step.name(), step.what(), outcome, plain(counts), minutes, commit, date)
                    + " |";
        }

        private static String plain(String cell) {
            return cell.replace("|", "/");
        }
    }

    private ProveReport() {}

    /** One line: the catalogue in numbers. */
    static String catalogue(List<Row> rows, int tests) {
        Map<Row.Layer, Long> layers = new LinkedHashMap<>();
        for (Row.Layer layer : Row.Layer.values()) {
            layers.put(layer, rows.stream().filter(row -> row.layer() == layer).count());
        }
        long pinned = layers.getOrDefault(Row.Layer.PINNED, 0L);
        return String.format(
                Locale.ROOT,
                "%d jcstress tests. %d mutations: %d that a test must notice (%d by jcstress, %d by JUnit, %d by Lincheck), and %d"
                        + " pinned, which are counted apart.",
                tests,
                rows.size(),
                rows.size() - pinned,
                layers.get(Row.Layer.JCSTRESS),
                layers.get(Row.Layer.JUNIT),
                layers.get(Row.Layer.LINCHECK),
                pinned);
    }

    static String catalogueOfToday() throws ClassNotFoundException {
        return catalogue(Catalogue.rows(), StressTest.all().size());
    }

    /** The lines of a block, without the marks. */
    static List<String> block(String page, String name) {
        int begin = page.indexOf(begin(name));
        int end = page.indexOf(end(name));
        if (begin < 0 || end < begin) {
            throw new IllegalStateException(PAGE + " has no block between " + begin(name) + " and " + end(name));
        }
        return page.substring(begin + begin(name).length(), end).strip().lines().toList();
    }

    private static String begin(String name) {
        return "<!-- " + name + ": written by ./sluice prove -->";
    }

    private static String end(String name) {
        return "<!-- end of " + name + " -->";
    }

    private static String with(String page, String name, List<String> lines) {
        block(page, name); // refuses a page without it
        return page.substring(0, page.indexOf(begin(name)) + begin(name).length())
                + "\n" + String.join("\n", lines) + "\n"
                + page.substring(page.indexOf(end(name)));
    }

    /** The entry of a step on the page; null if it was never run. */
    static @Nullable Entry entry(String page, ProveStep step) {
        for (String line : block(page, "runs")) {
            String[] cells = line.split("\\|", -1);
            if (cells.length == 9
                    && cells[1].strip().equals(step.name())
                    && !cells[3].strip().equals(NEVER)) {
                return new Entry(
                        cells[3].strip(), cells[4].strip(), cells[5].strip(), cells[6].strip(), cells[7].strip());
            }
        }
        return null;
    }

    /** The page with a step's entry, and with the rows of all steps that there are. */
    static String with(String page, List<ProveStep> steps, Map<String, Entry> fresh) {
        List<String> rows = new ArrayList<>();
        int passed = 0;
        int failed = 0;
        List<String> commits = new ArrayList<>();
        for (ProveStep step : steps) {
            Entry entry = fresh.containsKey(step.name()) ? fresh.get(step.name()) : entry(page, step);
            if (entry == null) {
                rows.add("| " + step.name() + " | " + step.what() + " | " + NEVER + " | | | | |");
            } else {
                rows.add(entry.row(step));
                passed += entry.passed() ? 1 : 0;
                failed += entry.passed() ? 0 : 1;
                if (!commits.contains(entry.commit())) {
                    commits.add(entry.commit());
                }
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(
                passed == steps.size() && commits.size() == 1
                        ? "A whole run: each of the " + passed + " steps passed on commit " + commits.get(0) + "."
                        : "No whole run on one commit yet. Of " + steps.size() + " steps " + passed
                                + " passed when they were last run, " + failed + " failed, "
                                + (steps.size() - passed - failed) + " were never run.");
        lines.add("");
        lines.add(HEAD);
        lines.add("|---|---|---|---|---|---|---|");
        lines.addAll(rows);
        return with(page, "runs", lines);
    }

    /** Writes both blocks. */
    static void write(Path root, List<ProveStep> steps, Map<String, Entry> fresh)
            throws IOException, ClassNotFoundException {
        Path file = root.resolve(PAGE);
        String page = Files.readString(file, StandardCharsets.UTF_8);
        String written = with(with(page, steps, fresh), "catalogue", List.of(catalogueOfToday()));
        if (!written.equals(page)) {
            Files.writeString(file, written, StandardCharsets.UTF_8);
        }
    }
}
