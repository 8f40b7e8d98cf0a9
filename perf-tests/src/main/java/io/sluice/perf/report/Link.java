package io.sluice.perf.report;

/**
 * An arrow of a row's topology: events go this way.
 *
 * @param from the name of a node
 * @param to the name of another
 */
public record Link(String from, String to) {
    private static final String ARROW = "->";

    /**
     * Reads an arrow.
     *
     * @param text such as {@code producer->consumer}
     * @return the arrow
     */
    public static Link parse(String text) {
        int arrow = text.indexOf(ARROW);
        if (arrow < 1 || arrow + ARROW.length() == text.length()) {
            throw new IllegalArgumentException("link must be from->to, but was '" + text + "'");
        }
        return new Link(text.substring(0, arrow), text.substring(arrow + ARROW.length()));
    }
}
