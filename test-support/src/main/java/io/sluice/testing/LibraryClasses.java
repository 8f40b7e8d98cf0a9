package io.sluice.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The classes of the library that a test can see. */
final class LibraryClasses {
    private static final String ROOT = "io/sluice";
    private static final String SUFFIX = ".class";

    private LibraryClasses() {}

    /** Initialises all of them. Leaves out those that need an absent library. */
    static void initialise() {
        try {
            for (URL folder :
                    Collections.list(LibraryClasses.class.getClassLoader().getResources(ROOT))) {
                if (!folder.getPath().contains("/test-classes/")) {
                    of(folder.toURI()).forEach(LibraryClasses::initialise);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> of(URI folder) throws IOException {
        if (!"jar".equals(folder.getScheme())) {
            return under(Path.of(folder));
        }
        try (FileSystem jar = FileSystems.newFileSystem(folder, Map.of())) {
            return under(jar.getPath(ROOT));
        }
    }

    private static List<String> under(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(file -> file.endsWith(SUFFIX) && !file.contains("-info"))
                    .map(file -> ROOT + "/" + file.substring(0, file.length() - SUFFIX.length()))
                    .map(file -> file.replace('\\', '.').replace('/', '.'))
                    .collect(Collectors.toList());
        }
    }

    private static void initialise(String name) {
        try {
            Class.forName(name, true, LibraryClasses.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return; // of an integration, whose library this test has not
        }
    }
}
