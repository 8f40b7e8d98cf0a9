package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.batching.journal.FaultyStorage.PowerCut;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cuts the power at a random operation, several times in a journal's life, also in the middle of a recovery; now and then it
 * only kills the process, so that the next one finds more in the page cache than there is on the device. Demanded: what
 * is found is a gapless prefix of what was appended, holds everything that was reported as durable, and is never taken for
 * damage.
 */
@Tag("once")
@Tag("any-jdk")
class PowerLossTest {
    private static final int STEPS = 50;

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void nothingReportedAsDurableIsLost(JournalConfig.Method method) throws Exception {
        RandomPrograms.Totals totals = run(method, 4_000 * STEPS);
        if (!totals.replay()) {
            assertThat(cuts).isGreaterThan((int) totals.programs());
        }
    }

    @Test
    @Tag("slow")
    void nothingReportedAsDurableIsLostLong() throws Exception {
        for (JournalConfig.Method method : JournalConfig.Method.values()) {
            run(method, 200_000 * STEPS);
        }
    }

    private int cuts;

    private RandomPrograms.Totals run(JournalConfig.Method method, int steps) throws InterruptedException {
        return RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    Life life = new Life(program, method, false);
                    String complaint = life.run();
                    if (complaint != null) {
                        throw new AssertionError(complaint + "\nafter " + life.history);
                    }
                    cuts += life.cuts;
                    return program.size();
                })
                .budget("io.sluice.power.steps", steps)
                .from(0)
                .run();
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void theTwinThatAcknowledgesBeforeForceIsCaught(JournalConfig.Method method) {
        int caught = 0;
        for (long seed = 0; seed < 200; seed++) {
            String complaint = new Life(SeededProgram.of(seed, STEPS), method, true).run();
            if (complaint != null && complaint.contains("reported as durable")) {
                caught++;
            }
        }
        assertThat(caught).as("of 200 seeds").isGreaterThan(20);
    }

    /** One journal through several cuts. */
    private static final class Life {
        private final SeededProgram program;
        private SplittableRandom random;
        private int done;
        private final JournalConfig config;
        private final boolean twin;
        private final List<byte[]> appended = new ArrayList<>();
        private final long[] nanos = {0};
        private final long origin;
        final StringBuilder history = new StringBuilder();
        private FaultyStorage storage = new FaultyStorage();
        private long acknowledged;
        int cuts;

        Life(SeededProgram program, JournalConfig.Method method, boolean twin) {
            this.program = program;
            random = program.random();
            this.twin = twin;
            origin = random.nextInt(3) * 1000L;
            acknowledged = origin - 1;
            Durability durability = twin
                    ? Durability.EACH_BATCH
                    : switch (random.nextInt(4)) {
                        case 0 -> Durability.NONE;
                        case 1 -> Durability.every(Duration.ofMillis(5));
                        default -> Durability.EACH_BATCH;
                    };
            config = JournalConfig.defaults()
                    .method(method)
                    .segmentSize((3 + random.nextInt(6)) * Frame.BLOCK)
                    .bufferSize((4 + random.nextInt(3)) * Frame.BLOCK)
                    .durability(durability)
                    .firstSequence(origin)
                    .epochClock(() -> 42)
                    .nanoClock(() -> nanos[0]);
            history.append(durability);
        }

        /** Null, or what went wrong. */
        @Nullable
        String run() {
            while (done < program.size()) {
                draw(); // a step that opens the journal; the others are batches
                storage.acknowledgeBeforeForce = twin;
                storage.operationsLeft = random.nextInt(random.nextBoolean() ? 20 : 150);
                String complaint = live();
                if (complaint == null) {
                    if (random.nextInt(4) == 0) {
                        storage = storage.afterKill();
                        history.append(" kill");
                    } else {
                        storage = storage.afterCut(random);
                        history.append(" cut");
                        cuts++;
                    }
                    complaint = check();
                }
                if (complaint != null) {
                    return complaint;
                }
            }
            return null;
        }

        private void draw() {
            random = program.random(program.steps().get(done++));
        }

        private @Nullable String live() {
            try (Journal journal = Journal.open(storage, config)) {
                history.append(" open:").append(journal.nextSequence());
                if (journal.nextSequence() - 1 < acknowledged) {
                    return "opened at " + journal.nextSequence() + ", reported as durable " + acknowledged;
                }
                forget(journal.nextSequence());
                acknowledge(journal);
                storage.demandFreshPages = true;
                while (done < program.size()) {
                    draw();
                    if (random.nextInt(15) == 0) {
                        break;
                    }
                    int size = random.nextInt(random.nextInt(4) == 0 ? 12 : 3);
                    for (int j = 0; j < size; j++) {
                        byte[] payload = new byte[random.nextInt(Math.min(journal.maxRecordLength(), 3000) + 1)];
                        for (int k = 0; k < payload.length; k++) {
                            payload[k] = (byte) random.nextInt();
                        }
                        storage.tick();
                        // Known before the call: a cut within it may leave the record in the file.
                        appended.add(payload);
                        journal.append(ByteBuffer.wrap(payload), 0, payload.length);
                        acknowledge(journal);
                    }
                    nanos[0] += random.nextInt(3_000_000);
                    journal.endOfBatch();
                    acknowledge(journal);
                    if (random.nextInt(8) == 0) {
                        journal.preallocate();
                    }
                    if (random.nextInt(10) == 0) {
                        journal.retireBefore(Math.max(0, acknowledged));
                    }
                }
                if (random.nextBoolean()) {
                    storage.operationsLeft = 0; // not even closed
                }
            } catch (PowerCut e) {
                // As planned; close() met the cut too, or had nothing to do.
            } catch (JournalException e) {
                return "unexpected " + e;
            } finally {
                storage.demandFreshPages = false;
            }
            return storage.rewrittenPages > 0 ? storage.rewrittenPages + " forced pages were written again" : null;
        }

        private void acknowledge(Journal journal) {
            acknowledged = Math.max(acknowledged, journal.durableSequence());
        }

        private void forget(long nextSequence) {
            while (origin + appended.size() > nextSequence) {
                appended.remove(appended.size() - 1);
            }
        }

        /** Reads what the cut has left, without repairing it. */
        private @Nullable String check() {
            if (storage.list().stream().allMatch(name -> FileNames.segmentIndex(name) < 0)
                    && !storage.exists(FileNames.FIRST)) {
                return acknowledged >= origin ? "nothing there, reported as durable " + acknowledged : null;
            }
            try (JournalReader reader = JournalReader.replay(storage, JournalReader.FROM_FIRST)) {
                long next = reader.nextSequence();
                if (next > acknowledged + 1 || next < origin) {
                    return "starts at " + next;
                }
                while (reader.next()) {
                    if (reader.sequence() != next) {
                        return "found " + reader.sequence() + " instead of " + next;
                    }
                    if (next - origin >= appended.size()) {
                        return "found " + next + ", which was never appended";
                    }
                    byte[] payload = new byte[reader.payloadLength()];
                    reader.buffer().get(reader.payloadOffset(), payload);
                    if (!Arrays.equals(payload, appended.get((int) (next - origin)))) {
                        return "record " + next + " has other bytes";
                    }
                    next++;
                }
                history.append(" found:").append(next);
                return next - 1 < acknowledged
                        ? "found up to " + (next - 1) + ", reported as durable " + acknowledged
                        : null;
            } catch (JournalException e) {
                return "unexpected " + e + (twin ? ", reported as durable " + acknowledged : "");
            }
        }
    }
}
