package io.sluice.examples.stat;

import io.sluice.cli.JsonText;
import io.sluice.ringbuffer.counters.CountersFileReader;
import io.sluice.ringbuffer.counters.RingCounter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a counters file holds at one moment, in two forms: for people and as JSON. */
final class Figures {
    /** One ring or one consumer. */
    private static final class Part {
        private final Map<RingCounter, Long> values = new EnumMap<>(RingCounter.class);
        private final Map<Integer, Part> consumers = new TreeMap<>();
        private String name = "?";

        long value(RingCounter counter) {
            return values.getOrDefault(counter, 0L);
        }
    }

    private final Map<Integer, Part> rings = new TreeMap<>();
    private final long process;
    private final long updatedMillis;
    private final boolean finished;
    private final boolean alive;

    private Figures(CountersFileReader reader) {
        finished = reader.isFinished(); // before the values, so that the last ones are seen
        process = reader.process();
        updatedMillis = reader.updatedMillis();
        alive = ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false);
        reader.forEach((counter, ring, consumer, label, value) -> {
            Part part = rings.computeIfAbsent(ring, number -> new Part());
            if (counter.ofConsumer()) {
                part = part.consumers.computeIfAbsent(consumer, number -> new Part());
            }
            if (counter == RingCounter.RING || counter == RingCounter.CONSUMER) {
                part.name = label;
            }
            part.values.put(counter, value);
        });
    }

    static Figures of(CountersFileReader reader) {
        return new Figures(reader);
    }

    /** Whether the writer may still write. */
    boolean goesOn() {
        return alive && !finished;
    }

    /** The verdict: one line without its end. */
    String verdict() {
        double age = Math.max(0, System.currentTimeMillis() - updatedMillis) / 1e3;
        String how =
                finished ? "has closed its counters" : alive ? "is running" : "has ended without closing its counters";
        return String.format(Locale.ROOT, "process %d %s, updated %.1f s ago", process, how, age);
    }

    /** Tables for people, ended by a line feed; nothing where there are no rings. */
    String text() {
        StringBuilder out = new StringBuilder();
        for (Part ring : rings.values()) {
            long capacity = ring.value(RingCounter.CAPACITY);
            out.append(String.format(
                    Locale.ROOT,
                    "ring %s: %s, fill %d of %d (%.0f %%), published %d, handled %d%n",
                    ring.name,
                    state(ring.value(RingCounter.RING)),
                    ring.value(RingCounter.FILL),
                    capacity,
                    capacity == 0 ? 0 : 100.0 * ring.value(RingCounter.FILL) / capacity,
                    ring.value(RingCounter.PUBLISHED),
                    ring.value(RingCounter.HANDLED)));
            out.append(String.format(
                    Locale.ROOT,
                    "  producers: %d waiting, %d stalls in %.3f s, %d refused, %d dropped%n",
                    ring.value(RingCounter.PRODUCERS_WAITING),
                    ring.value(RingCounter.STALLS),
                    ring.value(RingCounter.STALLED_NANOS) / 1e9,
                    ring.value(RingCounter.REFUSED),
                    ring.value(RingCounter.DROPPED)));
            if (!ring.consumers.isEmpty()) {
                out.append(String.format(
                        Locale.ROOT,
                        "  %-20s %-9s %12s %8s %12s %7s %7s %8s %8s %8s%n",
                        "consumer",
                        "state",
                        "handled",
                        "lag",
                        "batches",
                        "50 %",
                        "99 %",
                        "parks",
                        "failures",
                        "shed"));
            }
            for (Part consumer : ring.consumers.values()) {
                out.append(String.format(
                        Locale.ROOT,
                        "  %-20s %-9s %12d %8d %12d %7d %7d %8d %8d %8d%n",
                        consumer.name,
                        state(consumer.value(RingCounter.CONSUMER)),
                        consumer.value(RingCounter.CONSUMER_HANDLED),
                        consumer.value(RingCounter.CONSUMER_LAG),
                        consumer.value(RingCounter.CONSUMER_BATCHES),
                        consumer.value(RingCounter.CONSUMER_BATCH_50),
                        consumer.value(RingCounter.CONSUMER_BATCH_99),
                        consumer.value(RingCounter.CONSUMER_PARKS),
                        consumer.value(RingCounter.CONSUMER_FAILURES),
                        consumer.value(RingCounter.CONSUMER_SHED)));
            }
        }
        return out.toString().replace(System.lineSeparator(), "\n");
    }

    /** One line of JSON, without its end. */
    String json() {
        StringBuilder out = new StringBuilder();
        out.append("{\"process\":").append(process);
        out.append(",\"running\":").append(goesOn());
        out.append(",\"updatedMillis\":").append(updatedMillis);
        out.append(",\"rings\":[");
        String separator = "";
        for (Part ring : rings.values()) {
            out.append(separator);
            appendPart(out, ring);
            out.append(",\"consumers\":[");
            String inner = "";
            for (Part consumer : ring.consumers.values()) {
                out.append(inner);
                appendPart(out, consumer);
                out.append('}');
                inner = ",";
            }
            out.append("]}");
            separator = ",";
        }
        return out.append("]}").toString();
    }

    private static void appendPart(StringBuilder out, Part part) {
        out.append("{\"name\":");
        JsonText.append(out, part.name);
        part.values.forEach((counter, value) -> {
            out.append(",\"").append(counter.title()).append("\":");
            if (counter == RingCounter.RING || counter == RingCounter.CONSUMER) {
                JsonText.append(out, state(value));
            } else {
                out.append(value);
            }
        });
    }

    private static String state(long code) {
        return switch ((int) code) {
            case 0 -> "RUNNING";
            case 1 -> "DRAINING";
            case 2 -> "CLOSED";
            case 3 -> "FAILED";
            default -> "state " + code;
        };
    }
}
