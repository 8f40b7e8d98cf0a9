package io.sluice.cli;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SliceRule;
import io.sluice.backpressure.nak.NakSuppression;
import io.sluice.backpressure.nak.RingNakTransport;
import io.sluice.backpressure.nak.UdpNakTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The arrows between the packages of the library: docs/architecture.md draws them. */
@Tag("once")
@Tag("any-jdk")
class RoomsTest {
    private static final String RING = "io.sluice.ringbuffer";

    private static final String BACK_PRESSURE = "io.sluice.backpressure";
    private static final String NAKS = BACK_PRESSURE + ".nak..";
    private static final String BATCHING = "io.sluice.batching..";
    private static final String ORDERED = "io.sluice.ordered..";

    private static JavaClasses library;

    @BeforeAll
    static void importTheLibrary() throws IOException {
        List<Path> folders = new ArrayList<>();
        for (String module : Repository.libraryModules()) {
            folders.add(Repository.root().resolve(module).resolve("target").resolve("classes"));
        }
        library = new ClassFileImporter().importPaths(folders);
        assertThat(library.size()).as("built before examples").isGreaterThan(200);
    }

    @Test
    void thereIsNoCircleBetweenPackages() {
        slices().matching("io.sluice.(**)").should().beFreeOfCycles().check(library);
    }

    /** Where circles between classes are allowed: docs/architecture.md names these packages, and no others. */
    private static final Set<String> MAY_HAVE_CIRCLES =
            Set.of("aeron", "backpressure.rate", "batching", "core", "core.records", "ordered", "ringbuffer.monitor");

    /** Classes that are nested count with the one that they are nested in. */
    @ParameterizedTest
    @MethodSource("withoutCircles")
    void thereIsNoCircleBetweenTheClassesOf(String room) {
        circlesOf("io.sluice." + room).check(library);
    }

    /** A package from which the last circle has gone may have none again. */
    @Test
    void thePackagesThatMayHaveCirclesHaveSome() {
        assertThat(MAY_HAVE_CIRCLES)
                .allSatisfy(room -> assertThat(
                                circlesOf("io.sluice." + room).evaluate(library).hasViolation())
                        .as(room)
                        .isTrue());
    }

    @Test
    void thePageNamesThePackagesThatMayHaveCircles() {
        String page = Repository.read(Repository.root().resolve("docs/architecture.md"));
        Matcher named = Pattern.compile("Circles between classes\\sare allowed in (.*?) only\\.", Pattern.DOTALL)
                .matcher(page);
        assertThat(named.find()).isTrue();
        assertThat(Pattern.compile("`([\\w.]+)`").matcher(named.group(1)).results())
                .extracting(name -> name.group(1))
                .containsExactlyInAnyOrderElementsOf(MAY_HAVE_CIRCLES);
    }

    static List<String> withoutCircles() {
        return library.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith("io.sluice."))
                .map(name -> name.substring("io.sluice.".length()))
                .distinct()
                .filter(name -> !MAY_HAVE_CIRCLES.contains(name))
                .sorted()
                .toList();
    }

    private static SliceRule circlesOf(String room) {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public String getDescription() {
                        return "the top-level classes of " + room;
                    }

                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return type.getPackageName().equals(room)
                                ? SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""))
                                : SliceIdentifier.ignore();
                    }
                })
                .should()
                .beFreeOfCycles();
    }

    @Test
    void aCircleWouldBeFound() {
        JavaClasses jdk = new ClassFileImporter().importPackages("java.util", "java.util.function", "java.util.stream");
        ArchRule rule = slices().matching("java.(**)").should().beFreeOfCycles();
        assertThat(rule.evaluate(jdk).hasViolation()).isTrue();
    }

    @Test
    void aRingKnowsItsConsumersByAFaceOfItsOwn() {
        noClasses()
                .that()
                .resideInAPackage(RING)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(RING + ".pipeline..", RING + ".monitor..", RING + ".counters..")
                .check(library);
    }

    @Test
    void aRingKnowsNoSocketAndNoFileButThatOfTheCounters() {
        noClasses()
                .that()
                .resideInAPackage(RING + "..")
                .and()
                .resideOutsideOfPackage(RING + ".counters..")
                .should()
                .dependOnClassesThat(filesAndSockets())
                .check(library);
        noClasses()
                .that()
                .resideInAPackage(RING + ".counters..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.net..")
                .check(library);
        assertThat(library.stream()
                        .filter(type -> type.getPackageName().equals(RING + ".counters"))
                        .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                        .map(Dependency::getTargetClass))
                .as("the rule sees those of the counters")
                .anyMatch(filesAndSockets());
    }

    private static DescribedPredicate<JavaClass> filesAndSockets() {
        return resideInAnyPackage("java.net..", "java.nio.file..", "java.nio.channels..")
                .or(belongToAnyOf(
                        java.io.File.class,
                        java.io.FileDescriptor.class,
                        java.io.FileInputStream.class,
                        java.io.FileOutputStream.class,
                        java.io.FileReader.class,
                        java.io.FileWriter.class,
                        java.io.RandomAccessFile.class))
                .as("files and sockets");
    }

    /** The column "may not" of the page's table of modules. */
    @Test
    void noModuleKnowsWhatThePageForbidsIt() throws IOException {
        String[] bridges = {"io.sluice.aeron..", "io.sluice.micrometer..", "com.lmax.."};
        String[] tooling = {
            "io.sluice.cli..", "io.sluice.examples..", "io.sluice.perf..", "io.sluice.jcstress..", "io.sluice.testing.."
        };
        knowNothingOf(library, "io.sluice.core..", RING + "..", BACK_PRESSURE + "..", BATCHING, ORDERED);
        knowNothingOf(library, ORDERED, RING + "..", BACK_PRESSURE + "..", BATCHING);
        knowNothingOf(library, RING + "..", BACK_PRESSURE + "..", BATCHING, ORDERED);
        knowNothingOf(library, BATCHING, BACK_PRESSURE + "..", ORDERED);
        knowNothingOf(library, BACK_PRESSURE + "..", BATCHING, ORDERED);
        knowNothingOf(
                library, BACK_PRESSURE + ".rate..", NAKS, BACK_PRESSURE + ".flow..", BACK_PRESSURE + ".admission..");
        for (String room : List.of("io.sluice.core..", RING + "..", BATCHING, BACK_PRESSURE + "..", ORDERED)) {
            knowNothingOf(library, room, bridges);
        }
        knowNothingOf(library, "..", tooling);
        JavaClasses support = new ClassFileImporter()
                .importPath(Repository.root()
                        .resolve("test-support")
                        .resolve("target")
                        .resolve("classes"));
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("io.sluice..").and(resideOutsideOfPackage("io.sluice.testing..")))
                .check(support);
    }

    private static void knowNothingOf(JavaClasses classes, String room, String... others) {
        noClasses()
                .that()
                .resideInAPackage(room)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .check(classes);
    }

    @Test
    void aRateControlKnowsATransportByItsFaceOnly() {
        Class<?>[] transports = {UdpNakTransport.class, RingNakTransport.class, NakSuppression.class};
        noClasses()
                .that(resideInAnyPackage(NAKS, BACK_PRESSURE + ".rate..").and(not(belongToAnyOf(transports))))
                .should()
                .dependOnClassesThat(belongToAnyOf(transports))
                .orShould()
                .dependOnClassesThat(filesAndSockets())
                .check(library);
        assertThat(library.get(UdpNakTransport.class).getDirectDependenciesFromSelf())
                .as("the rule sees those of a transport")
                .extracting(Dependency::getTargetClass)
                .anyMatch(filesAndSockets());
    }

    @Test
    void aPipelineKnowsNoMonitor() {
        noClasses()
                .that()
                .resideInAPackage(RING + ".pipeline..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(RING + ".monitor..", RING + ".counters..")
                .check(library);
    }

    @Test
    void whatIsRecordedAndWhatIsCopiedKnowsNeitherRingsNorConsumers() {
        noClasses()
                .that()
                .resideInAnyPackage(RING + ".jfr..", RING + ".specialize..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(RING, RING + ".pipeline..", RING + ".monitor..", RING + ".counters..")
                .check(library);
    }

    @Test
    void nothingUsesABufferThatNeedsAnOptionOfTheJvm() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.sluice.aeron..") // Aeron needs the option itself
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.agrona.concurrent.UnsafeBuffer")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.agrona.UnsafeApi")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.agrona.IoUtil")
                .check(library);
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.sluice.core.bytes.AgronaAddress")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.agrona.BufferUtil")
                .check(library);
    }

    @Test
    void nobodyNeedsTheFaceOfTheDisruptor() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.lmax..")
                .check(library);
    }

    @Test
    void onlyTheMappedCountersKnowAgronasCounters() {
        noClasses()
                .that()
                .resideInAPackage(RING + "..")
                .and()
                .resideOutsideOfPackage(RING + ".counters..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.agrona.concurrent.status..")
                .check(library);
    }
}
