package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Reports name the versions that are on the class path, which are those of the pom. */
class LibraryTest {
    private static final Map<String, String> PROPERTIES = Map.of(
            "LMAX Disruptor", "disruptor.version",
            "Agrona", "agrona.version",
            "JCTools", "jctools.version",
            "Conversant", "conversant.version",
            "Guava", "guava.version",
            "Resilience4j", "resilience4j.version",
            "Bucket4j", "bucket4j.version",
            "HdrHistogram", "hdrhistogram.version");

    @Test
    void versionsAreThoseOfThePom() throws IOException {
        String pom = Files.readString(Path.of("").toAbsolutePath().resolveSibling("pom.xml"));
        List<Library> all = Library.of(PROPERTIES.keySet());
        assertThat(all).extracting(Library::name).containsExactlyInAnyOrderElementsOf(PROPERTIES.keySet());
        for (Library library : all) {
            String property = PROPERTIES.get(library.name());
            Matcher version = Pattern.compile("<" + property + ">(.+?)</").matcher(pom);
            assertThat(version.find()).as(property).isTrue();
            assertThat(library.version()).as(library.name()).isEqualTo(version.group(1));
        }
    }

    @Test
    void onlyThoseAreNamedThatTookPart() {
        assertThat(Library.of(List.of("JCTools SpscArrayQueue", "Sluice SINGLE", "ArrayBlockingQueue", "no Guava")))
                .extracting(Library::name)
                .containsExactly("JCTools");
        assertThat(Library.of(List.of("Pekko mapAsync")))
                .as("of a profile that is off")
                .hasSizeLessThan(2);
        assertThat(Library.version("no.such.Type")).isNull();
        assertThat(Library.version("java.lang.String")).isNull();
    }
}
