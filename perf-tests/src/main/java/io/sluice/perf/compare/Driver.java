package io.sluice.perf.compare;

import io.sluice.perf.Pinning;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures one row: every contestant warm in a JVM of its own, all alive, and blocked or stopped; in each round each is visited once, in
 * random order, with a probe of the distance between the cores before and after. Now and then all JVMs are replaced.
 */
public final class Driver {
    private static final long SAMPLE_MILLIS = 100;
    private static final long PROBE_MILLIS = 40;

    /** The most rounds for each round that is near for both contestants; the other rounds are not counted. */
    private static final int MOST_ROUNDS_PER_NEAR = 4;

    /** The number of looks for the near mode, before the wait for it is given up. */
    private static final int PATIENCE = 60;

    private static final long PAUSE_MILLIS = 300;
    private static final int STOP_LOOKS = 10;
    private static final long STOP_LOOK_MILLIS = 50;

    private final Path jdk;
    private final List<String> flags;
    private final Path logs;
    private final Random random;
    private final Consumer<String> progress;
    private final Band near;

    // any thread
    private final List<ChildProcess> children = Collections.synchronizedList(new ArrayList<>());
    private final java.util.concurrent.atomic.AtomicBoolean stopped = new java.util.concurrent.atomic.AtomicBoolean();

    /**
     * Creates a driver.
     *
     * @param jdk the JDK of the contestants
     * @param flags further flags for every contestant's JVM
     * @param logs a folder for what they print on standard error
     * @param seed for the order of the visits
     * @param near which rounds count
     * @param progress told how far it is
     */
    public Driver(Path jdk, List<String> flags, Path logs, long seed, Band near, Consumer<String> progress) {
        this.jdk = jdk;
        this.flags = flags;
        this.logs = logs;
        this.random = new Random(seed);
        this.near = near;
        this.progress = progress;
    }

    /**
     * Measures until each pair with the reference, and each that a target compares, has so many near rounds, or the rounds are
     * used up, or it is {@linkplain #stop stopped}.
     *
     * @param row what is measured
     * @param entries who takes part
     * @param nearRounds how many rounds are to be near
     * @param jvms how many JVMs each contestant has at least, one after the other, if there are as many near rounds
     * @return what was found
     * @throws IOException if a contestant fails
     * @throws InterruptedException if interrupted
     */
    public Measurement measure(Row row, List<Visited> entries, int nearRounds, int jvms)
            throws IOException, InterruptedException {
        Measurement measurement = new Measurement(near);
        int most = nearRounds * MOST_ROUNDS_PER_NEAR;
        long begin = System.nanoTime();
        int jvm = 0;
        for (int round = 0; round < most && nearRounds(entries, row, measurement) < nearRounds && !stopped.get(); ) {
            if (!awaitNear(row)) {
                break;
            }
            List<ChildProcess> visited = new ArrayList<>();
            try {
                for (Visited entry : entries) { // one after the other: each warms up undisturbed
                    progress.accept(row.id() + ": warming up " + entry.label());
                    ChildProcess child = new ChildProcess(jdk, row, entry, flags, logs);
                    children.add(child);
                    visited.add(child);
                    child.awaitReady();
                }
                int enough =
                        Math.min(nearRounds, nearRounds(entries, row, measurement) + roundsAJvm(row, nearRounds, jvms));
                while (round < most && nearRounds(entries, row, measurement) < enough && awaitNear(row)) {
                    round(round++, jvm, entries, visited, measurement);
                    int near = nearRounds(entries, row, measurement);
                    progress.accept(String.format(
                            java.util.Locale.ROOT,
                            "%s: round %d, %d of %d near, hop %.0f ns, about %.0f s left",
                            row.id(),
                            round,
                            near,
                            nearRounds,
                            measurement.hops().median(),
                            secondsLeft(System.nanoTime() - begin, round, most, near, nearRounds)));
                }
                for (ChildProcess child : visited) {
                    child.finish();
                }
            } catch (IOException e) {
                if (!isStoppedSoon()) {
                    throw e;
                }
            } finally {
                for (ChildProcess child : visited) {
                    child.close();
                }
                children.clear();
            }
            jvm++;
        }
        return measurement;
    }

    /** The number of near rounds after which all contestants get fresh JVMs. */
    static int roundsAJvm(Row row, int nearRounds, int jvms) {
        return Math.min(row.nearRoundsAJvm(), Math.max(1, nearRounds / jvms));
    }

    /** Estimates the time left by the share of the rounds that were near so far. */
    private static double secondsLeft(long nanos, int rounds, int mostRounds, int near, int nearRounds) {
        double each = nanos / 1e9 / rounds;
        double roundsLeft = near == 0
                ? mostRounds - rounds
                : Math.min(mostRounds - rounds, (nearRounds - near) * (double) rounds / near);
        return Math.max(0, each * roundsLeft);
    }

    /**
     * Waits until the cores are near. If they do not come near, the rounds go on all the same, so that there are samples at least; but a
     * row with a distance of its own ends.
     */
    private boolean awaitNear(Row row) throws InterruptedException {
        for (int i = 0; i < PATIENCE && !stopped.get(); i++) {
            double hop = distance();
            if (near.contains(hop)) {
                return true;
            }
            progress.accept(String.format(
                    java.util.Locale.ROOT,
                    "%s: the cores are %.0f ns apart, waiting for them to be near",
                    row.id(),
                    hop));
            Thread.sleep(PAUSE_MILLIS);
        }
        return !stopped.get() && row.band() == null;
    }

    /** The distance between the cores; 0 with one core, on which two threads that spin would take turns of milliseconds. */
    private static double distance() throws InterruptedException {
        return Pinning.available() < 2 ? 0 : Probe.oneWayNanos(PROBE_MILLIS);
    }

    private void round(int round, int jvm, List<Visited> entries, List<ChildProcess> visited, Measurement measurement)
            throws IOException, InterruptedException {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            order.add(i);
        }
        Collections.shuffle(order, random);
        double before = distance();
        for (int i : order) {
            if (stopped.get()) {
                return;
            }
            ChildProcess.Answer answer = visited.get(i).sample(SAMPLE_MILLIS);
            double after = distance();
            measurement.add(new Measurement.Sample(
                    round, jvm, entries.get(i).id(), answer.figure(), before, after, answer.detail()));
            before = after;
        }
    }

    /** The number of rounds in which both of a pair were near, of the pair with the fewest. */
    static int nearRounds(List<Visited> entries, Row row, Measurement measurement) {
        Set<String> taking = entries.stream().map(Visited::id).collect(Collectors.toSet());
        IntStream referred = entries.stream().mapToInt(entry -> measurement.rounds(entry.id(), row.reference()));
        IntStream targeted = row.targets().stream()
                .filter(target -> taking.contains(target.contestant()) && taking.contains(target.peer()))
                .mapToInt(target -> measurement.rounds(target.contestant(), target.peer()));
        return IntStream.concat(referred, targeted).min().orElse(Integer.MAX_VALUE);
    }

    /** Whether a contestant ended because all is to end: Ctrl-C in a terminal ends its process too, perhaps before ours is told. */
    private boolean isStoppedSoon() {
        try {
            for (int i = 0; i < STOP_LOOKS && !stopped.get(); i++) {
                Thread.sleep(STOP_LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return stopped.get();
    }

    /** Ends the measurement after the present sample. Any thread. */
    public void stop() {
        stopped.set(true);
    }

    /** Ends the children at once: for a shutdown hook. */
    void kill() {
        stop();
        synchronized (children) {
            children.forEach(ChildProcess::kill);
        }
    }
}
