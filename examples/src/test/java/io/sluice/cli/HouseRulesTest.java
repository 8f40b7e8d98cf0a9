package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What holds for the whole tree: library modules' classes and poms, the BOM, and what no file may contain. */
@Tag("once")
@Tag("any-jdk")
class HouseRulesTest {
    private static final Set<String> TEXT = Set.of(
            "java",
            "xml",
            "md",
            "sh",
            "properties",
            "yml",
            "yaml",
            "json",
            "csv",
            "tla",
            "cfg",
            "config",
            "txt",
            "html");

    // ---- classes of the library modules

    @Test
    void libraryClassesKeepTheRules() throws IOException {
        int classes = 0;
        List<String> faults = new ArrayList<>();
        for (String module : Repository.libraryModules()) {
            Path folder = Repository.root().resolve(module).resolve("target").resolve("classes");
            assertThat(folder).as("built before examples").isDirectory();
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".class")).toList()) {
                    classes++;
                    faults(Files.readAllBytes(file)).forEach(fault -> faults.add(module + ": " + fault));
                }
            }
        }
        assertThat(faults).isEmpty();
        assertThat(classes).isGreaterThan(Repository.libraryModules().size());
    }

    /** What the rules forbid: a member of a class, all members of a class, or a member by its name alone. */
    private static final Map<String, String> FORBIDDEN = Map.ofEntries(
            Map.entry("sun/misc/Unsafe.*", "uses sun.misc.Unsafe"),
            Map.entry("jdk/internal/misc/Unsafe.*", "uses an internal Unsafe"),
            Map.entry("java/lang/System.out", "prints"),
            Map.entry("java/lang/System.err", "prints"),
            Map.entry(".printStackTrace", "prints"),
            Map.entry("java/lang/System.getLogger", "logs"),
            Map.entry("java/util/logging/Logger.*", "logs"),
            Map.entry("java/lang/System.exit", "ends the JVM"),
            Map.entry("java/lang/Runtime.exit", "ends the JVM"),
            Map.entry("java/lang/Runtime.halt", "ends the JVM"),
            Map.entry("java/lang/Runtime.addShutdownHook", "installs a shutdown hook"),
            Map.entry(".setAccessible", "breaks into other classes"));

    /**
     * Who may log all the same: a failure that ends a ring or a scheduler is reported once, where no error handler was set. Silence by
     * default cost new users too much. The watchdog logs since that is what it is switched on for; a counters file and meters, where an
     * exception would keep the figures of others from being written, or read.
     */
    private static final Set<String> MAY_LOG = Set.of(
            "io/sluice/ringbuffer/pipeline/FailureReports",
            "io/sluice/ringbuffer/monitor/Watchdog",
            "io/sluice/ringbuffer/counters/CountersFile$Entry",
            "io/sluice/ordered/ErrorLog",
            "io/sluice/micrometer/RingMetrics",
            "com/lmax/disruptor/Log",
            "com/lmax/disruptor/LoggingHandler");

    /** What the API of the Disruptor demands, and what is stored where there is no stack for the call of a VarHandle. */
    private static final Set<String> MAY_BE_VOLATILE =
            Set.of("com/lmax/disruptor/AbstractSequencer.gatingSequences", "io/sluice/ringbuffer/WakeUps.owed");

    static List<String> faults(byte[] bytes) {
        List<String> faults = new ArrayList<>();
        ClassReader reader = new ClassReader(bytes);
        String name = reader.getClassName();
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public @Nullable FieldVisitor visitField(
                            int access, String field, String descriptor, String signature, Object value) {
                        if ((access & Opcodes.ACC_VOLATILE) != 0 && !MAY_BE_VOLATILE.contains(name + "." + field)) {
                            faults.add(name + "." + field + " is volatile; use a VarHandle, the mode in the name");
                        }
                        return null;
                    }

                    @Override
                    public MethodVisitor visitMethod(
                            int access, String method, String descriptor, String signature, String[] exceptions) {
                        return new MethodVisitor(Opcodes.ASM9) {
                            @Override
                            public void visitFieldInsn(int opcode, String owner, String member, String type) {
                                check(owner, member);
                            }

                            @Override
                            public void visitMethodInsn(
                                    int opcode, String owner, String member, String type, boolean isInterface) {
                                check(owner, member);
                            }

                            private void check(String owner, String member) {
                                for (String what : List.of(owner + "." + member, owner + ".*", "." + member)) {
                                    String why = FORBIDDEN.get(what);
                                    if (why != null && !(why.equals("logs") && MAY_LOG.contains(name))) {
                                        faults.add(name + "." + method + " " + why + " (" + owner + "." + member + ")");
                                    }
                                }
                            }
                        };
                    }
                },
                ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return faults;
    }

    // ---- poms and module descriptors

    @Test
    void theBomListsEveryLibraryModule() throws IOException {
        List<String> artifacts = new ArrayList<>();
        for (String module : Repository.libraryModules()) {
            artifacts.add(first(Pattern.compile("</parent>.*?<artifactId>([^<]+)<", Pattern.DOTALL), pom(module)));
        }
        List<String> listed = Pattern.compile("<dependency>\\s*<groupId>io\\.sluice</groupId>\\s*<artifactId>([^<]+)<")
                .matcher(pom("bom"))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(artifacts).contains("sluice-core", "sluice-ringbuffer");
        assertThat(listed).containsExactlyInAnyOrderElementsOf(artifacts);
    }

    @Test
    void everyLibraryModuleIsAModuleWhosePackagesAreExplained() throws IOException {
        for (String module : Repository.libraryModules()) {
            Path sources = Repository.root().resolve(module).resolve("src/main/java");
            assertThat(sources.resolve("module-info.java")).isRegularFile();
            Set<Path> packages = new TreeSet<>();
            for (Path file : Repository.files(sources)) {
                if (file.toString().endsWith(".java") && !file.equals(sources.resolve(file.getFileName()))) {
                    packages.add(file.resolveSibling(""));
                }
            }
            assertThat(packages)
                    .allSatisfy(folder ->
                            assertThat(folder.resolve("package-info.java")).isRegularFile());
        }
    }

    /** Sources and Javadoc come with each jar, Javadoc from the first public type on. */
    @Test
    void everyLibraryModuleAttachesSourcesAndJavadoc() throws IOException {
        for (String module : Repository.libraryModules()) {
            assertThat(pom(module)).as(module).contains("maven-source-plugin");
            boolean hasTypes = Repository.files(
                            Repository.root().resolve(module).resolve("src/main/java"))
                    .stream()
                    .anyMatch(file -> !file.getFileName().toString().endsWith("-info.java"));
            if (hasTypes) {
                assertThat(pom(module)).as(module).contains("maven-javadoc-plugin");
            }
        }
    }

    @Test
    void libraryModulesOpenNothing() throws IOException {
        for (String module : Repository.libraryModules()) {
            for (Path file : Repository.files(Repository.root().resolve(module))) {
                if (isText(file) && !file.toString().contains("/src/test/")) {
                    assertThat(Repository.read(file))
                            .as(file.toString())
                            .doesNotContainIgnoringCase("add-opens")
                            .doesNotContainPattern("(?m)^\\s*opens ");
                }
            }
        }
    }

    /** What a user of a library module gets with it is explained. */
    @Test
    void everyDependencyOfALibraryModuleIsExplained() throws IOException {
        Set<String> artifacts = new TreeSet<>();
        Pattern dependency = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
        for (String module : Repository.libraryModules()) {
            Matcher matcher = dependency.matcher(pom(module));
            while (matcher.find()) {
                if (!matcher.group(1).contains("<scope>test</scope>")
                        && !matcher.group(1).contains("<groupId>io.sluice</groupId>")) {
                    artifacts.add(first(Pattern.compile("<groupId>([^<]+)<"), matcher.group(1)) + ":"
                            + first(Pattern.compile("<artifactId>([^<]+)<"), matcher.group(1)));
                }
            }
        }
        assertThat(artifacts).contains("org.agrona:agrona");
        assertThat(Repository.read(Repository.root().resolve("docs/dependencies.md")))
                .contains(artifacts);
    }

    // ---- all files

    /** A folder that is new here is a decision. That of test-support has its reason on the page of tests. */
    @Test
    void theTopOfTheTreeHoldsTheseFoldersOnly() {
        Set<String> folders = new TreeSet<>();
        for (Path file : Repository.files()) {
            Path below = Repository.root().relativize(file);
            if (below.getNameCount() > 1) {
                folders.add(below.getName(0).toString());
            }
        }
        assertThat(folders)
                .containsExactlyInAnyOrder(
                        ".ci",
                        ".mvn",
                        "backpressure",
                        "batching",
                        "bom",
                        "core",
                        "docs",
                        "examples",
                        "integrations",
                        "jcstress-tests",
                        "models",
                        "ordered-scheduler",
                        "perf-tests",
                        "ringbuffer",
                        "test-support");
        String page = Repository.read(Repository.root().resolve("docs").resolve("testing.md"))
                .replaceAll("\\s+", " ");
        assertThat(page)
                .contains("The harness has a module of its own, `test-support`.")
                .contains("The tests of `core` use it, so it cannot be in a module that depends on `core`.");
    }

    @Test
    void noFileNamesAPathOfSomeonesMachine() {
        assertThat(matches(Pattern.compile("(?:^|[\\s\"'=:(`])(?:/home/|/root/|/Users/|/work/|[A-Z]:\\\\Users)\\w")))
                .isEmpty();
    }

    @Test
    void noSourceSaysThatItIsUnfinished() {
        assertThat(matches(Pattern.compile("\\b(?:TO" + "DO|FIX" + "ME|XX" + "X)\\b")))
                .isEmpty();
    }

    @Test
    void noFileHoldsBothSidesOfAMerge() {
        assertThat(matches(Pattern.compile("(?m)^(?:<{7}|>{7}) "))).isEmpty();
    }

    /** The formatter breaks a comment that is too long, and leaves its last words on a line of their own. */
    @Test
    void noCommentIsTorn() {
        List<String> torn = new ArrayList<>();
        for (Path file : Repository.files()) {
            if (file.toString().endsWith(".java")) {
                tornLines(Repository.read(file).split("\n", -1))
                        .forEach(line -> torn.add(Repository.root().relativize(file) + ":" + line));
            }
        }
        assertThat(torn).isEmpty();
    }

    private static final Pattern COMMENT = Pattern.compile("//\\s+(\\S.*)$");
    private static final int MOST_WORDS_OF_A_TORN_LINE = 4;

    /** Lines of a few words below a comment that has not come to a stop. */
    static List<String> tornLines(String... lines) {
        List<String> torn = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            String words = lines[i].strip();
            Matcher above = COMMENT.matcher(lines[i - 1].stripTrailing());
            if (words.startsWith("// ")
                    && words.split("\\s+").length - 1 <= MOST_WORDS_OF_A_TORN_LINE
                    && above.find()
                    && !above.group(1).matches(".*[.:;!?]")) {
                torn.add(i + 1 + ": " + words);
            }
        }
        return torn;
    }

    private static List<String> matches(Pattern pattern) {
        List<String> found = new ArrayList<>();
        for (Path file : Repository.files()) {
            if (isText(file)) {
                int number = 0;
                for (String line : Repository.read(file).split("\n", -1)) {
                    number++;
                    if (pattern.matcher(line).find()) {
                        found.add(Repository.root().relativize(file) + ":" + number + ": " + line.strip());
                    }
                }
            }
        }
        return found;
    }

    private static boolean isText(Path file) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot <= 0 || TEXT.contains(name.substring(dot + 1));
    }

    private static String pom(String module) {
        return Repository.read(Repository.root().resolve(module).resolve("pom.xml"));
    }

    private static String first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(pattern + " in\n" + text).isTrue();
        return matcher.group(1);
    }

    // ---- the checker itself

    @Nested
    class Checker {
        @SuppressWarnings("unused")
        static class Breaks {
            private volatile int counter;

            void all(Exception e) throws Exception {
                System.out.println(counter);
                System.err.println();
                e.printStackTrace();
                Runtime.getRuntime().addShutdownHook(new Thread());
                System.exit(1);
                System.getLogger("x");
                Breaks.class.getDeclaredField("counter").setAccessible(true);
            }
        }

        @SuppressWarnings("unused")
        static class Keeps {
            private int counter;

            String all() {
                return new String(new byte[0], StandardCharsets.UTF_8) + counter;
            }
        }

        @Test
        void findsEachBreach() throws IOException {
            assertThat(faults(bytes(Breaks.class)))
                    .hasSize(8)
                    .anyMatch(fault -> fault.contains("counter is volatile"))
                    .anyMatch(fault -> fault.contains("(java/lang/System.out)"))
                    .anyMatch(fault -> fault.contains("(java/lang/System.err)"))
                    .anyMatch(fault -> fault.contains("Exception.printStackTrace)"))
                    .anyMatch(fault -> fault.contains("(java/lang/Runtime.addShutdownHook)"))
                    .anyMatch(fault -> fault.contains("(java/lang/System.exit)"))
                    .anyMatch(fault -> fault.contains("(java/lang/System.getLogger)"))
                    .anyMatch(fault -> fault.contains("Field.setAccessible)"));
            assertThat(faults(bytes(Keeps.class))).isEmpty();
        }

        @Test
        void findsATornComment() {
            assertThat(tornLines("int a; // before the clock: whoever ends it may go", "// on first", "int b;"))
                    .containsExactly("2: // on first");
            assertThat(tornLines("// one, which comes to its end.", "// Another one.", "int a;", "// a third"))
                    .isEmpty();
            assertThat(tornLines("// one that goes on for longer than", "// four words on its second line"))
                    .isEmpty();
        }

        private byte[] bytes(Class<?> type) throws IOException {
            try (var in = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
                return in.readAllBytes();
            }
        }
    }
}
