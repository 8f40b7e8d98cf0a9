package io.sluice.examples.stat;

import io.aeron.CncFileDescriptor;
import io.aeron.exceptions.AeronException;
import io.sluice.cli.JsonText;
import io.sluice.cli.UsageException;
import java.io.File;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Objects;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.jspecify.annotations.Nullable;

/** The counters of a media driver and its clients, read from its directory. Those that are 0 are left out. */
final class AeronCounters implements AutoCloseable {
    private static final int LABEL = FiguresTable.WIDTH - 25;

    /** The file of one driver. */
    private record Mapped(
            @Nullable Object key, MappedByteBuffer file, CountersReader counters, ManyToOneRingBuffer toDriver) {}

    /** As long as clients wait for a driver, unless told otherwise. */
    private static final long SILENT_MILLIS = 10_000;

    private final String directory;
    private Mapped mapped;

    private AeronCounters(String directory, Mapped mapped) {
        this.directory = directory;
        this.mapped = mapped;
    }

    /** Opens the counters of a driver that runs, or has run. */
    static AeronCounters open(String directory) throws UsageException {
        return new AeronCounters(directory, map(directory));
    }

    private static Mapped map(String directory) throws UsageException {
        File cnc = new File(directory, CncFileDescriptor.CNC_FILE);
        if (!cnc.isFile() || cnc.length() < CncFileDescriptor.META_DATA_LENGTH) {
            throw new UsageException(
                    "DIR must be the directory of a media driver, but '" + directory + "' holds no counters of one");
        }
        Object key = key(cnc);
        MappedByteBuffer file = IoUtil.mapExistingFile(cnc, "counters of a media driver");
        try {
            UnsafeBuffer header = CncFileDescriptor.createMetaDataBuffer(file);
            CncFileDescriptor.checkVersion(header.getIntVolatile(CncFileDescriptor.cncVersionOffset(0)));
            CountersReader counters = new CountersReader(
                    CncFileDescriptor.createCountersMetaDataBuffer(file, header),
                    CncFileDescriptor.createCountersValuesBuffer(file, header));
            return new Mapped(
                    key, file, counters, new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(file, header)));
        } catch (AeronException | IllegalArgumentException | IndexOutOfBoundsException e) {
            BufferUtil.free(file);
            throw new UsageException("DIR must be the directory of a media driver of Aeron 1.51, but '" + directory
                    + "' cannot be read as one: " + e.getMessage());
        }
    }

    /** Device and inode; null if the file is not there, or the system has no such key. */
    private static @Nullable Object key(File cnc) {
        try {
            return Files.readAttributes(cnc.toPath(), BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** Goes on to the driver that was started in place of the one before. Whether there is one that can be read. */
    private boolean isThere() {
        File cnc = new File(directory, CncFileDescriptor.CNC_FILE);
        if (cnc.isFile() && Objects.equals(key(cnc), mapped.key)) {
            return true;
        }
        try {
            Mapped next = map(directory);
            BufferUtil.free(mapped.file);
            mapped = next;
            return true;
        } catch (UsageException | IllegalStateException e) {
            return false; // not there, or just being made
        }
    }

    /** A line for each counter. */
    String text() {
        StringBuilder out = new StringBuilder();
        out.append("aeron ").append(directory);
        if (!isThere()) {
            return out.append(", where no driver is now\n").toString();
        }
        long said = mapped.toDriver.consumerHeartbeatTime();
        long silent = System.currentTimeMillis() - said;
        if (said < 0) {
            out.append(", whose driver has ended");
        } else if (silent > SILENT_MILLIS) {
            out.append(String.format(Locale.ROOT, ", whose driver has said nothing for %,d s", silent / 1_000));
        }
        out.append('\n');
        mapped.counters.forEach((value, id, label) -> {
            if (value != 0) {
                String shown = label.length() <= LABEL ? label : label.substring(0, LABEL - 1) + "…";
                out.append(String.format(Locale.ROOT, "  %20d  %s%n", value, shown));
            }
        });
        return out.toString().replace(System.lineSeparator(), "\n");
    }

    /** An array of JSON. */
    String json() {
        if (!isThere()) {
            return "[]";
        }
        StringBuilder out = new StringBuilder("[");
        mapped.counters.forEach((value, id, label) -> {
            if (value != 0) {
                out.append(out.length() == 1 ? "{\"label\":" : ",{\"label\":");
                JsonText.append(out, label);
                out.append(",\"value\":").append(value).append('}');
            }
        });
        return out.append(']').toString();
    }

    @Override
    public void close() {
        BufferUtil.free(mapped.file);
    }
}
