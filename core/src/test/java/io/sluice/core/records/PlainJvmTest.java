package io.sluice.core.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.bytes.SafeBuffer;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records in a JVM of their own, started without any option: they work, and nothing is printed by the JVM. */
@Tag("once")
class PlainJvmTest {
    record Trade(long id, @MaxLength(4) String venue, double price) {}

    @TempDir
    private Path folder;

    @Test
    void recordsNeedNoOptionOfTheJvm() throws Exception {
        assertThat(run()).isEqualTo("hidden true, 3 rows, Trade[id=2, venue=XLON, price=0.5]");
    }

    @Test
    void recordsNeedNoHiddenClasses() throws Exception {
        assertThat(run("-Dio.sluice.hiddenClasses=false"))
                .isEqualTo("hidden false, 3 rows, Trade[id=2, venue=XLON, price=0.5]");
    }

    private String run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Program.class.getName(), folder.resolve("trades").toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.redirectOutput(folder.resolve("out").toFile()).start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
        return java.nio.file.Files.readString(folder.resolve("out"), StandardCharsets.UTF_8)
                .strip();
    }

    /** What the process runs. */
    static final class Program {
        public static void main(String[] arguments) throws IOException {
            RecordCodec<Trade> codec = RecordCodec.of(MethodHandles.lookup(), Trade.class);
            Path file = Path.of(arguments[0]);
            try (RecordTable<Trade> table = RecordTable.offHeap(codec, 3)) {
                for (int row = 0; row < 3; row++) {
                    table.set(row, new Trade(2 - row, "XLON", row == 0 ? 0.5 : 1));
                }
                table.sort(codec.field("id"));
                table.save(file);
            }
            try (RecordTable<Trade> table = RecordTable.loadOnHeap(codec, file)) {
                SafeBuffer buffer = SafeBuffer.allocate(codec.size());
                codec.encode(table.get(2), buffer, 0);
                System.out.println("hidden " + codec.getClass().isHidden() + ", " + table.rows() + " rows, "
                        + codec.decode(buffer, 0));
            }
        }
    }
}
