package io.sluice.examples.demo;

import io.sluice.cli.JsonText;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes values as JSON (RFC 8259), indented: maps with text keys, text, numbers, booleans and null. */
final class Json {
    private Json() {}

    /** The text of a value, with a line feed at the end. */
    static String text(Map<String, ?> object) {
        StringBuilder out = new StringBuilder();
        append(out, object, "");
        return out.append('\n').toString();
    }

    private static void append(StringBuilder out, @Nullable Object value, String indent) {
        if (value instanceof Map<?, ?> object) {
            appendObject(out, object, indent);
        } else if (value instanceof String text) {
            JsonText.append(out, text);
        } else if (value == null || value instanceof Boolean || value instanceof Long || value instanceof Integer) {
            out.append(value);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            out.append(String.format(Locale.ROOT, "%.6f", number));
        } else {
            throw new IllegalArgumentException("no JSON for " + value);
        }
    }

    private static void appendObject(StringBuilder out, Map<?, ?> object, String indent) {
        String inner = indent + "  ";
        String separator = "";
        out.append('{');
        for (Map.Entry<?, ?> entry : object.entrySet()) {
            out.append(separator).append('\n').append(inner);
            JsonText.append(out, String.valueOf(entry.getKey()));
            out.append(": ");
            append(out, entry.getValue(), inner);
            separator = ",";
        }
        out.append(object.isEmpty() ? "}" : "\n" + indent + "}");
    }
}
