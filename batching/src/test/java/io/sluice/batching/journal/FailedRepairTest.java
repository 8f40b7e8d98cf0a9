package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A torn tail is blanked by an opening whose force fails: the page cache then shows zeros which the device does not have. The next
 * opening succeeds. What was torn off stays away all the same, whatever is appended before it and then forced.
 */
class FailedRepairTest {
    private static final int MOST_FORCES = 6;
    private static final int FILLS_A_BLOCK = Frame.BLOCK - Frame.HEADER;

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void recordsOfATornTailDoNotComeBackBehindNewOnes(JournalConfig.Method method) throws Exception {
        JournalConfig config = JournalConfig.defaults()
                .method(method)
                .segmentSize(8 * Frame.BLOCK)
                .bufferSize(8 * Frame.BLOCK)
                .durability(Durability.NONE)
                .epochClock(() -> 42);
        int failures = 0;
        for (int failing = 1; failing <= MOST_FORCES; failing++) {
            for (int arrivals = 0; arrivals < 8; arrivals++) {
                CrashStorage storage = withATornTail(config);
                CrashStorage cut;
                storage.failingForce = failing;
                storage.arrivals = new SplittableRandom(arrivals);
                try {
                    Journal.open(storage, config).close();
                    continue; // it had fewer forces
                } catch (JournalException failed) {
                    failures++;
                }
                storage.failingForce = 0;
                try (Journal journal = Journal.open(storage, config)) {
                    assertThat(journal.nextSequence()).isEqualTo(1);
                    append(journal, 'n');
                    journal.force();
                    CrashStorage killed = storage.afterKill(); // a copy, which the closing does not change
                    cut = killed.afterCut(killed.unforcedChanges(), (index, page) -> -1);
                }
                assertThat(contents(cut, config))
                        .as("force " + failing + " failed, arrivals " + arrivals)
                        .containsExactly('a', 'n');
            }
        }
        assertThat(failures).isPositive();
    }

    /** The force of several blocks fails: the page cache shows them, and holds them for clean. An opening that acknowledges them has written them all again. */
    @ParameterizedTest
    @CsvSource({"BLOCKS, 3", "BLOCKS, 40", "MAPPED, 3", "MAPPED, 40"
    }) // 40 blocks: more than an opening writes at a time
    void allBlocksOfAnEpochWhoseForceFailedAreThereOnceAnOpeningAcknowledgesThem(
            JournalConfig.Method method, int blocks) throws Exception {
        JournalConfig config = JournalConfig.defaults()
                .method(method)
                .segmentSize(64 * Frame.BLOCK)
                .bufferSize(64 * Frame.BLOCK)
                .durability(Durability.NONE);
        int failures = 0;
        for (int arrivals = 0; arrivals < 8; arrivals++) {
            CrashStorage storage = new CrashStorage();
            storage.arrivals = new SplittableRandom(arrivals);
            Journal first = Journal.open(storage, config);
            append(first, 'a');
            first.force();
            List<Character> texts = new ArrayList<>(List.of('a'));
            for (int i = 0; i < blocks; i++) {
                texts.add((char) ('b' + i % 20));
                append(first, texts.get(i + 1));
            }
            storage.failsNextForce();
            try {
                first.force();
            } catch (JournalException failed) {
                failures++;
            }
            storage.failingForce = 0;
            CrashStorage killed = storage.afterKill(); // a copy, which the closing does not change
            try {
                first.close();
            } catch (JournalException failedBefore) {
                // known
            }
            try (Journal journal = Journal.open(killed, config)) {
                assertThat(journal.durableSequence()).isEqualTo(blocks);
                CrashStorage cut = killed.afterKill();
                assertThat(contents(cut.afterCut(cut.unforcedChanges(), (index, page) -> -1), config))
                        .as("arrivals " + arrivals)
                        .isEqualTo(texts);
            }
        }
        assertThat(failures).isPositive();
    }

    /** One forced record, and behind it three of which the first did not arrive; each fills a block. */
    private static CrashStorage withATornTail(JournalConfig config) throws Exception {
        CrashStorage storage = new CrashStorage();
        try (Journal journal = Journal.open(storage, config)) {
            append(journal, 'a');
            journal.force();
            for (int i = 0; i < 3; i++) {
                append(journal, 'o');
            }
            journal.endOfBatch();
            int[] pages = {0};
            CrashStorage killed = storage.afterKill(); // a copy, which the closing does not change
            return killed.afterCut(
                    killed.unforcedChanges(), (index, page) -> pages[0]++ == 0 ? -1 : page.versions() - 1);
        }
    }

    private static void append(Journal journal, char text) throws JournalException {
        ByteBuffer record = ByteBuffer.allocate(FILLS_A_BLOCK);
        record.put(0, (byte) text);
        journal.append(record, 0, FILLS_A_BLOCK);
    }

    private static List<Character> contents(CrashStorage storage, JournalConfig config) throws JournalException {
        try (Journal journal = Journal.open(storage, config)) {
            List<Character> texts = new ArrayList<>();
            try (JournalReader reader = journal.reader(0)) {
                while (reader.next()) {
                    texts.add((char) reader.buffer().get(reader.payloadOffset()));
                }
            }
            return texts;
        }
    }
}
