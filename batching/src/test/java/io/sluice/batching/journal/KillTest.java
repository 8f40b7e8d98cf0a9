package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.EOFException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a journalling process with SIGKILL at random points, round after round on the same journal. A kill keeps the page
 * cache, so this shows recovery, not {@code force}; see {@link PowerLossTest} for that.
 */
@Tag("concurrency")
class KillTest {
    @TempDir
    Path folder;

    @Test
    @Timeout(110)
    void whatWasAcknowledgedSurvivesSigkill() throws Exception {
        rounds(6, 6);
    }

    @Test
    @Tag("slow")
    @Timeout(1_000)
    void whatWasAcknowledgedSurvivesSigkillManyTimes() throws Exception {
        rounds(200, 200);
    }

    private void rounds(int rounds, long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        String[] durabilities = {"batch", "none", "timed"};
        long total = 0;
        for (int round = 0; round < rounds; round++) {
            JournalConfig.Method method = round % 2 == 0 ? JournalConfig.Method.BLOCKS : JournalConfig.Method.MAPPED;
            String durability = durabilities[round % 3];
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xshare:auto",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            KilledWriter.class.getName(),
                            folder.toString(),
                            method.name(),
                            durability,
                            Long.toString(random.nextLong()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            long acknowledged = -1;
            try (DataInputStream in = new DataInputStream(process.getInputStream())) {
                for (int acks = random.nextInt(200); acks >= 0; acks--) {
                    acknowledged = in.readLong();
                }
                process.toHandle().destroyForcibly(); // leaves the pipe open
                // What was told before the kill counts, too.
                while (true) {
                    acknowledged = in.readLong();
                }
            } catch (EOFException e) {
                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            } finally {
                process.destroyForcibly();
            }
            String where = "seed " + seed + ", round " + round + ", " + method + ", " + durability;
            assertThat(acknowledged).as(where + ": the writer worked").isGreaterThanOrEqualTo(0);
            assertThat(process.exitValue()).as(where + ": killed, not ended").isEqualTo(128 + 9);
            long found = check(where);
            assertThat(found).as(where).isGreaterThanOrEqualTo(acknowledged);
            total = found;
        }
        assertThat(total).isPositive();
    }

    private long check(String where) throws JournalException {
        try (JournalReader reader = JournalReader.replay(new DiskStorage(folder), JournalReader.FROM_FIRST)) {
            long next = reader.nextSequence();
            while (reader.next()) {
                assertThat(reader.sequence()).as(where).isEqualTo(next);
                assertThat(reader.payloadLength()).as(where).isEqualTo(KilledWriter.length(next));
                for (int i = 0; i < reader.payloadLength(); i++) {
                    if (reader.buffer().get(reader.payloadOffset() + i) != KilledWriter.byteAt(next, i)) {
                        throw new AssertionError(where + ": record " + next + " differs at byte " + i);
                    }
                }
                next++;
            }
            return next - 1;
        }
    }
}
