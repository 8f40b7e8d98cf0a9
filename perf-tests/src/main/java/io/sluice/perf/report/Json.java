package io.sluice.perf.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.BiConsumer;

/** Reports as JSON: one object, named as the records are. */
public final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Figures that are 0 where nothing was measured: then they are left out. The first of each list is in its object in any case. */
    private static final List<List<String>> UNMEASURED =
            List.of(List.of("rounds", "jvms", "lower", "median", "upper"), List.of("modes", "nearMedian", "hopNanos"));

    private Json() {}

    /** Changes each object that has figures which may be left out. */
    private static void each(JsonNode node, BiConsumer<ObjectNode, String> change) {
        if (node instanceof ObjectNode object) {
            for (List<String> names : UNMEASURED) {
                if (object.has(names.get(0))) {
                    names.subList(1, names.size()).forEach(name -> change.accept(object, name));
                }
            }
        }
        node.forEach(child -> each(child, change));
    }

    /**
     * Writes. A figure that was not measured is left out.
     *
     * @param report what was measured
     * @return its text, with a line feed at the end
     */
    public static String write(Report report) {
        JsonNode tree = MAPPER.valueToTree(report);
        each(tree, (object, name) -> {
            if (object.path(name).asDouble() == 0) {
                object.remove(name);
            }
        });
        return text(tree);
    }

    /**
     * Writes the figures of another measurement.
     *
     * @param figures records of figures
     * @return their text, with a line feed at the end
     */
    public static String text(Object figures) {
        try {
            return MAPPER.writeValueAsString(figures) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the figures can not be written as JSON", e);
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param text JSON
     * @return the report
     * @throws IllegalArgumentException if it is none: the message says where and why
     */
    public static Report read(String text) {
        try {
            JsonNode tree = MAPPER.readValue(text, JsonNode.class);
            each(tree, (object, name) -> {
                if (!object.has(name)) {
                    object.put(name, 0.0);
                }
            });
            return MAPPER.treeToValue(tree, Report.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("text must be a report as JSON, but " + e.getMessage(), e);
        }
    }
}
