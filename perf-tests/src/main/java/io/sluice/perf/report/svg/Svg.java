package io.sluice.perf.report.svg;

import io.sluice.core.check.Check;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/** Writes one drawing, element by element. Coordinates are pixels of the width it is made for. */
final class Svg {
    /** The width of a letter, in parts of the letters' size: rather too much, so that nothing runs over. */
    private static final double LETTER = 0.66;

    private final StringBuilder out = new StringBuilder();
    private final Deque<String> open = new ArrayDeque<>();

    /** The least width that a plot can be drawn for. */
    private static final int LEAST_WIDTH = 280;

    /** Refuses a drawing that can not be drawn. */
    static void check(int width, String label, boolean empty) {
        Check.inRange(width, LEAST_WIDTH, Integer.MAX_VALUE, "width");
        if (empty) {
            throw new IllegalStateException("svg() must come when something was added, but '" + label + "' is empty");
        }
    }

    /**
     * Begins a drawing.
     *
     * @param width in pixels
     * @param height in pixels
     * @param kind a class for tests and style: what kind of drawing it is
     * @param label what is to be seen, for those who can not see it
     */
    Svg(double width, double height, String kind, String label) {
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot ")
                .append(kind)
                .append("\" role=\"img\" width=\"")
                .append(number(width))
                .append("\" height=\"")
                .append(number(height))
                .append("\" viewBox=\"0 0 ")
                .append(number(width))
                .append(' ')
                .append(number(height))
                .append("\" aria-label=\"")
                .append(Xml.escape(label))
                .append("\">\n");
        open.push("svg");
    }

    /** The style sheet, for a file of its own. */
    Svg style() {
        out.append("<style>\n").append(Style.css()).append("</style>\n");
        return this;
    }

    /** Another drawing, so far below the top. */
    Svg nested(double y, String drawing) {
        out.append("<svg");
        attribute("y", y);
        out.append(drawing, "<svg".length(), drawing.length());
        return this;
    }

    Svg group(String style) {
        out.append("<g class=\"").append(style).append("\">\n");
        open.push("g");
        return this;
    }

    Svg end() {
        out.append("</").append(open.pop()).append(">\n");
        return this;
    }

    Svg rectangle(String style, double x, double y, double width, double height, String hint) {
        out.append("<rect class=\"").append(style).append('"');
        attribute("x", x);
        attribute("y", y);
        attribute("width", width);
        attribute("height", height);
        return hinted("rect", hint);
    }

    /** A rectangle whose colour is as strong as {@code ink} says, 0 to 1. */
    Svg shaded(String style, double ink, double x, double y, double width, double height, String hint) {
        return rectangle(style + "\" fill-opacity=\"" + number(ink), x, y, width, height, hint);
    }

    Svg line(String style, double x1, double y1, double x2, double y2) {
        out.append("<line class=\"").append(style).append('"');
        attribute("x1", x1);
        attribute("y1", y1);
        attribute("x2", x2);
        attribute("y2", y2);
        out.append("/>\n");
        return this;
    }

    Svg path(String style, String commands, String hint) {
        out.append("<path class=\"")
                .append(style)
                .append("\" d=\"")
                .append(commands)
                .append('"');
        return hinted("path", hint);
    }

    /** A text; its anchor is {@code start}, {@code middle} or {@code end}. */
    Svg text(String style, double x, double y, String anchor, String text) {
        out.append("<text class=\"").append(style).append('"');
        attribute("x", x);
        attribute("y", y);
        out.append(" text-anchor=\"")
                .append(anchor)
                .append("\">")
                .append(Xml.escape(text))
                .append("</text>\n");
        return this;
    }

    /** The finished drawing. */
    String finish() {
        end();
        if (!open.isEmpty()) {
            throw new IllegalStateException("finish() must come when each group is ended, but open are " + open);
        }
        return out.toString();
    }

    private void attribute(String name, double value) {
        out.append(' ').append(name).append("=\"").append(number(value)).append('"');
    }

    private Svg hinted(String element, String hint) {
        if (hint.isEmpty()) {
            out.append("/>\n");
        } else {
            out.append("><title>")
                    .append(Xml.escape(hint))
                    .append("</title></")
                    .append(element)
                    .append(">\n");
        }
        return this;
    }

    /** The greatest width of a text, in pixels. */
    static double width(String text) {
        return text.length() * LETTER * Style.LETTERS;
    }

    /** The text, cut so that it fits into so many pixels. */
    static String fitted(String text, double pixels) {
        if (width(text) <= pixels) {
            return text;
        }
        int letters = Math.max(1, (int) (pixels / (LETTER * Style.LETTERS)) - 1);
        return text.substring(0, Math.min(letters, text.length())) + "\u2026";
    }

    static String number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("coordinate must be a finite number, but was " + value);
        }
        String text = String.format(Locale.ROOT, "%.2f", value);
        String shorter = text.replaceFirst("\\.?0+$", "");
        return shorter.equals("-0") ? "0" : shorter;
    }
}
