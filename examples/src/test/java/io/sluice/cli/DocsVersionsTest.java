package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Versions that the documentation states are those of the poms. A number of fewer parts, such as {@code 4} for 4.0.0, is one too. */
@Tag("once")
class DocsVersionsTest {
    private static final Pattern PROPERTY = Pattern.compile("<([\\w.]+)>([^<>]*)</\\1>");
    private static final Pattern ARTIFACT = Pattern.compile(
            "<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern VERSION_FIRST = Pattern.compile(
            "(<version>[^<]+</version>)\\s*(<groupId>[^<]+</groupId>\\s*<artifactId>[^<]+</artifactId>)");
    private static final Pattern STATED = Pattern.compile("`([\\w.-]+:[\\w.-]+)`(?:[\\s|(]+(\\d+\\.[\\w.-]*\\w))?");

    /** Names in prose, and the artifact that each stands for. */
    private static final Map<String, String> NAMES = Map.of(
            "LMAX Disruptor", "com.lmax:disruptor",
            "Agrona", "org.agrona:agrona",
            "JCTools", "org.jctools:jctools-core",
            "Guava", "com.google.guava:guava",
            "Resilience4j", "io.github.resilience4j:resilience4j-ratelimiter",
            "Bucket4j", "com.bucket4j:bucket4j_jdk17-core",
            "Pekko", "org.apache.pekko:pekko-stream_2.13",
            "Reactor", "io.projectreactor:reactor-core",
            "HdrHistogram", "org.hdrhistogram:HdrHistogram",
            "Micrometer", "io.micrometer:micrometer-core");

    private final Path root = Repository.root();

    @Test
    void artifactsHaveTheVersionsOfThePoms() {
        Map<String, String> versions = versions();
        List<String> stated = new ArrayList<>();
        for (String page : List.of("README.md", "docs/dependencies.md", "docs/benchmarks.md")) {
            Matcher matcher = STATED.matcher(Repository.read(root.resolve(page)));
            while (matcher.find()) {
                assertThat(versions).as(page).containsKey(matcher.group(1));
                if (matcher.group(2) != null) {
                    stated.add(matcher.group(1));
                    assertThat(matcher.group(2))
                            .as(page + ", " + matcher.group(1))
                            .isEqualTo(versions.get(matcher.group(1)));
                }
            }
        }
        assertThat(stated)
                .as("the pattern finds what is stated")
                .contains("org.agrona:agrona", "com.google.guava:guava", "io.projectreactor:reactor-core")
                .hasSizeGreaterThan(10);
    }

    @Test
    void namesHaveTheVersionsOfThePoms() {
        Map<String, String> versions = versions();
        for (String page : List.of(
                "README.md",
                "docs/dependencies.md",
                "docs/benchmarks.md",
                "docs/performance.md",
                "docs/notes/ring-compared.md")) {
            String text = Repository.read(root.resolve(page));
            NAMES.forEach((name, artifact) -> {
                Matcher matcher =
                        Pattern.compile("\\b" + name + " (\\d+(?:\\.\\d+)*)\\b").matcher(text);
                while (matcher.find()) {
                    assertThat(versions.get(artifact) + ".")
                            .as(page + ", " + matcher.group())
                            .startsWith(matcher.group(1) + ".");
                }
            });
        }
    }

    /** These pages also name older versions, of which the poms have an artifact too. */
    @Test
    void pagesOfIntegrationsStateVersionsOfThePoms() {
        Map<String, List<String>> versions = allVersions();
        Map<String, String> names = new HashMap<>(NAMES);
        names.put("Disruptor", "com.lmax:disruptor");
        names.put("Aeron", "io.aeron:aeron-client");
        names.put("log4j-core", "org.apache.logging.log4j:log4j-core");
        List<String> stated = new ArrayList<>();
        for (String page : List.of(
                "docs/aeron.md", "docs/drop-in.md", "docs/overload.md", "docs/using.md", "docs/monitoring.md")) {
            String text = Repository.read(root.resolve(page));
            names.forEach((name, artifact) -> {
                Matcher matcher = Pattern.compile("\\b" + name + " (\\d+(?:\\.\\d+)+)\\b(?! %)")
                        .matcher(text);
                while (matcher.find()) {
                    stated.add(matcher.group());
                    assertThat(versions.get(artifact))
                            .as(page + ", " + matcher.group())
                            .anySatisfy(version -> assertThat(version + ".").startsWith(matcher.group(1) + "."));
                }
            });
        }
        assertThat(stated).contains("Aeron 1.51", "Agrona 2.4.1", "LMAX Disruptor 4.0.0", "log4j-core 2.17.2");
    }

    @Test
    void theReadmeTellsToTakeThisVersionAndThisJdk() {
        String readme = Repository.read(root.resolve("README.md"));
        Map<String, String> properties = properties(Repository.read(root.resolve("pom.xml")));
        Matcher own = ARTIFACT.matcher(readme);
        assertThat(own.find()).isTrue();
        assertThat(own.group(3)).isEqualTo(versions().get("io.sluice:sluice-parent"));
        assertThat(readme).contains("JDK " + properties.get("maven.compiler.release") + " and newer");
        assertThat(readme).doesNotContain("JDK 17 only");
    }

    /** The version of each artifact that a pom names with one; the parent's where several do. */
    private Map<String, String> versions() {
        Map<String, String> versions = new HashMap<>();
        allVersions().forEach((artifact, all) -> versions.put(artifact, all.get(0)));
        return versions;
    }

    /** The versions of each artifact, those of the parent first. */
    private Map<String, List<String>> allVersions() {
        String parent = Repository.read(root.resolve("pom.xml"));
        Map<String, List<String>> versions = new HashMap<>();
        List<Path> files = new ArrayList<>(List.of(root.resolve("pom.xml")));
        files.addAll(Repository.files());
        for (Path file : files) {
            if (file.endsWith("pom.xml")) {
                String pom = Repository.read(file);
                Map<String, String> properties = properties(parent);
                properties.putAll(properties(pom));
                Matcher artifact = ARTIFACT.matcher(VERSION_FIRST.matcher(pom).replaceAll("$2$1"));
                while (artifact.find()) {
                    String version = artifact.group(3);
                    if (version.startsWith("${")) {
                        version = properties.getOrDefault(version.substring(2, version.length() - 1), version);
                    }
                    if (!version.startsWith("${")) {
                        versions.computeIfAbsent(artifact.group(1) + ":" + artifact.group(2), key -> new ArrayList<>())
                                .add(version);
                    }
                }
            }
        }
        return versions;
    }

    private static Map<String, String> properties(String pom) {
        Map<String, String> properties = new HashMap<>();
        Matcher property = PROPERTY.matcher(pom);
        while (property.find()) {
            properties.putIfAbsent(property.group(1), property.group(2));
        }
        return properties;
    }
}
