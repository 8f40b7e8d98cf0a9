package io.sluice.perf.lab;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The amount of memory, and whether it has large pages. */
final class Space {
    private static final Path INFO = Path.of("/proc/meminfo");
    private static final Path TRANSPARENT = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final long KIB = 1024;

    private Space() {}

    /** The bytes that are available by the system's account and within the limit of this container; 0 if the system does not say. */
    static long availableBytes() {
        long total = 0;
        long free = 0;
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            total = system.getTotalMemorySize(); // of the container, where it has a limit
            free = system.getFreeMemorySize();
        }
        return available(lines(INFO), total, free);
    }

    /**
     * The same.
     *
     * @param info lines of {@code /proc/meminfo}
     * @param total what the JVM takes for all memory
     * @param free what the JVM takes for free, without what the system could give back
     */
    static long available(List<String> info, long total, long free) {
        long available = bytes(info, "MemAvailable:");
        boolean limited = total > 0 && total < bytes(info, "MemTotal:");
        return available == 0 ? free : limited ? Math.min(available, free) : available;
    }

    /** The flag by which a JVM takes large pages here for a heap of so many bytes; empty if there are none. */
    static String largePagesFlag(long bytes) {
        return largePagesFlag(lines(INFO), String.join("", lines(TRANSPARENT)), bytes);
    }

    static String largePagesFlag(List<String> info, String transparent, long bytes) {
        long reserved = number(info, "HugePages_Free:") * bytes(info, "Hugepagesize:");
        if (reserved > bytes) {
            return "-XX:+UseLargePages";
        }
        return transparent.contains("[always]") || transparent.contains("[madvise]")
                ? "-XX:+UseTransparentHugePages"
                : "";
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return List.of(); // another system, or not readable
        }
    }

    private static long bytes(List<String> info, String name) {
        return KIB * number(info, name);
    }

    private static long number(List<String> info, String name) {
        for (String line : info) {
            if (line.startsWith(name)) {
                String digits = line.replaceAll("[^0-9]", "");
                return digits.isEmpty() ? 0 : Long.parseLong(digits);
            }
        }
        return 0;
    }
}
