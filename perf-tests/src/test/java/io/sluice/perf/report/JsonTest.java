package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void whatWasWrittenIsReadAsItWas() {
        Report report = Samples.report(1);
        assertThat(Json.read(Json.write(report))).isEqualTo(report);
    }

    @Test
    void aFigureThatWasNotMeasuredIsLeftOut() {
        assertThat(Json.write(Samples.report(1)))
                .containsPattern("\"rounds\" : 0\\s+}")
                .doesNotContain("\"nearMedian\" : 0.0,", "\"median\" : 0.0,");
    }

    @Test
    void whatIsMissingUnknownOrNullIsRefusedByItsName() {
        String text = Json.write(Samples.report(2));
        assertThatThrownBy(() -> Json.read(text.replaceFirst("\"complete\" : true,", "")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("complete");
        assertThatThrownBy(() -> Json.read(text.replaceFirst("\"complete\"", "\"finished\" : 1, \"complete\"")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("finished");
        assertThatThrownBy(() -> Json.read(text.replaceFirst("\"date\" : \"[^\"]*\"", "\"date\" : null")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("date");
        assertThatThrownBy(() -> Json.read(text + "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Json.read("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void figuresThatCanNotBeAreRefused() {
        assertThatThrownBy(() -> new Spread(3, 1, 2, 1, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ascending");
        assertThatThrownBy(() -> new Spread(3, 1, 1, Double.NaN, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Spread(0, 0, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Spread(-1, 0, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Percentile(100.1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Link.parse("->b")).hasMessageContaining("from->to");
        assertThatThrownBy(() -> Link.parse("a->")).hasMessageContaining("from->to");
        assertThat(Link.parse("a->b")).isEqualTo(new Link("a", "b"));
    }
}
