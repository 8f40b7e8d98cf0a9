package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.jcstress.CodeBytes.Method;
import io.sluice.ordered.OrderedHandler;
import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.TicketMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many locked instructions a ticket costs in order, as this JDK's C2 compiles the shipped scheduler: on the way that is
 * taken while each ticket is completed in its turn, with nobody behind it. The way is cut into methods that are not inlined
 * into each other (the driver, and those below that hold its compare-and-sets), so that each instruction is counted once. What
 * else was compiled by itself, being small, is inlined into these as well; nothing outside of them may hold a lock.
 */
@Tag("once")
@Timeout(120)
class OrderedCodeBytesTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void onlyWhereTheBytesCanBeRead() {
        assumeTrue(CodeBytes.isAvailable(), "needs amd64 and objdump");
    }

    @Test
    void aTicketInOrderCostsTwoAtomicReadModifyWrites() throws Exception {
        assertThat(locked("exact", "item")).hasSize(2).allMatch(locked -> locked.startsWith("lock cmpxchg"));
    }

    @Test
    void anUncheckedTicketInOrderCostsOne() throws Exception {
        assertThat(locked("unchecked", "item")).hasSize(1).allMatch(locked -> locked.startsWith("lock cmpxchg"));
    }

    /** The control: the same count finds the one that a ticket costs when any thread may take it. */
    @Test
    void aTicketThatAnyThreadMayTakeCostsOneMore() throws Exception {
        assertThat(locked("many", "item")).hasSize(3).allMatch(locked -> locked.startsWith("lock cmpxchg"));
    }

    private static final String BUFFER = "io.sluice.ordered.OrderBuffer::";
    private static final List<String> WAY = List.of(
            BUFFER + "offer",
            BUFFER + "passTurn",
            "io.sluice.ordered.Admission::tryIssue",
            "io.sluice.ordered.OrderedScheduler::drain");

    /** Parts of the way that are inlined into it. */
    private static final List<String> INLINED = List.of(BUFFER + "casWord", BUFFER + "takeTurn");

    private List<String> locked(String mode, String driver) throws Exception {
        List<String> alone = new ArrayList<>(WAY);
        alone.add(driver);
        List<Method> methods = CodeBytes.compiled(
                folder, Child.class, mode, alone, List.of("io.sluice.ordered.*::*", "io.sluice.core.*::*"));
        Map<String, Method> last = new LinkedHashMap<>();
        methods.forEach(method -> last.put(method.name(), method));
        List<String> way = new ArrayList<>(WAY);
        way.add(Child.class.getName() + "::" + driver);
        assertThat(last).containsKeys(way.toArray(new String[0]));
        List<String> locked = new ArrayList<>();
        for (Method method : last.values()) {
            if (way.contains(method.name())) {
                assertThat(method.instructions()).as(method.name()).hasSizeGreaterThan(10);
                locked.addAll(method.locked());
            } else if (!INLINED.contains(method.name()) && !method.name().endsWith("::<init>")) {
                assertThat(method.locked())
                        .as("outside of the way: " + method.name())
                        .isEmpty();
            }
        }
        return locked;
    }

    /** What the child JVM runs. */
    static final class Child {
        private static final int CALLS = 200_000;

        private Child() {}

        public static void main(String[] arguments) {
            long[] delivered = new long[1];
            OrderedHandler<Object> handler = (ticket, value) -> delivered[0]++;
            OrderedScheduler.Builder<Object> builder = OrderedScheduler.<Object>builder(handler)
                    .window(1024)
                    .tickets(arguments[0].equals("many") ? TicketMode.MANY : TicketMode.SINGLE);
            OrderedScheduler<Object> scheduler =
                    (arguments[0].equals("unchecked") ? builder.unchecked() : builder).build();
            Object value = new Object();
            for (int i = 0; i < CALLS; i++) {
                if (!item(scheduler, value)) {
                    throw new IllegalStateException("item " + i + " was not delivered in its turn");
                }
            }
            if (delivered[0] != CALLS) {
                throw new IllegalStateException("delivered " + delivered[0]);
            }
        }

        static boolean item(OrderedScheduler<Object> scheduler, Object value) {
            return scheduler.complete(scheduler.tryNext(), value);
        }
    }
}
