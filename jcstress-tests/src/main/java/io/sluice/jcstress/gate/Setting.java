package io.sluice.jcstress.gate;

/**
 * How long a run takes.
 *
 * @param name its name on the command line
 * @param iterations iterations in each JVM
 * @param millis how long an iteration lasts
 * @param forks JVMs for each configuration
 * @param stressForks JVMs for each configuration with randomized compilation
 * @param split whether every pair of compilers is tried, one for each actor, or the same for both actors
 * @param everyTwin whether every twin is run, or one for each kind of weakening
 */
record Setting(String name, int iterations, int millis, int forks, int stressForks, boolean split, boolean everyTwin) {
    static final Setting SMALLEST = new Setting("--smallest", 1, 50, 1, 1, false, false);
    static final Setting QUICK = new Setting("--quick", 1, 150, 1, 1, false, true);
    static final Setting DEFAULT = new Setting("--default", 3, 500, 1, 3, true, true);
    static final Setting TOUGH = new Setting("--tough", 10, 1_000, 3, 10, true, true);

    /** For twins, and for races that were not met at first. */
    static Setting tries(int forks) {
        return new Setting("twin", 1, 100, forks, forks, true, false);
    }

    /** For twins, first of all: a third of the JVMs, which is enough for most. */
    static Setting glance() {
        return new Setting("twin", 1, 100, 1, 1, false, false);
    }

    /** jcstress runs a test of two actors in at least so many configurations where it finds both compilers. */
    int fewestConfigurations() {
        return (split ? 14 : 4) * forks;
    }
}
