package io.sluice.perf.report;

import io.sluice.perf.report.Page.Cell;
import java.io.PrintStream;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The head of every report: its summary, and the machine that it was measured on. */
public final class Head {
    /** The note on a short run. */
    public static final Map<String, String> QUICK =
            Map.of("figures", "A quick run: its figures are for looking at only.");

    private Head() {}

    /**
     * The time, for the date of a report.
     *
     * @return to the second, with its offset from UTC
     */
    public static String now() {
        return OffsetDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
    }

    /**
     * Prints the facts that are known before the measurement.
     *
     * @param machine what is measured on
     * @param out where to
     */
    public static void print(Machine machine, PrintStream out) {
        machine.facts().forEach((name, fact) -> out.println(name + ": " + fact));
    }

    /**
     * Writes the head of a page.
     *
     * @param page has its title already
     * @param complete whether all that was asked for was measured
     * @param summary what it says in short
     * @param date when it began
     * @param machine what it was measured on
     * @param more further facts
     */
    public static void write(
            Page page, boolean complete, String summary, String date, Machine machine, Map<String, String> more) {
        page.summary(summary);
        if (!complete) {
            page.paragraph("Stopped before its end: what follows is what there was by then.");
        }
        page.command("Command: ", machine.command());
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", date);
        facts.putAll(machine.facts());
        facts.putAll(more);
        page.table(
                "",
                List.of(Cell.of("measured on"), Cell.of("")),
                facts.entrySet().stream()
                        .map(fact -> List.of(Cell.of(fact.getKey()), new Cell(fact.getValue(), "long")))
                        .toList());
    }
}
