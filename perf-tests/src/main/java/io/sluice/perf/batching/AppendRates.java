package io.sluice.perf.batching;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * The journal's append beside a bare loop over a {@link FileChannel}: the same bytes of file, written in blocks of the same
 * size into files that were allocated before, on the same file system, one after the other in each round, and forced once
 * at the end. The bare loop writes the same buffer again and again; the journal copies {@value #RECORD}-byte records and
 * computes their checksums.
 *
 * <p>The encoding loop shows the rate that one thread can reach with that work: it is the bare loop, but copies the same records into each
 * block before it is written, and computes a CRC-32C of each. It has no sequences, times, segments or epochs.
 */
final class AppendRates {
    static final int RECORD = 480; // and 32 bytes of header: 512 in the file
    static final int BLOCK = 1 << 18;

    private static final int FRAME = 512;
    private static final int SLACK = 1 << 20;

    private AppendRates() {}

    /**
     * One round, in bytes of file a second.
     *
     * @param bareWritten the loop, until the last write returned
     * @param bareForced the loop, until all was forced
     * @param encodingWritten the encoding loop, until the last write returned
     * @param encodingForced the encoding loop, until all was forced
     * @param journalWritten the journal, until the last write returned
     * @param journalForced the journal, until all was forced
     */
    record Round(
            double bareWritten,
            double bareForced,
            double encodingWritten,
            double encodingForced,
            double journalWritten,
            double journalForced) {
        double writtenToBare() {
            return journalWritten / bareWritten;
        }

        double forcedToBare() {
            return journalForced / bareForced;
        }

        double writtenToEncoding() {
            return journalWritten / encodingWritten;
        }

        double forcedToEncoding() {
            return journalForced / encodingForced;
        }

        double encodingToBare() {
            return encodingForced / bareForced;
        }
    }

    /** Measures the three, each round beginning with another one. */
    static Round measure(Path folder, long bytes, int round) throws IOException {
        double[][] rates = new double[3][];
        for (int turn = 0; turn < 3; turn++) {
            int which = (turn + round) % 3;
            rates[which] = which == 2
                    ? journal(folder.resolve("journal"), bytes)
                    : loop(folder.resolve("loop"), bytes, which == 1);
        }
        return new Round(rates[0][0], rates[0][1], rates[1][0], rates[1][1], rates[2][0], rates[2][1]);
    }

    private static double[] loop(Path file, long bytes, boolean encodes) throws IOException {
        SequentialIo.allocate(file, bytes + SLACK);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
            while (block.hasRemaining()) {
                block.put((byte) block.position());
            }
            ByteBuffer record = record();
            CRC32C crc = new CRC32C();
            long start = System.nanoTime();
            for (long at = 0; at < bytes; ) {
                if (encodes) {
                    encode(record, block, crc);
                }
                block.clear();
                while (block.hasRemaining()) {
                    at += channel.write(block, at);
                }
            }
            long written = System.nanoTime();
            channel.force(true);
            return rates(bytes, start, written, System.nanoTime());
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static void encode(ByteBuffer record, ByteBuffer block, CRC32C crc) {
        for (int frame = 0; frame < BLOCK; frame += FRAME) {
            block.put(frame + FRAME - RECORD, record, 0, RECORD);
            crc.reset();
            block.limit(frame + FRAME).position(frame + Integer.BYTES);
            crc.update(block);
            block.clear();
            block.putInt(frame, (int) crc.getValue());
        }
    }

    private static ByteBuffer record() {
        ByteBuffer record = ByteBuffer.allocateDirect(RECORD);
        while (record.hasRemaining()) {
            record.put((byte) record.position());
        }
        return record;
    }

    private static double[] journal(Path folder, long bytes) throws IOException {
        JournalConfig config = JournalConfig.defaults()
                .bufferSize(BLOCK + 2 * SequentialIo.PAGE) // two pages are kept free, so it writes BLOCK at a time
                .segmentSize((int) (bytes + SLACK))
                .prepareAhead(false) // there is one segment, and the loops prepare none either
                .durability(Durability.NONE);
        try (Journal journal = Journal.open(folder, config)) {
            ByteBuffer record = record();
            long records = bytes / FRAME;
            long start = System.nanoTime();
            for (long i = 0; i < records; i++) {
                record.putLong(0, i);
                journal.append(record, 0, RECORD);
            }
            journal.endOfBatch();
            long written = System.nanoTime();
            journal.force();
            return rates(records * FRAME, start, written, System.nanoTime());
        } finally {
            Folders.removeJournal(folder);
        }
    }

    private static double[] rates(long bytes, long start, long written, long forced) {
        return new double[] {bytes * 1e9 / (written - start), bytes * 1e9 / (forced - start)};
    }
}
