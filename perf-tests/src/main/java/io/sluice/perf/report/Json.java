package io.sluice.perf.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

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

    private Json() {}

    /**
     * Writes.
     *
     * @param report what was measured
     * @return its text, with a line feed at the end
     */
    public static String write(Report report) {
        try {
            return MAPPER.writeValueAsString(report) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a report that can not be written", e);
        }
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
            throw new IllegalStateException("figures that can not be written", e);
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
            return MAPPER.readValue(text, Report.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no report: " + e.getMessage(), e);
        }
    }
}
