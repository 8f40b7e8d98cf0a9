package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;
import org.openjdk.jol.info.GraphLayout;

/** What a scheduler costs in memory: nothing an item, and little at rest. */
@Tag("once")
class FootprintTest {
    private static final int ITEMS = 200_000;

    private static long allocatedBy(Runnable call) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long me = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(me);
        call.run();
        return threads.getThreadAllocatedBytes(me) - before;
    }

    private static void completions(OrderedScheduler<Object> scheduler, Ticket<Object> handle, Object value) {
        for (int i = 0; i < ITEMS; i++) {
            long one = scheduler.tryNext();
            long two = scheduler.tryNext();
            long three = scheduler.tryNext();
            scheduler.complete(two, value);
            scheduler.trash(three);
            try (Ticket<Object> ticket = handle.hold(one)) {
                ticket.complete(value);
            }
        }
    }

    @Test
    void typedCompletionsAllocateNothing() {
        for (boolean unchecked : new boolean[] {false, true}) {
            var builder =
                    OrderedScheduler.<Object>builder((ticket, value) -> {}).window(8);
            var scheduler = (unchecked ? builder.unchecked() : builder).build();
            var handle = scheduler.newTicket();
            Object value = new Object();
            long least = Long.MAX_VALUE;
            int rounds = 0;
            for (; rounds < 5; rounds++) { // the JVM allocates too, when it links and compiles, but not in every round
                least = Math.min(least, allocatedBy(() -> completions(scheduler, handle, value)));
            }
            assertThat(least).isLessThan(ITEMS / 100); // a few hundred bytes for the measurement itself
            assertThat(scheduler.totals().delivered()).isEqualTo(2L * ITEMS * rounds);
        }
    }

    @Test
    void theAllocationCheckSeesAnAllocation() {
        Object[] sink = new Object[ITEMS];
        assertThat(allocatedBy(() -> {
                    for (int i = 0; i < ITEMS; i++) {
                        sink[i] = new Object();
                    }
                }))
                .isGreaterThanOrEqualTo(ITEMS * 8L);
    }

    @Test
    void tenThousandIdleSchedulersAreSmallAndUseNoThread() {
        int count = 10_000;
        int window = 16;
        OrderedHandler<Object> handler = (ticket, value) -> {};
        var before = threads();
        List<OrderedScheduler<Object>> idle = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            OrderedScheduler<Object> scheduler =
                    OrderedScheduler.builder(handler).window(window).build();
            scheduler.complete(scheduler.tryNext(), handler);
            idle.add(scheduler);
        }
        assertThat(before).containsAll(threads());
        long slots = GraphLayout.parseInstance((Object) new long[window]).totalSize()
                + GraphLayout.parseInstance((Object) new Object[window]).totalSize();
        long bytes = GraphLayout.parseInstance((Object) idle.toArray()).totalSize() / count;
        assertThat(bytes - slots).isLessThanOrEqualTo(1024);
    }

    @Test
    void wordsOfDifferentWritersAreApart() {
        assertThat(distance(OrderBuffer.class, "tail", "items")).isGreaterThanOrEqualTo(128);
        assertThat(distance(Admission.class, "claim", "waiting")).isGreaterThanOrEqualTo(128);
        assertThat(distance(Admission.class, "issuedAtLeast", "limit")).isGreaterThanOrEqualTo(128);
        for (Class<?> type : List.of(OrderBuffer.class, Admission.class)) {
            ClassLayout layout = ClassLayout.parseClass(type);
            long last = type == OrderBuffer.class ? offset(layout, "drainer") : offset(layout, "issuedAtLeast");
            assertThat(layout.instanceSize() - last).isGreaterThanOrEqualTo(128);
        }
    }

    /** All but the JVM's own, which come and go. */
    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getThreadGroup() != null
                        && !thread.getThreadGroup().getName().equals("system"))
                .toList();
    }

    private static long distance(Class<?> type, String one, String other) {
        ClassLayout layout = ClassLayout.parseClass(type);
        return Math.abs(offset(layout, one) - offset(layout, other));
    }

    private static long offset(ClassLayout layout, String name) {
        return layout.fields().stream()
                .filter(field -> field.name().equals(name))
                .mapToLong(FieldLayout::offset)
                .findFirst()
                .orElseThrow();
    }
}
