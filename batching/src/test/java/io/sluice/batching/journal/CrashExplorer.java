package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalOracle.Complaint;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import org.jspecify.annotations.NullMarked;

/**
 * Runs short random programs on a journal ({@link CrashProgram}), and after each operation of the storage tries what a crash
 * would leave ({@link CrashStates}).
 */
@NullMarked
final class CrashExplorer {
    private static final int STEPS = 60;

    private CrashExplorer() {}

    /** Explores program after program, until so many states were tried: 100,000 unless the property says otherwise. */
    static Totals explore() throws InterruptedException {
        Totals totals = new Totals();
        totals.ran = RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    long before = totals.states;
                    CrashProgram running = new CrashProgram(program, totals);
                    try {
                        running.run();
                    } catch (Complaint e) {
                        throw new Complaint(e.getMessage() + "\nafter " + running.history);
                    }
                    return totals.states - before;
                })
                .budget("io.sluice.crash.states", 100_000)
                .from(1)
                .run();
        return totals;
    }

    /** What was explored. */
    static final class Totals {
        RandomPrograms.Totals ran = new RandomPrograms.Totals(0, 0, false);
        long states;
        long crashesInOpening;

        /** Journals that were cut at each operation once more, when they had gone on behind what a crash had left. */
        long secondLives;

        long kills;
        long failedForces;

        /** Forces of several pages of a segment that failed, where the process then died. */
        long epochsInVain;

        /** Calls and openings that were refused, or found the disk full. */
        long refusals;

        /** Journals that were closed in order though there was no room. */
        long closesWithoutRoom;

        /** Openings that found a spare segment of another size. */
        long sparesOfAnotherSize;

        /** Exceptions that readers met. */
        long readersRefused;

        @Override
        public String toString() {
            return ran.programs() + " programs, " + states + " states, " + kills + " of them kills, " + crashesInOpening
                    + " openings cut everywhere, " + secondLives + " journals cut everywhere when they went on, "
                    + failedForces + " failed forces, " + epochsInVain + " epochs forced in vain, "
                    + refusals + " calls refused, "
                    + closesWithoutRoom + " closed without room, " + sparesOfAnotherSize + " spares of another size, "
                    + readersRefused + " exceptions of readers";
        }
    }
}
