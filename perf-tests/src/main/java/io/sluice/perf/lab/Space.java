package io.sluice.perf.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory there is for tables outside of the heap. */
final class Space {
    private static final Path INFO = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";
    private static final long KIB = 1024;

    private Space() {}

    /** What the system says is available; 0 if it does not say. */
    static long availableBytes() {
        try {
            for (String line : Files.readAllLines(INFO, StandardCharsets.US_ASCII)) {
                if (line.startsWith(AVAILABLE)) {
                    return KIB * Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
        return 0;
    }
}
