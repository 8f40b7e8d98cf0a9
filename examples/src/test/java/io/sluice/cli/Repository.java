package io.sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The source tree that the tests of the house look at. */
final class Repository {
    private static final Set<String> NOT_OURS = Set.of("target", ".git", ".idea", ".vscode", ".settings");

    private Repository() {}

    /** Returns the folder of the parent pom and of the launcher. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null) {
            if (Files.isRegularFile(folder.resolve("sluice")) && Files.isRegularFile(folder.resolve("pom.xml"))) {
                return folder;
            }
            folder = folder.getParent();
        }
        throw new IllegalStateException("no folder above " + Path.of("").toAbsolutePath() + " holds the launcher");
    }

    /** Returns the files of the tree, sorted, without what a build or an editor leaves. */
    static List<Path> files() {
        return files(root());
    }

    /** Returns the files below a folder, sorted, without what a build or an editor leaves. */
    static List<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> !NOT_OURS.contains(file.getFileName().toString()))
                    .flatMap(file -> Files.isDirectory(file) ? files(file).stream() : Stream.of(file))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the folders of the modules that are published: those whose pom does not call them tooling. */
    static List<String> libraryModules() throws IOException {
        return new Poms(root())
                .modules().stream()
                        .filter(module -> !module.equals("bom"))
                        .filter(module -> !read(root().resolve(module).resolve("pom.xml"))
                                .contains("<sluice.tooling>true</sluice.tooling>"))
                        .toList();
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
