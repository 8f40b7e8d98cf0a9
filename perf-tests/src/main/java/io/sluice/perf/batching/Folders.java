package io.sluice.perf.batching;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Folders of journals that a measurement makes and removes. */
final class Folders {
    private Folders() {}

    /** Removes a folder that a measurement made, with the files in it; does nothing if it is not there. */
    static void removeJournal(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
    }
}
