package io.sluice.perf.report;

import io.sluice.perf.report.svg.Style;
import java.util.List;
import java.util.function.IntFunction;

/**
 * A page of HTML in one file, without a script and without anything to load: written so that it is well-formed XML too. Plots
 * are drawn twice, for a phone and for a desk; the style sheet shows one of them. Made by one thread.
 */
public final class Page {
    private static final int NARROW = 328;
    private static final int WIDE = 840;

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
        out.append("<title>").append(escape(title)).append("</title>\n<style>\n");
        out.append(Style.css());
        out.append("""
                body { margin: 0 auto; padding: 16px; max-width: 856px; background: var(--ground); color: var(--ink);
                  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
                h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
                h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 0.5rem; border-top: 1px solid var(--grid);
                  padding-top: 1rem; }
                h3 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
                p { margin: 0.5rem 0; }
                code { font: 0.9em ui-monospace, monospace; }
                figure { margin: 1rem 0; }
                figcaption { color: var(--soft); font-size: 0.875rem; }
                figure svg { display: block; max-width: 100%; height: auto; }
                .narrow { display: none; }
                .table { overflow-x: auto; margin: 0.75rem 0; }
                table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
                th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--grid);
                  vertical-align: top; overflow-wrap: normal; }
                th { color: var(--soft); font-weight: 600; }
                td.number, th.number { text-align: right; white-space: nowrap; }
                .good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
                @media (max-width: 871px) { .wide { display: none; } .narrow { display: block; } }
                @media print { body { max-width: none; } }
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
        if (level < 1 || level > 3) {
            throw new IllegalArgumentException("level " + level + ": allowed is 1 to 3");
        }
        out.append("<h" + level + ">").append(escape(text)).append("</h" + level + ">\n");
        return this;
    }

    /**
     * Adds a paragraph.
     *
     * @param text what it says
     * @return this
     */
    public Page paragraph(String text) {
        out.append("<p>").append(escape(text)).append("</p>\n");
        return this;
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
                .append(escape(before))
                .append("<code>")
                .append(escape(command))
                .append("</code></p>\n");
        return this;
    }

    /**
     * A cell of a table.
     *
     * @param text what stands in it
     * @param style {@code number}, {@code good}, {@code bad} or nothing
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
     * Adds a table. On a narrow screen it is moved sideways by itself, not the page.
     *
     * @param head the first line
     * @param rows the other lines, as many cells each
     * @return this
     */
    public Page table(List<Cell> head, List<List<Cell>> rows) {
        out.append("<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"table\">\n<table>\n<thead>");
        line("th", head);
        out.append("</thead>\n<tbody>\n");
        for (List<Cell> row : rows) {
            if (row.size() != head.size()) {
                throw new IllegalArgumentException("a line of " + row.size() + " cells below " + head.size());
            }
            line("td", row);
        }
        out.append("</tbody>\n</table>\n</div>\n");
        return this;
    }

    private void line(String element, List<Cell> cells) {
        out.append("<tr>");
        for (Cell cell : cells) {
            out.append('<').append(element);
            if (!cell.style.isEmpty()) {
                out.append(" class=\"").append(cell.style).append('"');
            }
            out.append('>')
                    .append(escape(cell.text))
                    .append("</")
                    .append(element)
                    .append('>');
        }
        out.append("</tr>\n");
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
                .append(escape(caption))
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

    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                default -> escaped.append(c < ' ' && c != '\n' && c != '\t' ? ' ' : c);
            }
        }
        return escaped.toString();
    }
}
