package io.sluice.perf.latency;

import io.sluice.cli.UsageException;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Times;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** Histogram logs for the usual viewers: a file for each contestant, an interval for each of its samples, near or not. */
final class HistogramLogs {
    private HistogramLogs() {}

    static void check(Path folder) throws UsageException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UsageException("--hlog must name a folder, or one that can be made, but was '" + folder + "'");
        }
    }

    /**
     * Writes one.
     *
     * @param folder where to
     * @param name of the file, without its end
     * @param measurement what was found
     * @param contestant whose samples
     * @return the file
     */
    static Path write(Path folder, String name, Measurement measurement, String contestant) throws IOException {
        Path file = folder.resolve(name.replaceAll("[^A-Za-z0-9._@-]+", "-") + ".hlog");
        try (PrintStream out = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
            HistogramLogWriter log = new HistogramLogWriter(out);
            log.outputComment("[" + name + "; values are nanoseconds, maxima milliseconds]");
            log.outputLogFormatVersion();
            boolean begun = false;
            for (Measurement.Sample sample : measurement.samples()) {
                if (sample.contestant().equals(contestant) && !sample.detail().isEmpty()) {
                    Histogram histogram = Times.read(sample.detail());
                    if (!begun) {
                        begun = true;
                        log.outputStartTime(histogram.getStartTimeStamp());
                        log.setBaseTime(histogram.getStartTimeStamp());
                        log.outputLegend();
                    }
                    log.outputIntervalHistogram(histogram);
                }
            }
            if (out.checkError()) {
                throw new IOException(file + " can not be written");
            }
        }
        return file;
    }
}
