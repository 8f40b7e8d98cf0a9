package io.sluice.perf.doctor;

import java.util.List;

/**
 * One thing that was looked at.
 *
 * @param topic what it is about, such as {@code governor}
 * @param level whether it stands in the way of low latency
 * @param what what was found
 * @param why why it matters
 * @param here what was measured here of it, the times that say how much it matters; empty if nothing was, or nothing can be
 * @param command what mends it, for a shell; empty if there is nothing to mend, or no command does it
 */
record Finding(String topic, Level level, String what, String why, String here, String command) {
    /** Whether a thing stands in the way. */
    enum Level {
        /** It stands in the way, and can be mended. */
        HINDERS("hinders"),
        /** A property of the machine that costs latency; no command changes it. */
        COSTS("costs"),
        /** It is as low latency wants it. */
        FINE("fine"),
        /** The system does not say. */
        UNKNOWN("not known");

        final String words;

        Level(String words) {
            this.words = words;
        }
    }

    static Finding hinders(String topic, String what, String why, String command) {
        return new Finding(topic, Level.HINDERS, what, why, "", command);
    }

    static Finding costs(String topic, String what, String why) {
        return new Finding(topic, Level.COSTS, what, why, "", "");
    }

    static Finding fine(String topic, String what) {
        return new Finding(topic, Level.FINE, what, "", "", "");
    }

    static Finding unknown(String topic, String what, String why) {
        return new Finding(topic, Level.UNKNOWN, what, why, "", "");
    }

    /** The same with the words of a measurement here. */
    Finding measured(String words) {
        return new Finding(topic, level, what, why, words, command);
    }

    /** The number of findings of a level. */
    static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(finding -> finding.level == level).count();
    }
}
