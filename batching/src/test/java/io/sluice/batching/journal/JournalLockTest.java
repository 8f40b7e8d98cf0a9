package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One journal has one writer, also among processes: a second process tries to open what this one holds. */
@Tag("concurrency")
@Timeout(60)
class JournalLockTest {
    private static final JournalConfig SMALL =
            JournalConfig.defaults().segmentSize(6 * Frame.BLOCK).bufferSize(JournalConfig.MIN_BUFFER);

    @TempDir
    Path folder;

    /** The second process: opens, holds and closes journals as it is told. */
    static final class Other implements Closeable {
        private final Process process;
        private final PrintStream commands;
        private final BufferedReader answers;

        Other() throws IOException {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xshare:auto",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            JournalLocker.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
            answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        String asked(String command, Path folder) throws IOException {
            commands.println(command + " " + folder);
            String answer = answers.readLine();
            return answer == null ? "the process has ended" : answer;
        }

        @Override
        public void close() {
            commands.close();
            try {
                process.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Other other;

    @BeforeAll
    static void start() throws IOException {
        other = new Other();
    }

    @AfterAll
    static void end() {
        other.close();
    }

    @Test
    void aRefusedSecondOpenInThisProcessLeavesTheOthersLockedOut() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL)) {
            assertThat(other.asked("open", folder)).isEqualTo("LOCKED");
            for (int i = 0; i < 2; i++) {
                assertKind(Kind.LOCKED, () -> Journal.open(folder, SMALL));
                assertThat(other.asked("open", folder)).isEqualTo("LOCKED");
            }
            journal.force();
        }
        assertThat(other.asked("open", folder)).isEqualTo("opened");
        assertThat(other.asked("close", folder)).isEqualTo("closed");
    }

    @Test
    void whoIsRefusedIsToldThatAJournalOfThisProcessMayNotHaveBeenClosed() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL)) {
            assertThatThrownBy(() -> Journal.open(folder, SMALL))
                    .hasMessageContaining("journal.lock; one of this process that was never closed holds it until");
            journal.force();
        }
    }

    @Test
    void aRefusedRepairLeavesTheOthersLockedOut() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL)) {
            journal.force();
            assertKind(Kind.LOCKED, () -> Journal.repair(folder));
            assertThat(other.asked("repair", folder)).isEqualTo("LOCKED");
            assertThat(other.asked("open", folder)).isEqualTo("LOCKED");
        }
    }

    @Test
    void verifyingAndReadingLeaveTheOthersLockedOut() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL)) {
            Journal.verify(folder);
            JournalReader.replay(folder, 0).close();
            JournalReader.follow(folder, 0).close();
            journal.reader(0).close();
            journal.force();
            assertThat(other.asked("open", folder)).isEqualTo("LOCKED");
        }
    }

    @Test
    void anotherSpellingOfTheFolderIsTheSameJournal() throws Exception {
        Path real = Files.createDirectory(folder.resolve("real"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        Path linked = Files.createDirectory(folder.resolve("linked"));
        try (Journal journal = Journal.open(real, SMALL)) {
            Files.createLink(linked.resolve(FileNames.LOCK), real.resolve(FileNames.LOCK));
            for (Path same : new Path[] {
                link,
                real.resolve("..").resolve("real"),
                Path.of("").toAbsolutePath().relativize(real),
                linked
            }) {
                assertKind(Kind.LOCKED, () -> Journal.open(same, SMALL));
                assertThat(other.asked("open", real)).as(same.toString()).isEqualTo("LOCKED");
            }
            journal.force();
        }
        assertThat(other.asked("open", link)).isEqualTo("opened");
        assertKind(Kind.LOCKED, () -> Journal.open(real, SMALL));
        assertThat(other.asked("close", link)).isEqualTo("closed");
    }

    /** The folder was cleared below its writer, and the next writer has begun in it. */
    @Test
    void aJournalWhoseLockFileWasRemovedTouchesNoFileOfTheNextWriter() throws Exception {
        Journal journal = Journal.open(folder, SMALL);
        while (!Files.exists(folder.resolve(FileNames.segment(2)))) {
            append(journal);
        }
        for (Path file : files()) {
            Files.delete(file);
        }
        assertThat(other.asked("open", folder)).isEqualTo("opened");
        Map<String, Integer> before = contents();
        assertKind(Kind.CANNOT_OPEN, () -> journal.retireBefore(Long.MAX_VALUE));
        assertKind(Kind.CANNOT_ALLOCATE, journal::preallocate);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        append(journal);
                    }
                })
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FAILED))
                .hasMessageContaining(
                        FileNames.LOCK + " must be the file that was locked, but was removed or replaced");
        assertKind(Kind.FAILED, () -> append(journal));
        journal.close();
        assertThat(contents()).isEqualTo(before);
        assertThat(other.asked("close", folder)).isEqualTo("closed");
        assertThat(Journal.verify(folder).nextSequence()).isZero();
        Journal.open(folder, SMALL).close();
    }

    private static void append(Journal journal) throws JournalException {
        journal.append(ByteBuffer.allocate(1_000), 0, 1_000);
        journal.endOfBatch();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private Map<String, Integer> contents() throws IOException {
        Map<String, Integer> contents = new TreeMap<>();
        for (Path file : files()) {
            contents.put(file.getFileName().toString(), Arrays.hashCode(Files.readAllBytes(file)));
        }
        return contents;
    }

    @Test
    void anOpeningThatFailsGivesTheLockBack() throws Exception {
        Journal.open(folder, SMALL).close();
        Files.delete(folder.resolve(FileNames.segment(0)));
        assertKind(Kind.MISSING_SEGMENT, () -> Journal.open(folder, SMALL));
        assertThat(other.asked("open", folder)).isEqualTo("MISSING_SEGMENT");
        assertKind(Kind.MISSING_SEGMENT, () -> Journal.open(folder, SMALL));
    }

    @Test
    void whatTheOtherProcessHoldsIsRefusedHereAndStaysItsOwn() throws Exception {
        assertThat(other.asked("open", folder)).isEqualTo("opened");
        assertKind(Kind.LOCKED, () -> Journal.open(folder, SMALL));
        assertKind(Kind.LOCKED, () -> Journal.repair(folder));
        try (Other third = new Other()) {
            assertThat(third.asked("open", folder)).isEqualTo("LOCKED");
            assertThat(other.asked("close", folder)).isEqualTo("closed");
            assertThat(third.asked("open", folder)).isEqualTo("opened");
        }
        Journal.open(folder, SMALL).close();
    }

    @Test
    void aCopyOfTheLibraryInAnotherClassLoaderDoesNotReleaseTheLock() throws Exception {
        try (URLClassLoader loader = copyOfTheLibrary()) {
            try (Journal journal = Journal.open(folder, SMALL)) {
                assertThat(openedBy(loader)).isEqualTo("LOCKED");
                assertThat(openedBy(loader)).isEqualTo("LOCKED");
                assertThat(other.asked("open", folder)).isEqualTo("LOCKED");
                journal.force();
            }
            assertThat(openedBy(loader)).isEqualTo("opened");
            assertThat(other.asked("open", folder)).as("the copy has closed it").isEqualTo("opened");
            assertThat(other.asked("close", folder)).isEqualTo("closed");
        }
    }

    private String openedBy(ClassLoader loader) throws Exception {
        try {
            Object opened = loader.loadClass(JournalLocker.class.getName())
                    .getMethod("answer", String.class, Path.class)
                    .invoke(null, "open", folder);
            loader.loadClass(JournalLocker.class.getName())
                    .getMethod("answer", String.class, Path.class)
                    .invoke(null, "close", folder);
            return String.valueOf(opened);
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private static URLClassLoader copyOfTheLibrary() throws IOException {
        String[] entries = System.getProperty("java.class.path").split(java.io.File.pathSeparator, -1);
        URL[] urls = new URL[entries.length];
        for (int i = 0; i < entries.length; i++) {
            urls[i] = Path.of(entries[i]).toUri().toURL();
        }
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static void assertKind(Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        JournalException.class,
                        e -> assertThat(e.kind()).as(e.toString()).isEqualTo(kind));
    }
}
