package io.sluice.jcstress.gate;

/**
 * How long a run takes.
 *
 * @param name its name on the command line
 * @param iterations iterations in each JVM
 * @param millis how long an iteration lasts
 * @param forks JVMs for each configuration
 * @param stressForks JVMs for each configuration with randomized compilation
 * @param compilers which compilers the actors are given
 * @param everyTwin whether every twin is run, or one for each kind of weakening
 */
record Setting(
        String name, int iterations, int millis, int forks, int stressForks, Compilers compilers, boolean everyTwin) {
    /** The compilers that the actors are given, and how many configurations a test of two actors has then, at least. */
    enum Compilers {
        /** C2 for all. */
        OPTIMIZING(1),
        /** Each in its turn, the same for all actors; C2 also with its choices randomized. */
        SAME(4),
        /** Every pair of them, too. */
        PAIRS(14);

        private final int configurations;

        Compilers(int configurations) {
            this.configurations = configurations;
        }
    }

    static final Setting SMALLEST = new Setting("--smallest", 1, 100, 1, 1, Compilers.OPTIMIZING, false);
    static final Setting QUICK = new Setting("--quick", 1, 150, 1, 1, Compilers.SAME, true);
    static final Setting DEFAULT = new Setting("--default", 3, 500, 1, 3, Compilers.PAIRS, true);
    static final Setting TOUGH = new Setting("--tough", 10, 1_000, 3, 10, Compilers.PAIRS, true);

    /** For twins, and for races that were not met at first. */
    static Setting tries(int forks) {
        return new Setting("twin", 1, 100, forks, forks, Compilers.PAIRS, false);
    }

    /** For twins, first of all: a single JVM, which is enough for most, since a defect is seen soonest in fast code. */
    static Setting glance() {
        return new Setting("twin", 1, 150, 1, 1, Compilers.OPTIMIZING, false);
    }

    /** jcstress runs a test of two actors in at least so many configurations where it finds both compilers. */
    int fewestConfigurations() {
        return compilers.configurations * forks;
    }
}
