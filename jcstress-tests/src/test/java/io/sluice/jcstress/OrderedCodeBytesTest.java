package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.OrderedSchedulerBuilder;
import io.sluice.ordered.TicketMode;
import io.sluice.perf.code.MachineCode;
import io.sluice.perf.code.MachineCode.Method;
import io.sluice.perf.ordered.PublishedScheduler;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The locked instructions of an item that is completed in its turn, as this JDK's C2 compiles them: of the ordered scheduler,
 * and of the algorithm as it was published, which is what the scheduler is measured against. Each driver in {@link Child}
 * holds all that it calls of the scheduler.
 */
@Tag("once")
@Timeout(120)
class OrderedCodeBytesTest {
    private static final List<String> OURS = List.of("io.sluice.ordered.*::*", "io.sluice.core.*::*");
    private static final List<String> PEERS = List.of("io.sluice.perf.ordered.PublishedScheduler::*");

    @TempDir
    private Path folder;

    @BeforeEach
    void onlyWhereTheBytesCanBeRead() {
        CodeBytes.assumeAvailable();
    }

    @Test
    void anItemInItsTurnHasTwoReadModifyWritesAndItsTicketNone() throws Exception {
        List<Method> methods = compiled("exact", OURS, "complete", "next");
        assertThat(method(methods, "complete").locked())
                .hasSize(2)
                .allMatch(instruction -> instruction.startsWith("lock cmpxchg"));
        assertThat(method(methods, "next").locked()).isEmpty();
    }

    @Test
    void uncheckedItHasOne() throws Exception {
        List<Method> methods = compiled("unchecked", OURS, "complete", "next");
        assertThat(method(methods, "complete").locked())
                .hasSize(1)
                .allMatch(instruction -> instruction.startsWith("lock cmpxchg"));
        assertThat(method(methods, "next").locked()).isEmpty();
    }

    /** The control: the same count finds the one that a ticket costs when any thread may take it. */
    @Test
    void aTicketThatAnyThreadMayTakeHasOne() throws Exception {
        List<Method> methods = compiled("many", OURS, "complete", "next");
        assertThat(method(methods, "complete").locked()).hasSize(2);
        assertThat(method(methods, "next").locked())
                .hasSize(1)
                .allMatch(instruction -> instruction.startsWith("lock cmpxchg"));
    }

    /** A peer that had more would be an easy one. */
    @Test
    void thePublishedAlgorithmHasTwoReadModifyWritesAndOneFence() throws Exception {
        Method run = method(compiled("published", PEERS, "run"), "run");
        List<String> locked = run.locked();
        assertThat(locked).hasSize(3);
        assertThat(locked).filteredOn(one -> one.startsWith("lock cmpxchg")).hasSize(1);
        // a volatile store is an exchange, or a store and a fence, as the JDK likes it
        assertThat(locked)
                .filteredOn(one -> one.startsWith("xchg"))
                .hasSize(2 - run.fences().size());
        assertThat(run.fences()).hasSizeLessThanOrEqualTo(1);
    }

    private List<Method> compiled(String mode, List<String> inlined, String... drivers) throws Exception {
        return MachineCode.compiled(
                folder, new MachineCode.Child(Child.class, mode, List.of(drivers), List.of(), inlined, List.of()));
    }

    /** The last compilation of a driver, which is the one that ran at the end. */
    private static Method method(List<Method> methods, String driver) {
        List<Method> found = methods.stream()
                .filter(method -> method.name().equals(Child.class.getName() + "::" + driver))
                .toList();
        assertThat(found)
                .as(
                        "compilations of %s, among %s",
                        driver, methods.stream().map(Method::name).toList())
                .isNotEmpty();
        Method last = found.get(found.size() - 1);
        assertThat(last.instructions()).as("instructions of " + driver).hasSizeGreaterThan(5);
        return last;
    }

    /** What the child JVM runs. */
    static final class Child {
        private static final int CALLS = 200_000;
        private static final int WINDOW = 1024;

        private Child() {}

        public static void main(String[] arguments) throws Exception {
            long[] sum = new long[1];
            if (arguments[0].equals("published")) {
                PublishedScheduler scheduler = new PublishedScheduler(WINDOW);
                Runnable task = () -> sum[0]++;
                for (int i = 0; i < CALLS; i++) {
                    run(scheduler, i, task);
                }
            } else {
                OrderedSchedulerBuilder<long[]> builder = OrderedScheduler.<long[]>builder(
                                (ticket, value) -> sum[0] += value[0])
                        .window(WINDOW)
                        .tickets(arguments[0].equals("many") ? TicketMode.MANY : TicketMode.SINGLE);
                OrderedScheduler<long[]> scheduler =
                        (arguments[0].equals("unchecked") ? builder.unchecked() : builder).build();
                long[] value = {1};
                for (int i = 0; i < CALLS; i++) {
                    complete(scheduler, next(scheduler), value);
                }
            }
            if (sum[0] != CALLS) {
                throw new AssertionError(sum[0] + " of " + CALLS + " were put out");
            }
        }

        static long next(OrderedScheduler<long[]> scheduler) throws InterruptedException {
            return scheduler.next();
        }

        static boolean complete(OrderedScheduler<long[]> scheduler, long ticket, long[] value) {
            return scheduler.complete(ticket, value);
        }

        static boolean run(PublishedScheduler scheduler, long ticket, Runnable task) {
            return scheduler.run(ticket, task);
        }
    }
}
