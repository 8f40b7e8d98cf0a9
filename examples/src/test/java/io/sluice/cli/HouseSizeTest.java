package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How large the library is. The numbers below fall, and rise only with a feature. {@code docs/notes/size.md} shows what each part takes.
 */
@Tag("once")
@Tag("any-jdk")
class HouseSizeTest {
    /** Lines without comments, imports, package declarations and empty lines. */
    private static final int MOST_LINES_OF_CODE = 26_858;

    /** The face of the Disruptor is given, so it counts apart: in both versions. */
    private static final List<String> FACES = List.of("integrations/disruptor", "integrations/disruptor-3");

    /** A line of a module descriptor that exports a package to the face. */
    private static final Pattern TO_THE_FACE = Pattern.compile("(?m)^\\s+com\\.lmax\\.disruptor[,;]$");

    /** The rows of the table of the parts, and the package that each counts. What is in none of them is the last row. */
    private static final Map<String, String> PARTS = Map.ofEntries(
            Map.entry("ringbuffer.pipeline", "ringbuffer/io/sluice/ringbuffer/pipeline"),
            Map.entry("ringbuffer", "ringbuffer/io/sluice/ringbuffer"),
            Map.entry("batching.journal", "batching/io/sluice/batching/journal"),
            Map.entry("ordered-scheduler", "ordered-scheduler/io/sluice/ordered"),
            Map.entry("backpressure.nak", "backpressure/io/sluice/backpressure/nak"),
            Map.entry("integrations/aeron", "integrations/aeron/io/sluice/aeron"),
            Map.entry("batching", "batching/io/sluice/batching"),
            Map.entry("core.records", "core/io/sluice/core/records"),
            Map.entry("core.bytes", "core/io/sluice/core/bytes"),
            Map.entry("core", "core/io/sluice/core"),
            Map.entry("ringbuffer.monitor", "ringbuffer/io/sluice/ringbuffer/monitor"),
            Map.entry("backpressure.rate", "backpressure/io/sluice/backpressure/rate"),
            Map.entry("ringbuffer.counters", "ringbuffer/io/sluice/ringbuffer/counters"),
            Map.entry("backpressure.admission", "backpressure/io/sluice/backpressure/admission"),
            Map.entry("backpressure.flow", "backpressure/io/sluice/backpressure/flow"),
            Map.entry("ringbuffer.jfr", "ringbuffer/io/sluice/ringbuffer/jfr"));

    private static final String LAST_PART = "micrometer";

    private static final String SLOTS_OF_BYTES =
            "ringbuffer/.*/(?:ByteSlots|SlotStamps|SlotBarrier|SlotTranslator|SlotClearer"
                    + "|SlotHandler|SlotKey|StampedSingleRing|StampingProducer)";

    private static final String MESSAGES =
            "ringbuffer/.*/(?:Message\\w*|OpenMessage|ControlledMessageHandler|DroppingMessageProducer)";

    private static final String OTHERS_THAN_WERE_AIMED_AT =
            SLOTS_OF_BYTES + "|" + MESSAGES + "|core/io/sluice/core/(?:bytes|records)/.*|integrations/aeron/.*";

    /** The rows of the later tables, by their first cell, and the sources that each counts. */
    private static final Map<String, String> ROWS = Map.ofEntries(
            Map.entry("mapped counters, 650 less", "ringbuffer/.*/counters/(?!package).*"),
            Map.entry("LatestByKey, 176 less", ".*/LatestByKey"),
            Map.entry(
                    "nine loops, 600 less",
                    ".*/pipeline/(?:AbstractLoop|BatchLoop|EventLoop|EventPoller|LoopFailures|LoopTimeouts)"),
            Map.entry("the tracked ring for one producer, 276 less", ".*/TrackedSingle(?:Producer|Ring)"),
            Map.entry(
                    "publish forms, 200 less", ".*/(?:AbstractProducer|DroppingProducer|OldestDropper|TranslatorCall)"),
            Map.entry("events for JFR, 130 less", "ringbuffer/.*/jfr/(?!package).*"),
            Map.entry("Join, 120 less", ".*/Join"),
            Map.entry(
                    "node, pipeline and their settings, 150 less",
                    ".*/(?:ConsumerNode|ConsumerControl|Pipeline|PipelineGraph|PipelineConsumers|PipelineSettings"
                            + "|NewConsumer)"),
            Map.entry(
                    "ringbuffer, without bytes and messages",
                    "(?!" + SLOTS_OF_BYTES + "$)(?!" + MESSAGES + "$)ringbuffer/io/.*"),
            Map.entry("journal", "batching/.*/journal/.*"),
            Map.entry("back pressure, without the simulator", "backpressure/io/.*"),
            Map.entry("ordered scheduler", "ordered-scheduler/io/.*"),
            Map.entry("core, without bytes and records", "core/io/sluice/core/(?!bytes|records).*"),
            Map.entry("the journal", "batching/.*/journal/.*"),
            Map.entry(
                    "NAKs with their rate controls, suppression, transports and signs of life",
                    "backpressure/.*/nak/.*"),
            Map.entry("mapped counters and their reader", "ringbuffer/.*/counters/(?!package).*"),
            Map.entry("the adapters to Flow", "backpressure/.*/flow/.*"),
            Map.entry("MapOrdered, KeyedLanes, GetProcessPush", ".*/(?:MapOrdered|KeyedLanes|GetProcessPush)"));

    /** What the three features that a reader would have dropped, and all other promises, come to. */
    private static final int PROMISED = 1_956;

    /** Without the simulator. */
    private static final int LINES_WHEN_THE_AIM_WAS_SET = 15_990 - 931;

    private static final Pattern A_PUBLIC_TYPE =
            Pattern.compile("(?m)^public (?:(?:final|abstract|sealed|non-sealed) )*(?:class|interface|record|enum) ");

    /** Types of each package of the ring, and how many of them are public. */
    private static final Map<String, List<Integer>> MOST_TYPES = Map.of(
            "ring", List.of(82, 37),
            "counters", List.of(4, 3),
            "jfr", List.of(3, 2),
            "monitor", List.of(6, 4),
            "pipeline", List.of(49, 20),
            "specialize", List.of(1, 1));

    private static final int MOST_LINES_OF_THE_FACE = 3_594;

    /** All lines of its file. */
    private static final int MOST_LINES_OF_A_CLASS = 500;

    @Test
    void theLibraryGrowsNoLarger() throws IOException {
        Map<String, Integer> code = code();
        int face = 0;
        for (Path file : sources()) {
            String source = Repository.read(file);
            face += isOfTheFace(file) ? linesOfCode(source) : forTheFace(source);
        }
        assertThat(sum(code, ".*")).as("lines of code").isBetween(10_000, MOST_LINES_OF_CODE);
        assertThat(face).as("lines of the face").isBetween(1_000, MOST_LINES_OF_THE_FACE);
    }

    @Test
    void thePageShowsEachPart() throws IOException {
        Map<String, Integer> counted = new TreeMap<>();
        code().forEach((source, lines) -> {
            String folder = source.substring(0, source.lastIndexOf('/'));
            counted.merge(
                    PARTS.entrySet().stream()
                            .filter(part -> part.getValue().equals(folder))
                            .map(Map.Entry::getKey)
                            .findFirst()
                            .orElse(LAST_PART),
                    lines,
                    Integer::sum);
        });
        Map<String, Integer> shown = new TreeMap<>();
        for (List<String> row : rows("## Lines of code by part", "## What was removed")) {
            shown.put(row.get(0).replaceFirst(",.*", ""), number(row.get(1)));
        }
        assertThat(shown).isEqualTo(counted).hasSize(PARTS.size() + 1);
    }

    /** In tables of four columns the lines of today stand in the third, in those of two in the second. */
    @Test
    void thePageShowsWhatCouldGo() throws IOException {
        Map<String, Integer> code = code();
        Map<String, Integer> counted = new TreeMap<>();
        ROWS.forEach((row, sources) -> counted.put(row, sum(code, sources)));
        Map<String, Integer> shown = new TreeMap<>();
        for (List<String> row : rows("## What a reader promised", "## Duplicates")) {
            if (!row.get(2).equals("one helper")) {
                shown.put(row.get(0), number(row.get(2)));
            }
        }
        for (List<String> row : rows("## What 14,000 would take", "")) {
            shown.put(row.get(0), number(row.get(1)));
        }
        assertThat(shown).isEqualTo(counted);
    }

    @Test
    void theSentencesOfThePageShowTheSums() throws IOException {
        Map<String, Integer> code = code();
        int all = sum(code, ".*");
        int aimedAt = all - sum(code, OTHERS_THAN_WERE_AIMED_AT);
        int features = sum(
                code,
                ".*/(?:MapOrdered|KeyedLanes|GetProcessPush)|batching/.*/journal/.*|backpressure/.*/(?:nak|flow)/.*"
                        + "|ringbuffer/.*/counters/(?!package).*");
        int loops = sum(code, ROWS.get("nine loops, 600 less") + "|.*/pipeline/MessageLoop");
        assertThat(page().replaceAll("\\s+", " "))
                .contains(words("The library has %,d lines of code", all))
                .contains(words("The parts that existed when the aim was set have %,d", aimedAt))
                .contains(words("%,d for slots of bytes and", sum(code, SLOTS_OF_BYTES)))
                .contains(words("and %,d for messages", sum(code, MESSAGES)))
                .contains(words("with the one for messages %,d", loops))
                .contains(words("grew by about %,d lines", hundreds(aimedAt - LINES_WHEN_THE_AIM_WAS_SET)))
                .contains(words("all the same, to %,d,", aimedAt))
                .contains(words("about %,d lines would be left", hundreds(aimedAt - PROMISED)))
                .contains(words("have %,d lines.", sum(code, "(?:batching|backpressure|ordered-scheduler)/.*")))
                .contains(words("A cut of %,d lines", aimedAt - 14_000))
                .contains(words("Together they have %,d lines", features))
                .contains(words("without all five %,d lines are left", aimedAt - features));
    }

    private static String words(String words, int number) {
        return String.format(Locale.ROOT, words, number);
    }

    private static int hundreds(int number) {
        return (number + 50) / 100 * 100;
    }

    private static String page() {
        return Repository.read(Repository.root().resolve("docs/notes/size.md"));
    }

    /** The cells of the tables between two headings, without the heads of the tables. */
    private static List<List<String>> rows(String from, String to) {
        String page = page();
        int begin = page.indexOf(from);
        int end = to.isEmpty() ? page.length() : page.indexOf(to);
        assertThat(begin).as(from).isNotNegative().isLessThan(end);
        List<String> lines = page.substring(begin, end).lines().toList();
        List<List<String>> rows = new ArrayList<>();
        for (int i = 1; i < lines.size(); i++) {
            boolean head = i + 1 < lines.size() && lines.get(i + 1).startsWith("|---");
            if (lines.get(i).startsWith("| ") && !head) {
                rows.add(Stream.of(lines.get(i).replace("`", "").substring(1).split("\\|"))
                        .map(String::strip)
                        .toList());
            }
        }
        return rows;
    }

    private static int number(String cell) {
        return Integer.parseInt(cell.replace(",", ""));
    }

    /** The sum over the sources whose names match. */
    private static int sum(Map<String, Integer> code, String sources) {
        Pattern names = Pattern.compile(sources);
        return code.entrySet().stream()
                .filter(source -> names.matcher(source.getKey()).matches())
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /** Lines of each source but the face's, by module, package and name; those of a source for JDK 22 are added to the other one's. */
    private static Map<String, Integer> code() throws IOException {
        Map<String, Integer> code = new TreeMap<>();
        for (Path file : sources()) {
            if (!isOfTheFace(file)) {
                String source = Repository.read(file);
                String name = Repository.root().relativize(file).toString().replace('\\', '/');
                code.merge(
                        name.replaceFirst("/src/main/java(?:22)?/", "/").replaceFirst("\\.java$", ""),
                        linesOfCode(source) - forTheFace(source),
                        Integer::sum);
            }
        }
        return code;
    }

    private static boolean isOfTheFace(Path file) {
        return FACES.stream()
                .anyMatch(module -> file.startsWith(Repository.root().resolve(module)));
    }

    private static int forTheFace(String source) {
        return (int) TO_THE_FACE.matcher(source).results().count();
    }

    @Test
    void noRoomOfTheRingFillsUp() throws IOException {
        Map<String, String> rooms = new TreeMap<>();
        Path sources = Repository.root().resolve("ringbuffer/src/main/java/io/sluice/ringbuffer");
        for (Path file : Repository.files(sources)) {
            String name = file.getFileName().toString();
            if (name.endsWith(".java") && !name.equals("package-info.java")) {
                String room = sources.relativize(file.resolveSibling("")).toString();
                boolean open = A_PUBLIC_TYPE.matcher(Repository.read(file)).find();
                rooms.merge(room.isEmpty() ? "ring" : room, open ? "public " : "own ", String::concat);
            }
        }
        assertThat(rooms.keySet()).containsExactlyInAnyOrderElementsOf(MOST_TYPES.keySet());
        MOST_TYPES.forEach((room, most) -> {
            String types = rooms.get(room);
            assertThat(types.split(" ").length).as("types in " + room).isLessThanOrEqualTo(most.get(0));
            assertThat(types.split("public ", -1).length - 1)
                    .as("public types in " + room)
                    .isLessThanOrEqualTo(most.get(1));
        });
    }

    @Test
    void classesAreShort() throws IOException {
        Map<String, Integer> tooLong = new TreeMap<>();
        for (Path file : sources()) {
            int lines = (int) Repository.read(file).lines().count();
            String name = file.getFileName().toString();
            if (lines > MOST_LINES_OF_A_CLASS) {
                tooLong.put(name, lines);
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void commentsAreNotCounted() {
        assertThat(
                        linesOfCode(
                                "package a;\n\nimport b;\n\n/* one\n two */\n// three\n/** four */\nclass A {\n    int a; // five\n}\n"))
                .isEqualTo(3);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : Repository.libraryModules()) {
            for (String folder : List.of("java", "java22")) { // java22: for JDK 22 and newer
                Path part =
                        Repository.root().resolve(module).resolve("src/main").resolve(folder);
                if (Files.isDirectory(part)) {
                    Repository.files(part).stream()
                            .filter(file -> file.toString().endsWith(".java"))
                            .forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private static int linesOfCode(String source) {
        int code = 0;
        boolean inComment = false;
        for (String line : source.lines().map(String::strip).toList()) {
            if (inComment) {
                inComment = !line.contains("*/");
            } else if (line.startsWith("/*")) {
                inComment = !line.contains("*/");
            } else if (!(line.isEmpty()
                    || line.startsWith("//")
                    || line.startsWith("import ")
                    || line.startsWith("package "))) {
                code++;
            }
        }
        return code;
    }
}
