package io.sluice.core;

/** For tests of other packages. */
public final class SignalGroups {
    private SignalGroups() {}

    /**
     * In how many groups an idle strategy is.
     *
     * @param idle the strategy
     * @return 0 or more
     */
    public static int of(SignalledIdle idle) {
        return idle.groups();
    }
}
