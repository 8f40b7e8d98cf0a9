package io.sluice.examples.stat;

import io.sluice.cli.JsonText;
import io.sluice.ringbuffer.counters.CountersFileReader;
import io.sluice.ringbuffer.counters.RingCounter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The content of a counters file at one moment, also as JSON. {@link FiguresTable} shows it to people. */
final class Figures {
    /** The number of the consumer where a ring itself is meant. */
    static final int NO_CONSUMER = -1;

    private static final int MOST_READS = 5;

    /** One ring or one consumer. */
    static final class Part {
        private final Map<RingCounter, Long> values = new EnumMap<>(RingCounter.class);
        private final Map<Integer, Part> consumers = new TreeMap<>();
        private String name = "?";
        private String failure = "";

        String name() {
            return name;
        }

        /** The cause of a ring's failure, or an empty text. */
        String failure() {
            return failure;
        }

        /** A ring's consumers by their numbers. */
        Map<Integer, Part> consumers() {
            return consumers;
        }

        long value(RingCounter counter) {
            return values.getOrDefault(counter, 0L);
        }

        /** The state in words. */
        String state(RingCounter counter) {
            return Figures.state(value(counter));
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
            if (counter == RingCounter.FAILURE) {
                part.failure = label;
                return;
            }
            if (counter.ofConsumer()) {
                part = part.consumers.computeIfAbsent(consumer, number -> new Part());
            }
            if (counter == RingCounter.RING || counter == RingCounter.CONSUMER) {
                part.name = label;
            }
            part.values.put(counter, value);
        });
    }

    /** Looks at a file. Looks again, a few times, where the writer wrote meanwhile: values and time then fit together. */
    static Figures of(CountersFileReader reader) {
        Figures figures = new Figures(reader);
        for (int i = 1; i < MOST_READS && reader.updatedMillis() != figures.updatedMillis; i++) {
            figures = new Figures(reader);
        }
        return figures;
    }

    /** The rings by their numbers. */
    Map<Integer, Part> rings() {
        return rings;
    }

    /** When the writer last wrote, milliseconds since 1970. */
    long updatedMillis() {
        return updatedMillis;
    }

    /** The value of a counter, or null if it is not there; {@link #NO_CONSUMER} for a ring's own. */
    @Nullable
    Long value(int ring, int consumer, RingCounter counter) {
        Part part = rings.get(ring);
        if (part != null && consumer != NO_CONSUMER) {
            part = part.consumers.get(consumer);
        }
        return part == null ? null : part.values.get(counter);
    }

    /** Whether the writer may still write. */
    boolean canWrite() {
        return alive && !finished;
    }

    /** The verdict: one line without its end. */
    String verdict() {
        double age = Math.max(0, System.currentTimeMillis() - updatedMillis) / 1e3;
        String how =
                finished ? "has closed its counters" : alive ? "is running" : "has ended without closing its counters";
        return String.format(Locale.ROOT, "process %d %s, updated %.1f s ago", process, how, age);
    }

    /** One line of JSON, without its end. Values that are not known, or have not happened, are left out. */
    String json(Rates rates) {
        StringBuilder out = new StringBuilder();
        out.append("{\"process\":").append(process);
        out.append(",\"running\":").append(canWrite());
        out.append(",\"updatedMillis\":").append(updatedMillis);
        out.append(",\"rings\":[");
        String separator = "";
        for (Map.Entry<Integer, Part> ring : rings.entrySet()) {
            out.append(separator);
            appendPart(out, ring.getValue());
            appendRate(out, "publishedPerSecond", rates.published(ring.getKey()));
            if (!ring.getValue().failure.isEmpty()) {
                out.append(",\"failure\":");
                JsonText.append(out, ring.getValue().failure);
            }
            out.append(",\"consumers\":[");
            String inner = "";
            for (Map.Entry<Integer, Part> consumer : ring.getValue().consumers.entrySet()) {
                out.append(inner);
                appendPart(out, consumer.getValue());
                appendRate(out, "handledPerSecond", rates.handled(ring.getKey(), consumer.getKey()));
                out.append('}');
                inner = ",";
            }
            out.append("]}");
            separator = ",";
        }
        return out.append("]}").toString();
    }

    private static void appendRate(StringBuilder out, String name, double rate) {
        if (!Double.isNaN(rate)) {
            out.append(String.format(Locale.ROOT, ",\"%s\":%.1f", name, rate));
        }
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
