package io.sluice.ordered;

import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * A clock of which a program is the owner: time passes before its calls, and within its waits as it says, in the spins or in the
 * parks. For one thread.
 */
final class ProgramClock implements NanoClock {
    /** More looks than any call takes: a wait that is not to be goes on until then. */
    private static final int MOST_LOOKS = 100_000;

    private long now;
    private int looks;

    // at the next look this passes: it begins a wait
    private long spins;

    private @Nullable Admission parks;
    private long seen;
    private long park;

    void pass(long nanos) {
        now += nanos;
    }

    /** Makes a call; null: one that must not wait. */
    long during(Programs.@Nullable Wait wait, Admission of, LongSupplier call) {
        Admission before = parks;
        long parkBefore = park;
        parksPass();
        looks = 0;
        spins = wait == null || wait.park() > 0 ? 0 : wait.nanos();
        parks = wait == null ? null : of;
        park = wait == null ? 0 : wait.park();
        seen = of.parks();
        try {
            return call.getAsLong();
        } finally {
            parksPass();
            spins = 0;
            parks = before;
            park = parkBefore;
            seen = before == null ? 0 : before.parks();
        }
    }

    private void parksPass() {
        if (parks != null) {
            long all = parks.parks();
            now += (all - seen) * park;
            seen = all;
        }
    }

    @Override
    public long nanoTime() {
        parksPass();
        if (++looks > MOST_LOOKS) {
            now += 1_000_000_000;
        }
        long time = now;
        now += spins;
        spins = 0;
        return time;
    }
}
