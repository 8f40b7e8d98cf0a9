package io.sluice.examples.stat;

import io.aeron.CncFileDescriptor;
import io.aeron.exceptions.AeronException;
import io.sluice.cli.JsonText;
import io.sluice.cli.UsageException;
import java.io.File;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/** The counters of a media driver and its clients, read from its directory. Those that are 0 are left out. */
final class AeronCounters implements AutoCloseable {
    private static final int LABEL = FiguresTable.WIDTH - 25;

    private final Path directory;
    private final MappedByteBuffer file;
    private final CountersReader counters;

    private AeronCounters(Path directory, MappedByteBuffer file) {
        this.directory = directory;
        this.file = file;
        UnsafeBuffer header = CncFileDescriptor.createMetaDataBuffer(file);
        CncFileDescriptor.checkVersion(header.getIntVolatile(CncFileDescriptor.cncVersionOffset(0)));
        counters = new CountersReader(
                CncFileDescriptor.createCountersMetaDataBuffer(file, header),
                CncFileDescriptor.createCountersValuesBuffer(file, header));
    }

    /** Opens the counters of a driver that runs, or has run. */
    static AeronCounters open(String directory) throws UsageException {
        File cnc = new File(directory, CncFileDescriptor.CNC_FILE);
        if (!cnc.isFile() || cnc.length() < CncFileDescriptor.META_DATA_LENGTH) {
            throw new UsageException(
                    "DIR must be the directory of a media driver, but '" + directory + "' holds no counters of one");
        }
        MappedByteBuffer mapped = IoUtil.mapExistingFile(cnc, "counters of a media driver");
        try {
            return new AeronCounters(Path.of(directory), mapped);
        } catch (AeronException | IllegalArgumentException | IndexOutOfBoundsException e) {
            BufferUtil.free(mapped);
            throw new UsageException("DIR must be the directory of a media driver of Aeron 1.51, but '" + directory
                    + "' cannot be read as one: " + e.getMessage());
        }
    }

    /** A line for each counter. */
    String text() {
        StringBuilder out = new StringBuilder();
        out.append("aeron ").append(directory).append('\n');
        counters.forEach((value, id, label) -> {
            if (value != 0) {
                String shown = label.length() <= LABEL ? label : label.substring(0, LABEL - 1) + "…";
                out.append(String.format(Locale.ROOT, "  %20d  %s%n", value, shown));
            }
        });
        return out.toString().replace(System.lineSeparator(), "\n");
    }

    /** An array of JSON. */
    String json() {
        StringBuilder out = new StringBuilder("[");
        counters.forEach((value, id, label) -> {
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
        BufferUtil.free(file);
    }
}
