package io.sluice.jcstress.twin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.aeron.AeronSender;
import io.sluice.core.Sequence;
import io.sluice.ordered.OrderedScheduler;
import io.sluice.ringbuffer.RingBuffer;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The byte code, access-modes.txt and docs/memory-model.md say the same about every access to a shared variable. */
@Tag("once")
class AccessModesTest {
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(\\w+\\.\\w+(?:\\[])?)` \\|[^|]*\\|([^|]*)\\|([^|]*)\\|");

    /** What the table calls the modes of VarHandle. */
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("set", "plain"),
            Map.entry("setOpaque", "opaque"),
            Map.entry("setRelease", "release"),
            Map.entry("setVolatile", "volatile"),
            Map.entry("compareAndSet", "CAS"),
            Map.entry("get", "plain"),
            Map.entry("getOpaque", "opaque"),
            Map.entry("getAcquire", "acquire"),
            Map.entry("getVolatile", "volatile"),
            Map.entry("getAndAdd", "read-modify-write"),
            Map.entry("getAndBitwiseOr", "read-modify-write"),
            Map.entry("getAndSet", "exchange"));

    /** The arrays whose elements the handles are for. */
    private static final Map<String, String> ARRAYS = Map.ofEntries(
            Map.entry("OWNER[]", "TrackedStamps.owners[]"),
            Map.entry("EVENT[]", "ReplaceableSlots.events[]"),
            Map.entry("STAMP[]", "ArrayStamps.stamps[]"),
            Map.entry("LAP[]", "MessageStamps.laps[]"),
            Map.entry("EIGHT[]", "MessageStamps.laps[]"),
            Map.entry("MARK[]", "SlotMarks.marks[]"),
            Map.entry("COUNT[]", "OpaqueCounters.counts[]"),
            Map.entry("SLOT[]", "LatestByKey.slots[]"),
            Map.entry("KEY[]", "LatestByKey.keys[]"),
            Map.entry("DONE[]", "WorkerPoolState.done[]"),
            Map.entry("IN_SLOT[]", "SlotStamps.memory[]"),
            Map.entry("WORDS[]", "OrderBuffer.words[]"),
            Map.entry("ISSUED[]", "TicketClock.issued[]"),
            Map.entry("EXPIRED[]", "TicketClock.expired[]"),
            Map.entry("OWNERS[]", "TicketClock.owners[]"),
            Map.entry("OPEN[]", "MapOrdered.open[]"));

    /** A codec's views of a caller's array: plain, since the caller publishes the bytes. */
    private static final Set<String> CODEC_VIEWS = Set.of("SHORTS[]", "INTS[]", "LONGS[]", "DOUBLES[]");

    /** The views of a SafeBuffer's memory: the caller chooses the mode by the method's name. */
    private static final Set<String> VIEWS = Set.of("LONG[]", "INT[]", "SHORT[]", "CHAR[]", "DOUBLE[]", "FLOAT[]");

    @Test
    void theByteCodeHasTheAccessesThatArePinned() throws Exception {
        List<String> scanned = new ArrayList<>();
        for (Class<?> of : List.of(Sequence.class, RingBuffer.class, OrderedScheduler.class, AeronSender.class)) {
            for (byte[] file : classFiles(of)) {
                scanned.addAll(AccessModes.scan(file));
            }
        }
        assertThat(scanned).hasSizeGreaterThan(100);
        assertThat(String.join("\n", scanned)).isEqualTo(String.join("\n", AccessModes.pinned()));
    }

    @Test
    void theTableNamesTheModeOfEachAccess() throws IOException {
        Map<String, String[]> table = new TreeMap<>();
        String guide = Files.readString(memoryModel(), StandardCharsets.UTF_8);
        int end = guide.indexOf("\n## Where it is shown"); // its rows are of another table
        assertThat(end).isPositive();
        Matcher rows = ROW.matcher(guide.substring(0, end));
        while (rows.find()) {
            table.put(rows.group(1), new String[] {rows.group(2), rows.group(3)});
        }
        Set<String> wrong = new TreeSet<>();
        for (String line : AccessModes.pinned()) {
            String[] words = line.split(" ", -1);
            String field = ARRAYS.getOrDefault(words[2], words[2]);
            String mode = words[3];
            if (field.equals("-")
                    || field.equals("PaddedValue.value")
                    || VIEWS.contains(field)
                    || (CODEC_VIEWS.contains(field) && Set.of("get", "set").contains(mode))) {
                continue; // Sequence and SafeBuffer: the next tests
            }
            assertThat(table).as(line).containsKey(field);
            String cell = table.get(field)[mode.startsWith("get") && !mode.startsWith("getAnd") ? 1 : 0];
            if (!cell.contains(WORDS.get(mode))) {
                wrong.add(line + ": the table says" + cell);
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void aSequencesMethodHasTheModeOfItsName() throws IOException {
        List<String> accesses = AccessModes.pinned().stream()
                .filter(line -> line.contains(" PaddedValue.value "))
                .toList();
        assertThat(accesses).hasSize(12);
        for (String line : accesses) {
            String[] words = line.split(" ", -1);
            String method = switch (words[1]) {
                case "<init>" -> "setRelease";
                case "get" -> "getAcquire";
                case "getPlain" -> "get";
                case "setPlain" -> "set";
                default -> words[1];
            };
            assertThat(words[3]).as(line).isEqualTo(method);
        }
    }

    @Test
    void aBuffersMethodHasTheModeOfItsName() throws IOException {
        List<String> accesses = AccessModes.pinned().stream()
                .filter(line -> VIEWS.contains(line.split(" ", -1)[2]))
                .toList();
        assertThat(accesses).hasSize(38);
        for (String line : accesses) {
            String[] words = line.split(" ", -1);
            String method = words[1].replaceFirst("Long|Int|Short|Char|Double|Float", "")
                    .replaceFirst("^put", "set");
            assertThat(words[3]).as(line).isEqualTo(method.equals("addRelease") ? "getAndAddRelease" : method);
            assertThat(words[1].toUpperCase(Locale.ROOT)).as(line).contains(words[2].replace("[]", ""));
        }
    }

    @Test
    void theScanNoticesEveryPinnedRow() throws Exception {
        List<Row> pinned = Catalogue.rows().stream()
                .filter(row -> row.layer() == Row.Layer.PINNED)
                .toList();
        assertThat(pinned).isNotEmpty();
        for (Row row : pinned) {
            assertThat(AccessModes.notices(row)).as(row.name()).isTrue();
        }
    }

    private static Path memoryModel() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("docs").resolve("memory-model.md"))) {
            here = here.getParent();
        }
        return here.resolve("docs").resolve("memory-model.md");
    }

    /** The class files beside a class, in a folder or in a jar, by name. */
    private static List<byte[]> classFiles(Class<?> of) throws IOException, URISyntaxException {
        URI source = of.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path path = Path.of(source);
        if (Files.isDirectory(path)) {
            return read(path);
        }
        try (FileSystem jar = FileSystems.newFileSystem(path)) {
            return read(jar.getPath("/"));
        }
    }

    private static List<byte[]> read(Path root) throws IOException {
        List<byte[]> files = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(root)) {
            Path[] sorted = walk.filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> !file.toString().endsWith("module-info.class"))
                    .toArray(Path[]::new);
            Arrays.sort(sorted, (a, b) -> a.toString().compareTo(b.toString()));
            for (Path file : sorted) {
                files.add(Files.readAllBytes(file));
            }
        }
        return files;
    }
}
