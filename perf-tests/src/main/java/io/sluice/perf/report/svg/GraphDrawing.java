package io.sluice.perf.report.svg;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A graph of boxes and arrows, in layers from left to right, or from top to bottom where the width does not suffice. An arrow
 * that leads back to an earlier box is drawn as a bow. Made by one thread.
 */
public final class GraphDrawing {
    private static final int BOX_HEIGHT = 28;
    private static final int GAP = 36;
    private static final int BETWEEN = 14;
    private static final int MARGIN = 6;
    private static final int BOW = 22;

    private record Arrow(String from, String to) {}

    private record Place(double x, double y, double width) {
        double middle() {
            return x + width / 2;
        }

        double right() {
            return x + width;
        }

        double centre() {
            return y + BOX_HEIGHT / 2.0;
        }
    }

    private final String label;
    private final Map<String, List<String>> next = new LinkedHashMap<>();
    private final List<Arrow> arrows = new ArrayList<>();

    /**
     * Begins a drawing.
     *
     * @param label what is to be seen, for those who can not see it
     */
    public GraphDrawing(String label) {
        this.label = label;
    }

    /**
     * Adds an arrow, and its boxes if they are new.
     *
     * @param from the name of a box
     * @param to the name of another
     * @return this
     */
    public GraphDrawing add(String from, String to) {
        next.computeIfAbsent(from, name -> new ArrayList<>()).add(to);
        next.computeIfAbsent(to, name -> new ArrayList<>());
        arrows.add(new Arrow(from, to));
        return this;
    }

    /**
     * Draws.
     *
     * @param width in pixels, 280 or more; the drawing may be narrower
     * @return SVG that needs the style sheet of {@link Style}
     */
    public String svg(int width) {
        Svg.check(width, label, arrows.isEmpty());
        Set<Arrow> back = new HashSet<>();
        Map<String, Integer> layers = layers(back);
        List<List<String>> columns = new ArrayList<>();
        layers.forEach((name, layer) -> {
            while (columns.size() <= layer) {
                columns.add(new ArrayList<>());
            }
            columns.get(layer).add(name);
        });
        Map<String, Place> places = across(columns);
        boolean across = rightmost(places) + MARGIN <= width;
        if (!across) {
            places = down(columns);
        }
        double most = 0;
        for (Place place : places.values()) {
            most = Math.max(most, place.y + BOX_HEIGHT);
        }
        double bows = back.isEmpty() ? 0 : BOW;
        Svg svg = new Svg(
                rightmost(places) + MARGIN + (across ? 0 : bows), most + MARGIN + (across ? bows : 0), "graph", label);
        for (Arrow arrow : arrows) {
            draw(svg, arrow, places, back.contains(arrow), across);
        }
        places.forEach((name, place) -> {
            svg.rectangle("node mark", place.x, place.y, place.width, BOX_HEIGHT, "");
            svg.text("label", place.middle(), place.centre() + 4, "middle", name);
        });
        return svg.finish();
    }

    /** The layer of each box: one behind the last of those that point to it. Fills in the arrows that lead back. */
    private Map<String, Integer> layers(Set<Arrow> back) {
        Set<String> done = new HashSet<>();
        for (String name : next.keySet()) {
            findBack(name, new HashSet<>(), done, back);
        }
        Map<String, Integer> layers = new LinkedHashMap<>();
        next.keySet().forEach(name -> layers.put(name, 0));
        for (int i = 0; i < next.size(); i++) { // at most so many layers
            for (Arrow arrow : arrows) {
                if (!back.contains(arrow)) {
                    layers.merge(arrow.to, layers.getOrDefault(arrow.from, 0) + 1, Math::max);
                }
            }
        }
        return layers;
    }

    private void findBack(String name, Set<String> path, Set<String> done, Set<Arrow> back) {
        if (!done.add(name)) {
            return;
        }
        path.add(name);
        for (String to : next.getOrDefault(name, List.of())) {
            if (path.contains(to)) {
                back.add(new Arrow(name, to));
            } else {
                findBack(to, path, done, back);
            }
        }
        path.remove(name);
    }

    private static double boxWidth(String name) {
        return Svg.width(name) + 20;
    }

    private static Map<String, Place> across(List<List<String>> columns) {
        int most = columns.stream().mapToInt(List::size).max().orElse(1);
        double full = most * BOX_HEIGHT + (most - 1) * BETWEEN;
        Map<String, Place> places = new LinkedHashMap<>();
        double x = MARGIN;
        for (List<String> column : columns) {
            double widest =
                    column.stream().mapToDouble(GraphDrawing::boxWidth).max().orElse(0);
            double y = MARGIN + (full - column.size() * BOX_HEIGHT - (column.size() - 1) * BETWEEN) / 2;
            for (String name : column) {
                places.put(name, new Place(x, y, widest));
                y += BOX_HEIGHT + BETWEEN;
            }
            x += widest + GAP;
        }
        return places;
    }

    private static Map<String, Place> down(List<List<String>> rows) {
        double full = 0;
        for (List<String> row : rows) {
            full = Math.max(full, rowWidth(row));
        }
        Map<String, Place> places = new LinkedHashMap<>();
        double y = MARGIN;
        for (List<String> row : rows) {
            double x = MARGIN + (full - rowWidth(row)) / 2;
            for (String name : row) {
                places.put(name, new Place(x, y, boxWidth(name)));
                x += boxWidth(name) + BETWEEN;
            }
            y += BOX_HEIGHT + GAP;
        }
        return places;
    }

    private static double rowWidth(List<String> row) {
        return row.stream().mapToDouble(GraphDrawing::boxWidth).sum() + (row.size() - 1) * BETWEEN;
    }

    private static double rightmost(Map<String, Place> places) {
        return places.values().stream().mapToDouble(Place::right).max().orElse(0);
    }

    private static Place place(Map<String, Place> places, String name) {
        Place place = places.get(name);
        if (place == null) {
            throw new IllegalStateException("no box " + name);
        }
        return place;
    }

    private static void draw(Svg svg, Arrow arrow, Map<String, Place> places, boolean back, boolean across) {
        Place from = place(places, arrow.from);
        Place to = place(places, arrow.to);
        String hint = arrow.from + " to " + arrow.to;
        if (back && across) {
            double bottom = Math.max(from.y, to.y) + BOX_HEIGHT + BOW * 1.1;
            svg.path(
                    "arrow mark",
                    "M" + at(from.middle(), from.y + BOX_HEIGHT) + "C" + at(from.middle(), bottom) + " "
                            + at(to.middle(), bottom) + " " + at(to.middle(), to.y + BOX_HEIGHT + 7),
                    hint);
            head(svg, to.middle(), to.y + BOX_HEIGHT, 0, -1);
        } else if (back) {
            double right = Math.max(from.right(), to.right()) + BOW * 1.1;
            svg.path(
                    "arrow mark",
                    "M" + at(from.right(), from.centre()) + "C" + at(right, from.centre()) + " "
                            + at(right, to.centre()) + " " + at(to.right() + 7, to.centre()),
                    hint);
            head(svg, to.right(), to.centre(), -1, 0);
        } else if (across) {
            double half = (from.right() + to.x) / 2;
            svg.path(
                    "arrow mark",
                    "M" + at(from.right(), from.centre()) + "C" + at(half, from.centre()) + " " + at(half, to.centre())
                            + " " + at(to.x - 7, to.centre()),
                    hint);
            head(svg, to.x, to.centre(), 1, 0);
        } else {
            double half = (from.y + BOX_HEIGHT + to.y) / 2;
            svg.path(
                    "arrow mark",
                    "M" + at(from.middle(), from.y + BOX_HEIGHT) + "C" + at(from.middle(), half) + " "
                            + at(to.middle(), half) + " " + at(to.middle(), to.y - 7),
                    hint);
            head(svg, to.middle(), to.y, 0, 1);
        }
    }

    private static String at(double x, double y) {
        return Svg.number(x) + " " + Svg.number(y);
    }

    /** The head of an arrow that ends there and points to (dx, dy). */
    private static void head(Svg svg, double x, double y, int dx, int dy) {
        double backX = x - dx * 8;
        double backY = y - dy * 8;
        svg.path(
                "head",
                "M" + at(x, y) + "L" + at(backX + dy * 4, backY + dx * 4) + "L" + at(backX - dy * 4, backY - dx * 4)
                        + "Z",
                "");
    }
}
