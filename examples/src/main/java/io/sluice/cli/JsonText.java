package io.sluice.cli;

import java.util.Locale;

/** Text as JSON has it (RFC 8259). */
public final class JsonText {
    private JsonText() {}

    /**
     * Appends a text in its quotation marks, with what must be escaped.
     *
     * @param out where to
     * @param text any text
     */
    public static void append(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                // A surrogate is escaped too, since one without its partner has no bytes in UTF-8.
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
