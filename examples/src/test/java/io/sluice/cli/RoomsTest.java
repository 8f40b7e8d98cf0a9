package io.sluice.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SliceRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The arrows between the packages of the library: docs/architecture.md draws them. */
@Tag("once")
@Tag("any-jdk")
class RoomsTest {
    private static final String RING = "io.sluice.ringbuffer";

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

    /** Classes that are nested count with the one that they are nested in. The packages that are not named have circles yet. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "backpressure.admission",
                "backpressure.flow",
                "batching.journal",
                "core.access",
                "core.bytes",
                "core.check",
                "core.conflation",
                "micrometer",
                "ringbuffer",
                "ringbuffer.counters",
                "ringbuffer.jfr",
                "ringbuffer.pipeline",
                "ringbuffer.specialize"
            })
    void thereIsNoCircleBetweenTheClassesOf(String room) {
        String name = "io.sluice." + room;
        assertThat(library.stream().map(JavaClass::getPackageName)).contains(name);
        circlesOf(name).check(library);
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
