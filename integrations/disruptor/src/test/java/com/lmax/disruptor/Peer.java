package com.lmax.disruptor;

import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The Disruptor's own jar, which the build copies beside the classes. It is never on the class path of the tests. */
final class Peer {
    private Peer() {}

    static Path jar() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException("the build copies the Disruptor's jar to target/peer", e);
        }
    }

    static boolean isVersion3() {
        return jar().getFileName().toString().startsWith("disruptor-3.");
    }

    private static Path folder() {
        Path folder = Path.of("target", "peer").toAbsolutePath();
        return Files.isDirectory(folder)
                ? folder
                : Path.of("integrations/disruptor/target/peer").toAbsolutePath();
    }

    /** The names of the classes of the jar, without those that are numbered. */
    static List<String> classes() throws IOException {
        try (JarFile jar = new JarFile(jar().toFile())) {
            return jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("com/lmax/") && name.endsWith(".class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> !name.matches(".*\\$\\d+"))
                    .sorted()
                    .toList();
        }
    }

    /** Sees the Disruptor's classes and the JDK's. */
    static URLClassLoader theirs() {
        return new URLClassLoader(urls(jar()), ClassLoader.getPlatformClassLoader());
    }

    /** Sees the Disruptor's classes, and classes of the tests that are defined anew by this loader, so that they use those. */
    static ClassLoader theirsWith(Class<?> program) {
        return new Loader(urls(jar()), program);
    }

    private static URL[] urls(Path jar) {
        try {
            return new URL[] {jar.toUri().toURL()};
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Loader extends URLClassLoader {
        private final Class<?> program;

        Loader(URL[] urls, Class<?> program) {
            super(urls, ClassLoader.getPlatformClassLoader());
            this.program = program;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.equals(program.getName()) && !name.startsWith(program.getName() + "$")) {
                return super.findClass(name);
            }
            try (InputStream in = program.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
