package io.sluice.perf.lab;

import java.util.ArrayList;
import java.util.List;

/**
 * The settings that the lab passes to the JVMs of its contestants, by properties. A contestant is looked up there in the same list that the
 * lab has. So the list may depend on nothing that changes meanwhile, such as the amount of free memory.
 */
final class Settings {
    static final int DEFAULT_LIVE_MIB = 64;
    static final int MOST_LIVE_MIB = 16_384;

    private static final String ROOM = "sluice.lab.room";
    private static final String LIVE = "sluice.lab.live";
    private static final String LARGE = "sluice.lab.large";
    private static final String JOBS = "sluice.lab.jobs";
    private static final int DEFAULT_JOBS = 1_000_000;
    private static final String TRADES = "sluice.lab.trades";
    private static final int DEFAULT_TRADES = 1_000_000;

    private Settings() {}

    /** Sets them for this JVM, before an experiment is looked at. */
    static void choose(int liveMib, boolean large) {
        System.setProperty(ROOM, Long.toString(Space.availableBytes()));
        System.setProperty(LIVE, Integer.toString(liveMib));
        System.setProperty(LARGE, Boolean.toString(large));
    }

    /** The same for other JVMs. */
    static List<String> flags() {
        List<String> flags = new ArrayList<>();
        for (String name : List.of(ROOM, LIVE, LARGE, JOBS, TRADES)) {
            String value = System.getProperty(name);
            if (value != null) {
                flags.add("-D" + name + "=" + value);
            }
        }
        return flags;
    }

    /** The bytes of memory that there were when the lab began. */
    static long room() {
        return Long.getLong(ROOM, Space.availableBytes());
    }

    /** As a test asks for it. */
    static void room(long bytes) {
        System.setProperty(ROOM, Long.toString(bytes));
    }

    /** The size of the live data in {@code blobs}, in MiB. */
    static int liveMib() {
        return Integer.getInteger(LIVE, DEFAULT_LIVE_MIB);
    }

    /** Whether tables may take up to half of the memory. */
    static boolean large() {
        return Boolean.getBoolean(LARGE);
    }

    /** The number of jobs that {@code pi} has in one turn. */
    static int jobs() {
        return Integer.getInteger(JOBS, DEFAULT_JOBS);
    }

    /** As a test asks for it. */
    static void jobs(int jobs) {
        System.setProperty(JOBS, Integer.toString(jobs));
    }

    /** The number of trades that {@code tables} has. */
    static int trades() {
        return Integer.getInteger(TRADES, DEFAULT_TRADES);
    }

    /** As a test asks for it. */
    static void trades(int trades) {
        System.setProperty(TRADES, Integer.toString(trades));
    }
}
