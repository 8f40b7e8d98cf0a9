package io.sluice.perf.report.svg;

/** Texts in XML, and so in SVG and in well-formed HTML. */
public final class Xml {
    private Xml() {}

    /**
     * Makes a text safe between tags and in attributes.
     *
     * @param text any
     * @return the same with entities, and with blanks for control characters
     */
    public static String escape(String text) {
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
