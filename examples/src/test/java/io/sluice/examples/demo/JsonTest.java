package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void writesEveryKindOfValue() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("text", "a\"b\\c\nd\u0000\u00e9");
        object.put("surrogate", "\ud83d");
        object.put("int", -1);
        object.put("long", Long.MIN_VALUE);
        object.put("double", 1234.5);
        object.put("boolean", true);
        object.put("null", null);
        object.put("empty", Map.of());
        object.put("object", Map.of("x", 1L));
        assertThat(Json.text(object)).isEqualTo("""
                {
                  "text": "a\\"b\\\\c\\u000ad\\u0000\u00e9",
                  "surrogate": "\\ud83d",
                  "int": -1,
                  "long": -9223372036854775808,
                  "double": 1234.500000,
                  "boolean": true,
                  "null": null,
                  "empty": {},
                  "object": {
                    "x": 1
                  }
                }
                """);
    }

    @Test
    void refusesWhatJsonDoesNotHave() {
        assertThatThrownBy(() -> Json.text(Map.of("x", Double.NaN))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Json.text(Map.of("x", 'c'))).isInstanceOf(IllegalArgumentException.class);
    }
}
