package io.sluice.backpressure.rate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

class LimiterPaddingTest {
    private static final int DISTANCE = 128;

    @Test
    void theCountStandsAloneOnItsCacheLines() {
        ClassLayout layout = ClassLayout.parseClass(MultiWriterLimiter.class);
        List<FieldLayout> fields =
                StreamSupport.stream(layout.fields().spliterator(), false).toList();
        FieldLayout count = fields.stream()
                .filter(field -> field.name().equals("count"))
                .findFirst()
                .orElseThrow();
        assertThat(fields)
                .filteredOn(field -> !field.name().matches("count|[pq][0-9]+"))
                .isNotEmpty()
                .allMatch(field -> Math.abs(field.offset() - count.offset()) >= DISTANCE, "far from the count");
        assertThat(layout.instanceSize() - count.offset()).isGreaterThanOrEqualTo(DISTANCE);
    }
}
