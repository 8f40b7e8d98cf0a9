package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system that fails in the middle: what was declared is thrown, and nothing is kept. */
class FailingFolderTest {
    @TempDir
    Path folder;

    @Test
    void aListThatBreaksOffThrowsWhatItDeclares() throws Exception {
        Files.createFile(folder.resolve("one"));
        Files.createFile(folder.resolve("two"));
        FailingFolder failing = new FailingFolder(folder);
        DiskStorage storage = new DiskStorage(failing.path());
        assertThat(storage.list()).containsExactlyInAnyOrder("one", "two");
        for (int names = 0; names <= 2; names++) {
            failing.namesBeforeFailure = names;
            assertThatThrownBy(storage::list)
                    .as("after %d names", names)
                    .isInstanceOf(IOException.class)
                    .hasMessage("planned");
        }
    }

    /** Else a loss of power may take the folder, with all that was forced in it. */
    @Test
    void aFolderThatIsMadeIsForcedIntoTheOnesAboveIt() throws Exception {
        assumeThat(File.separatorChar).isEqualTo('/'); // Windows opens no folders
        FailingFolder failing = new FailingFolder(folder.resolve("data/orders"));
        DiskStorage storage = new DiskStorage(failing.path());
        storage.createFolder();
        assertThat(folder.resolve("data/orders")).isDirectory();
        assertThat(failing.opened)
                .containsExactlyInAnyOrder(
                        folder.toString(), folder.resolve("data").toString());
        failing.opened.clear();
        storage.createFolder();
        assertThat(failing.opened).isEmpty();
    }

    /** The first look is for who holds it, the second one for the key of what was locked. */
    @Test
    void aLockWhoseKeyCannotBeReadIsGivenBack() throws Exception {
        Path file = folder.resolve(FileNames.LOCK);
        FailingFolder failing = new FailingFolder(file);
        for (int looks = 0; looks < 2; looks++) {
            failing.looksBeforeFailure = looks;
            assertThatThrownBy(() -> FolderLock.tryLock(failing.path()))
                    .as("after %d looks", looks)
                    .isInstanceOf(IOException.class)
                    .hasMessage("planned");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.tryLock()) {
                assertThat(lock).as("after %d looks", looks).isNotNull();
            }
        }
        failing.looksBeforeFailure = -1;
        try (Closeable lock = FolderLock.tryLock(failing.path())) {
            assertThat(lock).isNotNull();
            assertThat(FolderLock.tryLock(file)).isNull();
        }
    }
}
