package io.sluice.perf.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * The times in which the threads of this JVM stood still, as its flight recorder tells: the collector's pauses, and all stops at
 * safepoints. A recording must be stopped before it is asked. For one thread.
 */
final class Stops implements AutoCloseable {
    private static final String MARK = "io.sluice.lab.Mark";
    private static final String PAUSE = "jdk.GCPhasePause";
    private static final String BEGIN = "jdk.SafepointBegin";
    private static final String END = "jdk.SafepointEnd";
    private static final String ID = "safepointId";

    /** Ties the recorder's clock to {@link System#nanoTime}. */
    @Name(MARK)
    @StackTrace(false)
    static final class Mark extends Event {
        /** The value of {@link System#nanoTime} at the mark. */
        long nanos;
    }

    private final Recording recording = new Recording();
    private final List<Trace.Stop> pauses = new ArrayList<>();
    private final List<Trace.Stop> all = new ArrayList<>();
    private boolean told;

    private Stops() {}

    /** Begins to record. */
    static Stops recording() {
        Stops stops = new Stops();
        for (String event : List.of(PAUSE, BEGIN, END)) {
            stops.recording.enable(event).withoutThreshold().withoutStackTrace();
        }
        stops.recording.enable(MARK).withoutThreshold();
        stops.recording.start();
        return stops;
    }

    /** Ends the recording; times count from a time of {@link System#nanoTime} on. */
    void stop(long start) throws IOException {
        Mark mark = new Mark();
        mark.nanos = System.nanoTime();
        mark.commit();
        recording.stop();
        Path file = Files.createTempFile("sluice-lab", ".jfr");
        try {
            recording.dump(file);
            read(RecordingFile.readAllEvents(file), start);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private void read(List<RecordedEvent> events, long start) {
        RecordedEvent mark = events.stream()
                .filter(event -> event.getEventType().getName().equals(MARK))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the recorder must tell of its mark, but did not"));
        long origin = nanos(mark.getStartTime()) - mark.getLong("nanos") + start;
        Map<Long, Long> begun = new HashMap<>();
        for (RecordedEvent event : events) { // they are in no order
            if (event.getEventType().getName().equals(BEGIN)) {
                begun.put(event.getLong(ID), nanos(event.getEndTime()) - origin); // it ends once all have stopped
            }
        }
        told = !begun.isEmpty();
        for (RecordedEvent event : events) {
            long from = nanos(event.getStartTime()) - origin;
            long to = nanos(event.getEndTime()) - origin;
            switch (event.getEventType().getName()) {
                case PAUSE -> pauses.add(new Trace.Stop(from, to - from));
                case END -> {
                    Long begin = begun.get(event.getLong(ID));
                    if (begin != null) {
                        all.add(new Trace.Stop(begin, from - begin)); // as it begins, the first goes on
                    }
                }
                default -> {} // the mark, and what was taken above
            }
        }
        pauses.removeIf(stop -> stop.from() + stop.nanos() < 0); // before the first event
        all.removeIf(stop -> stop.from() + stop.nanos() < 0);
        pauses.sort(Comparator.comparingLong(Trace.Stop::from));
        all.sort(Comparator.comparingLong(Trace.Stop::from));
    }

    private static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    List<Trace.Stop> pauses() {
        return List.copyOf(pauses);
    }

    List<Trace.Stop> all() {
        return List.copyOf(all);
    }

    /**
     * Whether there was a stop at all, before the first event too. A collection that runs beside the threads is told of only at its end.
     */
    boolean toldOfStops() {
        return told;
    }

    @Override
    public void close() {
        recording.close();
    }
}
