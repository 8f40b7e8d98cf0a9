package io.sluice.core.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.records.ClosedTables;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What becomes of the memory of a closed buffer, and of one that nobody closes. Each in a JVM that takes our classes from a jar: from a
 * folder a JVM takes no class that is for newer JDKs.
 */
@Tag("once")
@Timeout(120)
class OwnedMemoryTest {
    @TempDir
    Path folder;

    private String classPath = "";

    /** Whether the classes were built on a JDK that has arenas, and this one has them too. */
    private boolean returnsAtOnce;

    @BeforeEach
    void classesFromAJar() throws Exception {
        Path classes = Path.of(SafeBuffer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        if (Files.isRegularFile(classes)) {
            throw new IllegalStateException(
                    "tests of core must run from its folder of classes, but ran from " + classes);
        }
        Path jar = packed(classes, folder.resolve("core.jar"));
        boolean hasBothParts = Files.isDirectory(classes.resolve("META-INF/versions/22"));
        assertThat(hasBothParts || Integer.getInteger("sluice.builtOn", 0) < 22)
                .as("a build on JDK 22 or newer makes both parts")
                .isTrue();
        returnsAtOnce = Runtime.version().feature() >= 22 && hasBothParts;
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        classPath = Arrays.stream(all.split(File.pathSeparator))
                .map(entry -> Path.of(entry).equals(classes) ? jar.toString() : entry)
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(classPath).contains(jar.toString());
    }

    private static Path packed(Path classes, Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MULTI_RELEASE, "true");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }

    private List<String> said(Class<?> program) throws Exception {
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:MaxDirectMemorySize=64m",
                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", // for Agrona's own buffer
                        "-cp",
                        classPath,
                        program.getName(),
                        Files.write(folder.resolve("mapped"), new byte[64]).toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(out);
    }

    @Test
    void anotherBufferOverClosedMemoryIsRefusedWhereTheMemoryGoesAtOnce() throws Exception {
        String refused = "memory must be open, but the buffer that owns it was closed";
        String misaligned = "atomic access to 4 bytes must be aligned to them, but index 1 is at an address 1 behind";
        assertThat(said(Closed.class))
                .containsExactlyElementsOf(
                        returnsAtOnce
                                ? List.of(
                                        refused,
                                        refused,
                                        refused,
                                        refused,
                                        refused,
                                        "Already closed",
                                        "Already closed",
                                        "Already closed",
                                        "7")
                                : List.of("7", "7", "0", misaligned, "7", "7", "7", "7", "7"));
    }

    @Test
    void memoryThatNobodyClosesGoesWithTheCollectorOnceNoViewIsLeft() throws Exception {
        assertThat(said(NotClosed.class)).containsExactly("what nobody refers to is gone", "7 is still there");
    }

    @Test
    void aTableIsClosedThoughTheEndOfTheStackHasCutOffItsClose() throws Exception {
        assertThat(said(ClosedTables.CutOff.class)).containsExactly("each page is closed");
    }

    @Test
    void aPageThatAChannelReadsIntoKeepsNoOtherPageOpen() throws Exception {
        assertThat(said(ClosedTables.WhileAChannelReads.class))
                .containsExactlyElementsOf(
                        returnsAtOnce
                                ? List.of("refused: IllegalStateException and 1", "open", "closed", "open")
                                : List.of("closed", "closed", "closed"));
    }

    /** Reads by other buffers what their owner has closed. */
    static final class Closed {
        private Closed() {}

        public static void main(String[] arguments) throws IOException {
            SafeBuffer owner = SafeBuffer.allocateScoped(64);
            owner.putLong(8, 7);
            SafeBuffer part = new SafeBuffer(owner, 8, 16);
            SafeBuffer whole = new SafeBuffer(owner, 0, 64);
            ByteBuffer bytes = owner.byteBuffer();
            if (bytes == null) {
                throw new IllegalStateException("direct memory must be a ByteBuffer's");
            }
            owner.close();
            say(() -> part.getLong(0));
            say(() -> part.getLongVolatile(0));
            say(() -> part.getInt(1)); // as the fields of a packed message are
            say(() -> part.getIntVolatile(1));
            say(() -> whole.getByte(8 + (java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.BIG_ENDIAN ? 7 : 0)));
            say(() -> bytes.order(java.nio.ByteOrder.nativeOrder()).getLong(8));
            UnsafeBuffer agronas = new UnsafeBuffer(new byte[8]);
            say(() -> {
                part.getBytes(0, agronas, 0, 8);
                return agronas.getLong(0);
            });
            say(() -> {
                part.putBytes(0, agronas, 0, 8);
                return part.getLong(0);
            });

            try (FileChannel channel =
                    FileChannel.open(Path.of(arguments[0]), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                SafeBuffer mapped = SafeBuffer.map(channel, FileChannel.MapMode.READ_WRITE, 0, 64);
                mapped.putLong(0, 7);
                SafeBuffer overIt = new SafeBuffer(mapped, 0, 8);
                mapped.close();
                say(() -> overIt.getLong(0));
            }
        }

        private static void say(java.util.function.LongSupplier access) {
            try {
                System.out.println(access.getAsLong());
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** Forgets buffers without closing them; keeps a view of one. */
    static final class NotClosed {
        private static final int SIZE = 8 << 20;
        private static final int ROUNDS = 48;

        private NotClosed() {}

        public static void main(String[] arguments) throws Exception {
            ByteBuffer kept = viewOfAForgottenBuffer();
            for (int i = 0; i < ROUNDS; i++) {
                SafeBuffer.allocateScoped(SIZE).putByte(SIZE - 1, (byte) 1);
                System.gc();
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (residentBytes() > (long) SIZE * ROUNDS && System.nanoTime() < deadline) {
                System.gc();
            }
            System.out.println(
                    residentBytes() > (long) SIZE * ROUNDS
                            ? residentBytes() + " are used"
                            : "what nobody refers to is gone");
            System.out.println(kept.get(0) + " is still there");
        }

        private static ByteBuffer viewOfAForgottenBuffer() {
            SafeBuffer buffer = SafeBuffer.allocateScoped(SIZE);
            buffer.putByte(8, (byte) 7);
            ByteBuffer bytes = buffer.byteBuffer();
            if (bytes == null) {
                throw new IllegalStateException("direct memory must be a ByteBuffer's");
            }
            return bytes.slice(8, 8);
        }

        /** What the process has in memory, where the system tells it; else 0. */
        private static long residentBytes() throws IOException {
            Path status = Path.of("/proc/self/status");
            if (!Files.isReadable(status)) {
                return 0;
            }
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(0);
        }
    }
}
