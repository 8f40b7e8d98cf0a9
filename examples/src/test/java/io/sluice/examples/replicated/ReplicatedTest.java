package io.sluice.examples.replicated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.driver.ThreadingMode;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.LinkLostException;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A copy has each value once, whoever starts late or again. */
@Tag("once")
class ReplicatedTest {
    private static final String CHANNEL = "aeron:ipc?term-length=64k";

    @TempDir
    Path folder;

    private final List<Throwable> errors = new ArrayList<>();
    private final AeronLink link = AeronLink.embedded(errors::add)
            .threads(ThreadingMode.INVOKER)
            .driver(context -> context.ipcTermBufferLength(64 * 1024))
            .reconnectAfter(Duration.ofMillis(20))
            .start();
    private Source source;
    private Copy copy;
    private long published;

    @AfterEach
    void close() throws Exception {
        if (copy != null) {
            copy.close();
        }
        if (source != null) {
            source.close();
        }
        link.close();
    }

    private void runUntil(BooleanSupplier condition) throws Exception {
        long started = System.nanoTime();
        while (!condition.getAsBoolean()) {
            link.doWork();
            if (source != null) {
                source.doWork();
            }
            if (copy != null) {
                copy.doWork();
            }
            if (System.nanoTime() - started > TimeUnit.SECONDS.toNanos(20)) {
                throw new AssertionError("not after 20 s: " + errors);
            }
        }
    }

    private void publish(long n) throws Exception {
        for (long i = 0; i < n; i++) {
            runUntil(() -> source.tryPublish(published + 1));
            published++;
        }
    }

    private static List<Long> numbers(long to) {
        return LongStream.rangeClosed(1, to).boxed().toList();
    }

    @Test
    void aCopyThatStartsLateGetsTheJournalAndThenWhatIsLive() throws Exception {
        List<Long> values = new ArrayList<>();
        source = new Source(link, CHANNEL, folder);
        publish(5_000);
        runUntil(source::isIdle);
        copy = new Copy(link, CHANNEL, 0, values::add);
        runUntil(() -> copy.isConnected());
        publish(100);
        runUntil(() -> copy.last() == published);
        assertThat(values).isEqualTo(numbers(5_100));
        assertThat(source.replayed()).isGreaterThanOrEqualTo(5_000);
        assertThat(errors).isEmpty();
    }

    /** As after the death of an external driver: the client is closed, and all that was opened with it. */
    @Test
    void whatIsMissedWhileTheDriverIsLostIsAskedForBehindIt() throws Exception {
        List<Long> values = new ArrayList<>();
        source = new Source(link, CHANNEL, folder);
        copy = new Copy(link, CHANNEL, 0, values::add);
        publishUntilOneComes();
        for (int i = 0; i < 2; i++) {
            Copy paused = copy;
            copy = null;
            link.aeron().close();
            runUntil(link::isConnected);
            publish(100);
            runUntil(source::isIdle); // nobody hears it
            copy = paused;
            publishUntilOneComes();
            runUntil(() -> copy.last() == published);
            assertThat(values).isEqualTo(numbers(published));
        }
        assertThat(errors).hasSize(2).hasOnlyElementsOfType(LinkLostException.class);
    }

    private void publishUntilOneComes() throws Exception {
        long before = copy.last();
        runUntil(() -> {
            if (source.isIdle() && source.tryPublish(published + 1)) {
                published++;
            }
            return copy.last() > before;
        });
    }

    /** Its lock file is gone, so the journal may make no further segment. */
    @Test
    void aSourceWhoseJournalHasFailedSaysSo() throws Exception {
        source = new Source(link, CHANNEL, folder);
        Files.delete(folder.resolve("journal.lock"));
        assertThatThrownBy(() -> publish(100_000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("journal and sender must work for a source to go on, but one of them has failed")
                .hasCauseInstanceOf(JournalException.class);
        assertThat(published).as("a segment of them").isGreaterThan(200);
    }

    /** A request is answered by whoever has the journal, and a journal has one writer. */
    @Test
    void aSourceThatCannotHaveItsJournalLeavesNothingOpen() throws Exception {
        source = new Source(link, CHANNEL, folder);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> new Source(link, CHANNEL, folder)).isInstanceOf(JournalException.class);
        }
        assertThatThrownBy(() -> new Source(link, "aeron:nothing", folder.resolve("other")))
                .isInstanceOf(RuntimeException.class);
        Journal.open(folder.resolve("other"), JournalConfig.defaults()).close();
    }

    @Test
    void nothingIsMissedOrDoubledWhicheverSideStartsAgain() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        List<Long> values = new ArrayList<>();
        source = new Source(link, CHANNEL, folder);
        copy = new Copy(link, CHANNEL, 0, values::add);
        for (int round = 0; round < 12; round++) {
            publish(random.nextInt(1, 600));
            if (random.nextBoolean()) {
                runUntil(source::isIdle);
            }
            if (random.nextBoolean()) {
                long last = copy.last();
                copy.close();
                copy = null;
                publish(random.nextInt(0, 300));
                copy = new Copy(link, CHANNEL, last, values::add);
            } else {
                runUntil(source::isIdle); // what is not in the journal yet is no message
                source.close();
                source = new Source(link, CHANNEL, folder);
            }
            assertThat(values).as("seed " + seed).isEqualTo(numbers(values.size()));
        }
        runUntil(() -> copy.isConnected());
        publish(10);
        runUntil(() -> copy.last() == published);
        assertThat(values).as("seed " + seed).isEqualTo(numbers(published));
        assertThat(errors).isEmpty();
    }
}
