package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.batching.Batcher;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.core.FailurePolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.agrona.concurrent.AgentTerminationException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk without room for the next segment: whoever tries again at once does not fill it again and again. */
class FullDiskTest {
    private static final long MS = 1_000_000;
    private static final int SEGMENT = 48 * Frame.BLOCK;
    private static final int FREE = 40 * Frame.BLOCK; // what is left beside the segment, and is not enough

    private final FaultyStorage storage = new FaultyStorage();
    private final long[] now = {Long.MAX_VALUE - 50 * MS}; // it passes the largest number
    private final JournalConfig config = JournalConfig.defaults()
            .segmentSize(SEGMENT)
            .bufferSize(8 * Frame.BLOCK)
            .prepareAhead(false)
            .nanoClock(() -> now[0]);

    @Test
    void aLullOnAFullDiskIsNoBusyLoop() throws Exception {
        Journal journal = journalInItsLastBlock(Durability.every(Duration.ofMillis(10)));
        int created = storage.created;
        long bytes = storage.bytesBesideSegments;
        int refused = 0;
        for (int millis = 0; millis < 1_000; millis++) {
            now[0] += MS;
            if (journal.nanosToForce() <= 0) {
                assertKind(journal::maintain);
                refused++;
                assertThat(journal.nanosToForce()).isEqualTo(100 * MS);
            }
        }
        assertThat(refused).as("once in 100 ms").isEqualTo(10);
        assertThat(storage.created - created).as("files made").isEqualTo(10);
        assertThat(storage.bytesBesideSegments - bytes).isBetween(10L * 2 * SpareSegment.CHUNK, 10L * FREE);
        storage.capacity = Long.MAX_VALUE;
        now[0] += journal.nanosToForce();
        assertThat(journal.maintain()).isEqualTo(1);
        assertThat(journal.durableSequence()).isEqualTo(journal.nextSequence() - 1);
    }

    @Test
    void aBatcherOnAFullDiskIsIdleInALull() throws Exception {
        Journal journal = journalInItsLastBlock(Durability.every(Duration.ofMillis(10)));
        int[] failures = {0};
        Queue<Integer> queue = new ArrayDeque<>();
        Batcher<Integer> batcher = new Batcher<>(
                queue,
                (event, buffer, offset) -> 1,
                new JournalSink(journal),
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> {
                    failures[0]++;
                    return FailurePolicy.Action.RETRY_EVENT;
                });
        now[0] += 10 * MS;
        int created = storage.created;
        int rounds = 0;
        for (int i = 0; i < 1_000; i++) {
            rounds += batcher.doWork();
        }
        assertThat(failures[0]).isEqualTo(1);
        assertThat(rounds).as("rounds with work").isEqualTo(1);
        assertThat(storage.created - created).isEqualTo(1);
    }

    /** An empty cycle in which the journal waits is no success. */
    @Test
    void aBatchersPolicyCountsTheTriesOfALull() throws Exception {
        Journal journal = journalInItsLastBlock(Durability.every(Duration.ofMillis(10)));
        List<Integer> attempts = new ArrayList<>();
        Batcher<Integer> batcher = new Batcher<>(
                new ArrayDeque<>(),
                (event, buffer, offset) -> 1,
                new JournalSink(journal),
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> {
                    attempts.add(attempt);
                    return attempt < 3 ? FailurePolicy.Action.RETRY_EVENT : FailurePolicy.Action.HALT;
                });
        int created = storage.created;
        assertThatThrownBy(() -> {
                    for (int millis = 0; millis < 1_000; millis++) {
                        now[0] += MS;
                        batcher.doWork();
                    }
                })
                .isInstanceOf(AgentTerminationException.class);
        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(storage.created - created).as("tries").isEqualTo(3);
    }

    @Test
    void callsThatAreRepeatedAtOnceWriteNothingMore() throws Exception {
        Journal journal = journalInItsLastBlock(Durability.EACH_BATCH);
        assertKind(journal::endOfBatch);
        assertThat(storage.exists(FileNames.PREPARING)).isFalse();
        int operations = storage.created + storage.forces;
        long bytes = storage.bytesBesideSegments;
        long next = journal.nextSequence();
        for (int i = 0; i < 1_000; i++) {
            assertKind(journal::endOfBatch);
            assertKind(journal::force);
            assertKind(() -> append(journal, 2 * Frame.BLOCK));
            assertKind(journal::preallocate);
            now[0] += i % 100 == 0 ? 9 * MS : 0;
            assertThat(storage.created + storage.forces).isEqualTo(operations);
        }
        assertThat(storage.bytesBesideSegments).isEqualTo(bytes);
        assertThat(journal.nextSequence()).isEqualTo(next);
        assertThatThrownBy(journal::endOfBatch)
                .hasMessageContaining("No space left")
                .hasMessageContaining("100 ms");

        now[0] += 10 * MS; // 100 in all
        assertKind(journal::endOfBatch);
        assertThat(storage.created + storage.forces).as("tried again").isEqualTo(operations + 1);
        storage.capacity = Long.MAX_VALUE;
        now[0] += 100 * MS;
        journal.endOfBatch();
        assertThat(journal.durableSequence()).isEqualTo(next - 1);
        append(journal, 10);
        journal.close();
        assertThat(Journal.verify(storage).nextSequence()).isEqualTo(next + 1);
    }

    @Test
    void closingDuringTheWaitLosesNothing() throws Exception {
        Journal journal = journalInItsLastBlock(Durability.EACH_BATCH);
        assertKind(journal::endOfBatch);
        long next = journal.nextSequence();
        journal.close();
        assertThat(journal.durableSequence()).isEqualTo(next - 1);
        Journal again = Journal.open(storage.copyWith("", null), config);
        assertThat(again.nextSequence()).isEqualTo(next);
        again.close();
    }

    @Test
    void segmentsThatAreGivenUpMakeRoomAtOnce() throws Exception {
        storage.capacity = 2 * SEGMENT + FREE;
        Journal journal = Journal.open(storage, config.durability(Durability.EACH_BATCH));
        assertKind(() -> {
            while (true) {
                append(journal, 1_000);
                journal.endOfBatch();
            }
        });
        assertKind(journal::endOfBatch);
        assertThat(journal.retireBefore(journal.nextSequence())).isEqualTo(1);
        journal.endOfBatch();
        append(journal, 1_000);
        journal.endOfBatch();
        assertThat(journal.durableSequence()).isEqualTo(journal.nextSequence() - 1);
    }

    /** Another program has filled the disk: what makes room must need none beyond what the journal has prepared. */
    @ParameterizedTest
    @ValueSource(strings = {FileNames.SPARE, FileNames.PREPARING})
    void segmentsCanBeGivenUpOnADiskWithoutAFreeBlock(String prepared) throws Exception {
        Journal journal =
                Journal.open(storage, config.durability(Durability.EACH_BATCH).prepareAhead(true));
        while (!storage.exists(FileNames.segment(2)) || !storage.exists(prepared)) {
            append(journal, 1_000);
            journal.endOfBatch();
        }
        storage.capacity = storage.used();
        assertThat(journal.retireBefore(journal.nextSequence())).isEqualTo(2);
        assertThat(storage.used()).isLessThanOrEqualTo(SEGMENT + Frame.BLOCK);
        while (!storage.exists(FileNames.segment(3))) { // the room is its own again
            append(journal, 1_000);
            journal.endOfBatch();
        }
        journal.close();
        assertThat(Journal.verify(storage).nextSequence()).isEqualTo(journal.nextSequence());
    }

    /** A record that is too long for the rest of the segment waits for room. What stands before it does not. */
    @Test
    void whatFitsIsForcedInTimeThoughALongRecordFindsNoRoom() throws Exception {
        storage.capacity = SEGMENT + FREE;
        Journal journal = Journal.open(storage, config.durability(Durability.every(Duration.ofMillis(10))));
        for (int i = 0; i < 9; i++) {
            append(journal, 5 * Frame.BLOCK - 100);
        }
        journal.endOfBatch();
        now[0] += 10 * MS;
        assertKind(() -> append(journal, 3 * Frame.BLOCK));
        assertThat(journal.nanosToForce()).isZero();
        assertThat(journal.maintain()).isEqualTo(1);
        assertThat(journal.durableSequence()).isEqualTo(8);
    }

    /** Records up to the last block of the only segment there is: to force them needs the next one. */
    private Journal journalInItsLastBlock(Durability durability) throws Exception {
        storage.capacity = SEGMENT + FREE;
        Journal journal = Journal.open(storage, config.durability(durability));
        for (int i = 0; i < 9; i++) {
            append(journal, 5 * Frame.BLOCK - 100);
        }
        append(journal, 6_000);
        if (durability != Durability.EACH_BATCH) {
            journal.endOfBatch();
        }
        return journal;
    }

    private static void append(Journal journal, int length) throws JournalException {
        journal.append(ByteBuffer.allocate(length), 0, length);
    }

    private static void assertKind(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        JournalException.class,
                        e -> assertThat(e.kind()).as(e.toString()).isEqualTo(Kind.CANNOT_ALLOCATE));
    }
}
