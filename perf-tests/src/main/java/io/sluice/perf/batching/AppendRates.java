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

/**
 * The journal's append beside a bare loop over a {@link FileChannel}: the same bytes of file, written in blocks of the same
 * size into files that were allocated before, on the same file system, one after the other in each round, and forced once
 * at the end. The loop writes the same buffer again and again; the journal copies {@value #RECORD}-byte records and computes
 * their checksums.
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
     * @param journalWritten the journal, until the last write returned
     * @param journalForced the journal, until all was forced
     */
    record Round(double bareWritten, double bareForced, double journalWritten, double journalForced) {
        double writtenRatio() {
            return journalWritten / bareWritten;
        }

        double forcedRatio() {
            return journalForced / bareForced;
        }
    }

    /** Measures both, the loop first in even rounds. */
    static Round measure(Path folder, long bytes, int round) throws IOException {
        double[] bare = new double[2];
        double[] journal = new double[2];
        for (int turn = 0; turn < 2; turn++) {
            if ((turn + round) % 2 == 0) {
                bare = bare(folder.resolve("bare"), bytes);
            } else {
                journal = journal(folder.resolve("journal"), bytes);
            }
        }
        return new Round(bare[0], bare[1], journal[0], journal[1]);
    }

    private static double[] bare(Path file, long bytes) throws IOException {
        SequentialIo.allocate(file, bytes + SLACK);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
            while (block.hasRemaining()) {
                block.put((byte) block.position());
            }
            long start = System.nanoTime();
            for (long at = 0; at < bytes; ) {
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

    private static double[] journal(Path folder, long bytes) throws IOException {
        JournalConfig config = JournalConfig.defaults()
                .bufferSize(BLOCK + 2 * SequentialIo.PAGE) // two pages are kept free, so it writes BLOCK at a time
                .segmentSize((int) (bytes + SLACK))
                .durability(Durability.NONE);
        try (Journal journal = Journal.open(folder, config)) {
            ByteBuffer record = ByteBuffer.allocateDirect(RECORD);
            while (record.hasRemaining()) {
                record.put((byte) record.position());
            }
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
