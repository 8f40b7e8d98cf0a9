package io.sluice.perf.batching;

import io.sluice.perf.report.Page;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A table, for the terminal and for a page: the first column to the left, the others to the right.
 *
 * @param title above it
 * @param head the columns' names
 * @param rows the cells
 */
public record Table(String title, List<String> head, List<List<String>> rows) {
    /** A first cell that is longer is a sentence, and may have several lines. */
    private static final int SENTENCE = 60;

    /**
     * Prints it.
     *
     * @param out where to
     */
    public void print(PrintStream out) {
        int[] widths = new int[head.size()];
        List<List<String>> all = new ArrayList<>();
        all.add(head);
        all.addAll(rows);
        for (List<String> row : all) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        out.println();
        out.println(title);
        for (List<String> row : all) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String gap = " ".repeat(widths[i] - row.get(i).length());
                line.append("  ").append(i == 0 ? row.get(i) + gap : gap + row.get(i));
            }
            out.println(line.toString().stripTrailing());
        }
    }

    /**
     * Adds it to a page.
     *
     * @param page where to
     */
    public void addTo(Page page) {
        page.table(title, cells(head), rows.stream().map(Table::cells).toList());
    }

    private static List<Page.Cell> cells(List<String> line) {
        return IntStream.range(0, line.size())
                .mapToObj(i -> i == 0 ? first(line.get(i)) : Page.Cell.number(line.get(i)))
                .toList();
    }

    private static Page.Cell first(String text) {
        return text.length() > SENTENCE ? new Page.Cell(text, "long") : Page.Cell.of(text);
    }
}
