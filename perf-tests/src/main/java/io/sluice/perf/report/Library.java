package io.sluice.perf.report;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A library on the class path, and its version as its own jar tells it.
 *
 * @param name as labels of contestants begin
 * @param version from the jar's {@code pom.properties}, else from its manifest, else from its name
 */
public record Library(String name, String version) {
    private static final Pattern FILE_NAME = Pattern.compile(".*?-(\\d[^/]*)\\.jar");
    private static final List<String> ATTRIBUTES =
            List.of("Implementation-Version", "Bundle-Version", "Specification-Version");

    /** A class of each. Those of the profile {@code peers} may be missing. */
    private static final Map<String, String> CLASSES = classes();

    private static Map<String, String> classes() {
        Map<String, String> classes = new LinkedHashMap<>();
        classes.put("LMAX Disruptor", "com.lmax.disruptor.RingBuffer");
        classes.put("Agrona", "org.agrona.concurrent.Agent");
        classes.put("JCTools", "org.jctools.queues.SpscArrayQueue");
        classes.put("Conversant", "com.conversantmedia.util.concurrent.PushPullConcurrentQueue");
        classes.put("Guava", "com.google.common.util.concurrent.RateLimiter");
        classes.put("Resilience4j", "io.github.resilience4j.ratelimiter.RateLimiterConfig");
        classes.put("Bucket4j", "io.github.bucket4j.Bucket");
        classes.put("Pekko", "org.apache.pekko.actor.ActorSystem");
        classes.put("Reactor", "reactor.core.publisher.Flux");
        classes.put("Log4j", "org.apache.logging.log4j.core.LoggerContext");
        classes.put("HdrHistogram", "org.HdrHistogram.Histogram");
        return classes;
    }

    /**
     * The libraries that labels begin with.
     *
     * @param labels of contestants, or names of libraries
     * @return each library once that is on the class path, in an order of its own
     */
    public static List<Library> of(Collection<String> labels) {
        List<Library> found = new ArrayList<>();
        CLASSES.forEach((name, type) -> {
            if (labels.stream().anyMatch(label -> label.startsWith(name))) {
                String version = version(type);
                if (version != null) {
                    found.add(new Library(name, version));
                }
            }
        });
        return found;
    }

    /** The version of the jar that a class is in; null if there is no such class, or its jar does not tell. */
    static @Nullable String version(String type) {
        try {
            Class<?> found = Class.forName(type, false, Library.class.getClassLoader());
            CodeSource source = found.getProtectionDomain().getCodeSource();
            Path jar = source == null ? null : Path.of(source.getLocation().toURI());
            return jar == null || !jar.toString().endsWith(".jar") ? null : version(jar);
        } catch (ClassNotFoundException | URISyntaxException | IOException e) {
            return null;
        }
    }

    private static @Nullable String version(Path path) throws IOException {
        String file = String.valueOf(path.getFileName());
        try (JarFile jar = new JarFile(path.toFile())) {
            for (JarEntry entry : jar.stream().toList()) {
                if (entry.getName().matches("META-INF/maven/.*/pom\\.properties")) {
                    Properties build = new Properties();
                    try (InputStream in = jar.getInputStream(entry)) {
                        build.load(in);
                    }
                    // a jar may hold others that were shaded into it
                    if (file.startsWith(build.getProperty("artifactId", "?") + "-")) {
                        return build.getProperty("version");
                    }
                }
            }
            if (jar.getManifest() != null) {
                for (String attribute : ATTRIBUTES) {
                    String version = jar.getManifest().getMainAttributes().getValue(attribute);
                    if (version != null) {
                        return version;
                    }
                }
            }
        }
        Matcher name = FILE_NAME.matcher(file);
        return name.matches() ? name.group(1) : null;
    }
}
