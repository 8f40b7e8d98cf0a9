package io.sluice.perf.report;

import io.sluice.core.check.Check;
import io.sluice.perf.report.svg.Style;
import io.sluice.perf.report.svg.Xml;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A page of HTML in one file, without a script and without anything to load: written so that it is well-formed XML too. Plots are drawn
 * twice, for a phone and for a desk; the style sheet shows one of them. On a wide screen the parts in {@link #columns columns} lie side by
 * side; on a phone each line of a table becomes a list. Made by one thread.
 */
public final class Page {
    private static final int NARROW = 328;
    private static final int WIDE = 580;

    /** A table with more takes the whole width. */
    private static final int MOST_COLUMNS = 6;

    private final StringBuilder out = new StringBuilder();

    /**
     * Begins a page.
     *
     * @param title of the page
     */
    public Page(String title) {
        out.append("""
                <!DOCTYPE html>
                <html xmlns="http://www.w3.org/1999/xhtml" lang="en">
                <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
                """);
        out.append("<title>").append(Xml.escape(title)).append("</title>\n<style>\n");
        out.append(Style.css());
        out.append("""
                body { margin: 0; padding: 16px max(16px, 2vw); background: var(--ground); color: var(--ink);
                  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
                h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
                h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 0.5rem; border-top: 1px solid var(--grid);
                  padding-top: 1rem; }
                h3 { font-size: 1rem; margin: 1rem 0 0; }
                p { margin: 0.5rem 0; max-width: 90ch; }
                p.summary { font-size: 1.15rem; font-weight: 600; }
                code { font: 0.9em ui-monospace, monospace; }
                .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 620px), 1fr));
                  gap: 8px 32px; align-items: start; }
                .columns > * { min-width: 0; }
                .columns > p, .columns > h3, .columns > .full { grid-column: 1 / -1; }
                figure { margin: 0.75rem 0; }
                figcaption { color: var(--soft); font-size: 0.875rem; }
                figure svg { display: block; width: 100%; max-width: 760px; height: auto; }
                figure svg.graph { width: auto; max-width: 100%; }
                .narrow { display: none; }
                .table { overflow-x: auto; margin: 0.75rem 0; }
                table { border-collapse: collapse; width: 100%; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
                caption { text-align: left; font-weight: 600; padding: 0 0 4px; }
                th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--grid);
                  vertical-align: top; overflow-wrap: normal; }
                td.long { overflow-wrap: anywhere; }
                th { color: var(--soft); font-weight: 600; }
                td.number, th.number { text-align: right; } td.number { white-space: nowrap; }
                dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0.5rem 0;
                  font-size: 0.875rem; }
                dt { font-weight: 600; } dd { margin: 0; }
                .good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
                @media (max-width: 639px) { .wide { display: none; } .narrow { display: block; }
                  thead { display: none; } table, caption, tbody, tr, td { display: block; }
                  tr { padding: 6px 0; border-bottom: 1px solid var(--grid); }
                  td, td.number { display: flex; justify-content: space-between; gap: 16px; padding: 1px 0; border: 0;
                    text-align: right; white-space: normal; overflow-wrap: anywhere; }
                  td:empty { display: none; }
                  td:first-child { font-weight: 600; text-align: left; }
                  td.long { text-align: left; }
                  td[data-label]::before { content: attr(data-label); color: var(--soft); font-weight: 400;
                    text-align: left; flex: none; max-width: 45%; }
                  dl { display: block; } dt { margin-top: 6px; } }
                </style>
                </head>
                <body>
                """);
        heading(1, title);
    }

    /**
     * Adds a heading.
     *
     * @param level 1 to 3
     * @param text what it says
     * @return this
     */
    public Page heading(int level, String text) {
        Check.inRange(level, 1, 3, "level");
        return element("h" + level, "", text);
    }

    /**
     * Adds a paragraph.
     *
     * @param text what it says
     * @return this
     */
    public Page paragraph(String text) {
        return element("p", "", text);
    }

    /**
     * Adds the summary in one sentence.
     *
     * @param text what it says
     * @return this
     */
    public Page summary(String text) {
        return element("p", "summary", text);
    }

    /**
     * Adds a line of a command.
     *
     * @param before what stands before it
     * @param command the command
     * @return this
     */
    public Page command(String before, String command) {
        out.append("<p>")
                .append(Xml.escape(before))
                .append("<code>")
                .append(Xml.escape(command))
                .append("</code></p>\n");
        return this;
    }

    /**
     * Lays out the parts that are added meanwhile side by side, where there is room.
     *
     * @param parts adds plots and tables to this page
     * @return this
     */
    public Page columns(Runnable parts) {
        out.append("<div class=\"columns\">\n");
        parts.run();
        out.append("</div>\n");
        return this;
    }

    /**
     * Adds words and their meanings.
     *
     * @param words each with its meaning
     * @return this
     */
    public Page glossary(Map<String, String> words) {
        heading(2, "Words");
        out.append("<dl>\n");
        words.forEach((word, meaning) -> {
            element("dt", "", word);
            element("dd", "", meaning);
        });
        out.append("</dl>\n");
        return this;
    }

    /**
     * A cell of a table.
     *
     * @param text what stands in it; empty for a value that was not measured
     * @param style {@code number}, {@code long}, {@code good}, {@code bad} or nothing
     */
    public record Cell(String text, String style) {
        /**
         * Words.
         *
         * @param text what stands in it
         * @return the cell
         */
        public static Cell of(String text) {
            return new Cell(text, "");
        }

        /**
         * A figure, set to the right.
         *
         * @param text what stands in it
         * @return the cell
         */
        public static Cell number(String text) {
            return new Cell(text, "number");
        }
    }

    /**
     * Adds a table. A column without a text below its head is left out.
     *
     * @param caption above it; none if empty
     * @param head the first line
     * @param rows the other lines, as many cells each
     * @return this
     */
    public Page table(String caption, List<Cell> head, List<List<Cell>> rows) {
        for (List<Cell> row : rows) {
            if (row.size() != head.size()) {
                throw new IllegalArgumentException(
                        "each line must have " + head.size() + " cells, as the head, but one has " + row.size());
            }
        }
        int[] shown = IntStream.range(0, head.size())
                .filter(i -> rows.stream().anyMatch(row -> !row.get(i).text.isEmpty()))
                .toArray();
        out.append(shown.length > MOST_COLUMNS ? "<div class=\"table full\">" : "<div class=\"table\">")
                .append("\n<table>\n");
        if (!caption.isEmpty()) {
            element("caption", "", caption);
        }
        out.append("<thead><tr>");
        for (int i : shown) {
            cell("th", head.get(i), "");
        }
        out.append("</tr></thead>\n<tbody>\n");
        for (List<Cell> row : rows) {
            out.append("<tr>");
            for (int i : shown) {
                cell("td", row.get(i), i == 0 ? "" : head.get(i).text);
            }
            out.append("</tr>\n");
        }
        out.append("</tbody>\n</table>\n</div>\n");
        return this;
    }

    private void cell(String element, Cell cell, String label) {
        out.append('<').append(element);
        if (!cell.style.isEmpty()) {
            out.append(" class=\"").append(cell.style).append('"');
        }
        if (!label.isEmpty()) {
            out.append(" data-label=\"").append(Xml.escape(label)).append('"');
        }
        out.append('>')
                .append(Xml.escape(cell.text))
                .append("</")
                .append(element)
                .append('>');
    }

    private Page element(String element, String style, String text) {
        out.append('<')
                .append(element)
                .append(style.isEmpty() ? ">" : " class=\"" + style + "\">")
                .append(Xml.escape(text))
                .append("</")
                .append(element)
                .append(">\n");
        return this;
    }

    /**
     * Adds a plot.
     *
     * @param caption below it
     * @param drawing draws it for a width in pixels
     * @return this
     */
    public Page figure(String caption, IntFunction<String> drawing) {
        out.append("<figure>\n<div class=\"wide\">")
                .append(drawing.apply(WIDE))
                .append("</div>\n<div class=\"narrow\">")
                .append(drawing.apply(NARROW))
                .append("</div>\n<figcaption>")
                .append(Xml.escape(caption))
                .append("</figcaption>\n</figure>\n");
        return this;
    }

    /**
     * The whole page.
     *
     * @return HTML
     */
    public String text() {
        return out + "</body>\n</html>\n";
    }
}
