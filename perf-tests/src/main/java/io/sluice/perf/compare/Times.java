package io.sluice.perf.compare;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds, and how one travels from a contestant's JVM to the driver in one line. */
public final class Times {
    private static final long MOST = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;

    private Times() {}

    /**
     * An empty one that allocates nothing when it records up to a minute.
     *
     * @return a new histogram
     */
    public static Histogram histogram() {
        return new Histogram(1, MOST, DIGITS);
    }

    /**
     * Adds a time; one beyond the histogram's range counts as the end of the range.
     *
     * @param histogram where to
     * @param nanos the time
     */
    public static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.max(0, Math.min(MOST, nanos)));
    }

    /**
     * Its begin and end, and its values, as words with a space in between.
     *
     * @param histogram of {@link #histogram()}
     * @return one line
     */
    public static String write(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        byte[] used = new byte[length];
        bytes.flip();
        bytes.get(used);
        return histogram.getStartTimeStamp() + " " + histogram.getEndTimeStamp() + " "
                + Base64.getEncoder().encodeToString(used);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param words the line; further figures may stand behind
     * @return the histogram
     * @throws IllegalArgumentException if it is something else
     */
    public static Histogram read(String words) {
        String[] parts = words.split(" ", -1);
        if (parts.length < 3) {
            throw new IllegalArgumentException("words must hold a histogram, but were '" + words + "'");
        }
        try {
            Histogram histogram = Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(parts[2])), MOST);
            histogram.setStartTimeStamp(Long.parseLong(parts[0]));
            histogram.setEndTimeStamp(Long.parseLong(parts[1]));
            return histogram;
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("words must hold a histogram, but were '" + words + "'", e);
        }
    }
}
