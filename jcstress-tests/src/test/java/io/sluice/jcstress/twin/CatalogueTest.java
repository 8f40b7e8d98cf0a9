package io.sluice.jcstress.twin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.Opcodes;

/** Every row of the catalogue fits the code of today, and a row that does not is refused. */
@Tag("once")
class CatalogueTest {
    /** The counts of today: they may only grow. A row that goes has to be replaced, or to have its reason where this number falls. */
    private static final int FEWEST_ROWS = 873;

    private static final int FEWEST_JCSTRESS_TESTS = 117;

    /** A test's annotation and its class, with what stands between them. */
    private static final Pattern A_JCSTRESS_TEST = Pattern.compile("(?m)^\\s*@JCStressTest\\b(?s:.*?)\\bclass (\\w+)");

    private static final Edit.Site HANDLE_RELEASE = new Edit.Call("java/lang/invoke/VarHandle", "setRelease");

    static List<Row> rows() {
        return Catalogue.rows();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void matchesExactlyOneInstructionAndTheTwinIsAValidClass(Row row) throws Exception {
        Map<String, byte[]> twin = Rewriter.twin(row);
        assertThat(twin.keySet()).containsExactlyElementsOf(row.classes());
        TwinLoader loader = new TwinLoader(twin);
        for (Map.Entry<String, byte[]> one : twin.entrySet()) {
            assertThat(one.getValue()).isNotEqualTo(Rewriter.shipped(one.getKey()));
            // Initialized, so that the verifier has seen it.
            Class<?> loaded = Class.forName(one.getKey(), true, loader);
            assertThat(loaded.getClassLoader()).isSameAs(loader);
        }
    }

    @Test
    void namesAreUniqueAndPlain() {
        assertThat(Catalogue.rows())
                .extracting(Row::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z0-9-]+"));
    }

    @Test
    void thereAreNoFewerRowsThanBeforeAndEachJUnitRowNamesATestThatIsThere() throws Exception {
        assertThat(Catalogue.rows()).hasSizeGreaterThanOrEqualTo(FEWEST_ROWS);
        for (Row row : Catalogue.rows()) {
            if (row.layer() == Row.Layer.JUNIT || row.layer() == Row.Layer.LINCHECK) {
                assertThat(testSource(row.expected())).as(row.name()).contains(methodOf(row.expected()));
            }
        }
    }

    @Test
    void thereAreNoFewerJcstressTestsThanBeforeAndThePageNamesEach() throws IOException {
        String page = Files.readString(root().resolve("docs").resolve("verification.md"));
        List<String> tests = jcstressTests();
        assertThat(tests)
                .hasSizeGreaterThanOrEqualTo(FEWEST_JCSTRESS_TESTS)
                .allSatisfy(test -> assertThat(page).contains("`" + test + "`"));
    }

    /** The names of the jcstress tests, those of nested classes behind that of the outer one. */
    private static List<String> jcstressTests() throws IOException {
        List<String> tests = new ArrayList<>();
        try (Stream<Path> files =
                Files.walk(root().resolve("jcstress-tests").resolve("src").resolve("main"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                String outer = file.getFileName().toString().replace(".java", "");
                A_JCSTRESS_TEST
                        .matcher(Files.readString(file))
                        .results()
                        .map(test -> test.group(1))
                        .forEach(test -> tests.add(test.equals(outer) ? outer : outer + "." + test));
            }
        }
        return tests;
    }

    private static Path root() {
        return Path.of("").toAbsolutePath().getParent();
    }

    /** The source of a test: other modules' test classes are not on the class path here. */
    private static String testSource(String test) throws IOException {
        String file = test.replaceFirst("#.*", "").replace('.', '/') + ".java";
        try (Stream<Path> modules = Files.walk(root(), 2)) {
            for (Path module : modules.toList()) {
                Path source = module.resolve("src/test/java").resolve(file);
                if (Files.exists(source)) {
                    return Files.readString(source, StandardCharsets.UTF_8);
                }
            }
        }
        throw new IOException(test + ": no module has such a test");
    }

    private static String methodOf(String test) {
        return test.contains("#") ? "void " + test.substring(test.indexOf('#') + 1) + "(" : "class ";
    }

    @Test
    void refusesARowWhoseMethodIsGone() {
        assertRefused(edit("noSuchMethod", HANDLE_RELEASE, 1, 1), "0 methods");
    }

    @Test
    void refusesARowWhoseInstructionIsGone() {
        assertRefused(
                edit("setRelease", new Edit.Call("java/lang/invoke/VarHandle", "setOpaque"), 1, 1),
                "0 such instructions");
    }

    @Test
    void refusesARowThatMatchesOneOfFewerThanItSays() {
        assertRefused(edit("setRelease", HANDLE_RELEASE, 1, 2), "1 such instructions; demanded is one method with 2");
    }

    @Test
    void refusesARowThatMatchesMoreThanOne() {
        assertRefused(edit("<init>", new Edit.Jump(Opcodes.IFEQ), 1, 1), "2 methods");
    }

    @Test
    void refusesARowWhoseClassIsGone() {
        Row row = new Row(
                "gone",
                Kind.STEP_REMOVED,
                Row.Layer.JUNIT,
                "none",
                List.of(new Edit("io.sluice.core.Gone", "m", HANDLE_RELEASE, 1, 1, new Change.Nothing())),
                "");
        assertThatThrownBy(() -> Rewriter.twin(row))
                .isInstanceOf(Rewriter.RowMismatchException.class)
                .hasMessageContaining("io.sluice.core.Gone");
    }

    private static Edit edit(String method, Edit.Site site, int nth, int of) {
        return new Edit("io.sluice.core.Sequence", method, site, nth, of, new Change.CallInstead("set"));
    }

    private static void assertRefused(Edit edit, String reason) {
        Row row = new Row(
                "bad-row", Kind.RELEASE_TO_PLAIN, Row.Layer.JCSTRESS, "none", new ArrayList<>(List.of(edit)), "");
        assertThatThrownBy(() -> Rewriter.twin(row))
                .isInstanceOf(Rewriter.RowMismatchException.class)
                .hasMessageContaining("bad-row")
                .hasMessageContaining(reason);
    }

    /** Defines Sluice's classes itself, the twin's ones from the twin, so that they are of one run-time package. */
    private static final class TwinLoader extends ClassLoader {
        private final Map<String, byte[]> twin;

        TwinLoader(Map<String, byte[]> twin) {
            super(CatalogueTest.class.getClassLoader());
            this.twin = new HashMap<>(twin);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean shipped = name.startsWith("io.sluice.") || name.startsWith("com.lmax.disruptor.");
            if (!shipped || name.startsWith("io.sluice.jcstress.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                try {
                    byte[] file = twin.containsKey(name) ? twin.get(name) : Rewriter.shipped(name);
                    return defineClass(name, file, 0, file.length);
                } catch (IOException | Rewriter.RowMismatchException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }
}
