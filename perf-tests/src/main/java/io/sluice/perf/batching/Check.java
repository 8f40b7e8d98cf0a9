package io.sluice.perf.batching;

import io.sluice.cli.Verb;
import io.sluice.perf.report.Glossary;
import io.sluice.perf.report.Page;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Something that has to hold.
 *
 * @param what in words, with the figures that were measured
 * @param holds whether it does
 */
public record Check(String what, boolean holds) {
    /**
     * The summary of checks, in one sentence.
     *
     * @param checks the checks
     * @return the sentence
     */
    public static String summary(List<Check> checks) {
        List<Check> failed = checks.stream().filter(check -> !check.holds).toList();
        if (checks.isEmpty()) {
            return "Nothing was checked.";
        }
        return failed.isEmpty()
                ? "All " + checks.size() + " checks hold."
                : "Of " + checks.size() + " checks " + failed.size() + (failed.size() == 1 ? " fails: " : " fail: ")
                        + failed.stream().map(Check::what).collect(Collectors.joining("; ")) + ".";
    }

    /**
     * Adds checks to a page, as a table.
     *
     * @param page where to
     * @param checks what had to hold
     */
    public static void addTo(Page page, List<Check> checks) {
        page.table(
                "What must hold",
                List.of(Page.Cell.of("what"), Page.Cell.of("verdict")),
                checks.stream()
                        .map(check -> List.of(
                                new Page.Cell(check.what, "long"),
                                new Page.Cell(check.holds ? "holds" : "fails", check.holds ? "good" : "bad")))
                        .toList());
    }

    /**
     * Checks as mere figures, for another command than their bench: a check that depends on the machine decides nothing there.
     *
     * @param title what asks for them, and what has a say in them
     * @param checks the checks
     * @return a table that says of each whether it was reached
     */
    static Table aims(String title, List<Check> checks) {
        return new Table(
                title + ", so it decides nothing here",
                List.of("", "here"),
                checks.stream()
                        .map(check -> List.of(check.what, check.holds ? "reached" : "not reached"))
                        .toList());
    }

    /**
     * Prints the measurement and its summary.
     *
     * @param tables what was measured
     * @param checks what has to hold
     * @param glossary what the words mean
     * @param summary what it says in short
     * @param complete whether it was not interrupted
     * @param out where to
     * @return the exit status
     */
    public static int conclude(
            List<Table> tables,
            List<Check> checks,
            Map<String, String> glossary,
            String summary,
            boolean complete,
            PrintStream out) {
        tables.forEach(table -> table.print(out));
        out.println();
        for (Check check : checks) {
            out.println((check.holds ? "holds: " : "FAILS: ") + check.what);
        }
        Glossary.print(glossary, out);
        out.println();
        out.println(summary);
        if (!complete) {
            out.println("stopped before the end: this is what there was by then");
            return Verb.INTERRUPTED;
        }
        boolean all = checks.stream().allMatch(Check::holds);
        out.println(all ? "everything that must hold is held" : "not everything that must hold is held");
        return all ? Verb.DONE : Verb.CHECK_FAILED;
    }
}
