package io.sluice.batching.journal;

import java.io.DataOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

/** The program that {@link KillTest} kills: appends for ever, and tells on stdout up to where it is safe. */
final class KilledWriter {
    private KilledWriter() {}

    static JournalConfig config(JournalConfig.Method method, String durability) {
        return JournalConfig.defaults()
                .method(method)
                .segmentSize(128 << 10)
                .bufferSize(32 << 10)
                .durability(
                        switch (durability) {
                            case "none" -> Durability.NONE;
                            case "timed" -> Durability.every(Duration.ofMillis(1));
                            default -> Durability.EACH_BATCH;
                        });
    }

    static int length(long sequence) {
        return (int) (sequence * 7919 % 2003);
    }

    static byte byteAt(long sequence, int index) {
        return (byte) (sequence * 31 + index);
    }

    public static void main(String[] args) throws Exception {
        SplittableRandom random = new SplittableRandom(Long.parseLong(args[3]));
        DataOutputStream out = new DataOutputStream(System.out);
        ByteBuffer payload = ByteBuffer.allocateDirect(4096);
        try (Journal journal = Journal.open(Path.of(args[0]), config(JournalConfig.Method.valueOf(args[1]), args[2]))) {
            while (true) {
                for (int i = random.nextInt(20); i >= 0; i--) {
                    long sequence = journal.nextSequence();
                    int length = length(sequence);
                    for (int k = 0; k < length; k++) {
                        payload.put(k, byteAt(sequence, k));
                    }
                    journal.append(payload, 0, length);
                }
                journal.endOfBatch();
                // A kill keeps the page cache, so what was written is safe, too.
                out.writeLong(journal.writtenSequence());
                out.flush();
                if (random.nextInt(50) == 0) {
                    journal.retireBefore(Math.max(0, journal.nextSequence() - 500));
                }
            }
        }
    }
}
