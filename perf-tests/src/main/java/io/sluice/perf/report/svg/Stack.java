package io.sluice.perf.report.svg;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Drawings one below the other, each under its title, as a file of its own. Made by one thread. */
public final class Stack {
    private static final Pattern HEIGHT = Pattern.compile(" height=\"([0-9.]+)\"");
    private static final int TITLE = 30;
    private static final int GAP = 14;

    private record Part(String title, String drawing) {
        double height() {
            Matcher height = HEIGHT.matcher(drawing);
            if (!drawing.startsWith("<svg ") || !height.find()) {
                throw new IllegalArgumentException(
                        "drawing must be an <svg> with a height, but '" + title + "' is none");
            }
            return Double.parseDouble(height.group(1));
        }
    }

    private final String label;
    private final List<Part> parts = new ArrayList<>();

    /**
     * Begins a file.
     *
     * @param label what is to be seen, for those who can not see it
     */
    public Stack(String label) {
        this.label = label;
    }

    /**
     * Adds a drawing at the bottom.
     *
     * @param title stands above it
     * @param drawing what another class of this package has drawn
     * @return this
     */
    public Stack add(String title, String drawing) {
        parts.add(new Part(title, drawing));
        return this;
    }

    /**
     * Draws.
     *
     * @param width in pixels: that of the drawings
     * @return SVG with its style sheet in it
     */
    public String svg(int width) {
        double height =
                parts.stream().mapToDouble(part -> TITLE + part.height() + GAP).sum();
        Svg svg = new Svg(width, Math.max(1, height), "stack", label).style();
        double y = 0;
        for (Part part : parts) {
            svg.text("label strong", 2, y + TITLE - 10, "start", Svg.fitted(part.title, width - 4));
            svg.nested(y + TITLE, part.drawing);
            y += TITLE + part.height() + GAP;
        }
        return svg.finish();
    }
}
