package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.StackEnd;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A signal that is cut off in its middle: whoever signals next wakes those whom it has not woken. */
@Tag("once")
@Timeout(110)
class CutOffSignalTest {
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    private static final int WAITING = 1;
    private static final int SIGNALLED = 2;
    private static final VarHandle WORD = word();

    private static VarHandle word() {
        try {
            return MethodHandles.privateLookupIn(SignalledIdle.class, MethodHandles.lookup())
                    .findVarHandle(SignalledIdle.class, "word", int.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** Sleeps until there is something new, and takes it. */
    private static final class Sleeper implements AutoCloseable {
        final SignalledIdle idle = SignalledIdle.exact(0);
        final AtomicLong published;
        final AtomicLong taken = new AtomicLong();
        private final AtomicBoolean ends = new AtomicBoolean();
        private final Thread thread = new Thread(this::run, "sleeper");

        Sleeper(AtomicLong published) {
            this.published = published;
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            while (!ends.get()) {
                long now = published.get();
                idle.idle(now == taken.get() ? 0 : 1);
                taken.set(now);
            }
        }

        /** Parked, or so near that a permit is all it waits for. */
        void awaitSleep() {
            await("a sleeper", () -> idle.parkedSince() != SignalledIdle.NO_DEADLINE && taken.get() == published.get());
        }

        @Override
        public void close() {
            ends.set(true);
            idle.signal();
        }
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(String what, Condition condition) {
        long started = System.nanoTime();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - started).as("waits for " + what).isLessThan(LIMIT);
            Thread.onSpinWait();
        }
    }

    /** The other stands between its move of the idle word and its unpark, and may never get there. */
    @Test
    void whoFindsAMemberSignalledByAnotherUnparksItAllTheSame() throws Exception {
        AtomicLong published = new AtomicLong();
        SignalGroup one = new SignalGroup(true);
        SignalGroup another = new SignalGroup(true);
        try (Sleeper sleeper = new Sleeper(published)) {
            one.add(sleeper.idle);
            another.add(sleeper.idle);
            for (SignalGroup group : List.of(one, another)) {
                sleeper.awaitSleep();
                assertThat((boolean) WORD.compareAndSet(sleeper.idle, WAITING, SIGNALLED))
                        .as("moved")
                        .isTrue();
                published.incrementAndGet();
                group.signal();
                await("the sleeper", () -> sleeper.taken.get() == published.get());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void nobodySleepsForEverBehindASignalThatTheEndOfTheStackCutsOff(int members) throws Exception {
        List<Throwable> thrown = new ArrayList<>();
        Thread thread = new Thread(null, () -> signals(members), "shallow", 512 << 10);
        thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
    }

    private static void signals(int members) {
        AtomicLong published = new AtomicLong();
        SignalGroup group = new SignalGroup(true);
        List<Sleeper> sleepers = new ArrayList<>();
        try {
            for (int i = 0; i < members; i++) {
                Sleeper sleeper = new Sleeper(published);
                group.add(sleeper.idle);
                sleepers.add(sleeper);
            }
            int cut = 0;
            int wholeInARow = 0;
            for (int step = -1; wholeInARow < 24; step++) {
                assertThat(step).as("steps").isLessThan(4_000);
                boolean[] whole = {false};
                Runnable signal = () -> {
                    group.signal();
                    whole[0] = true;
                };
                sleepers.forEach(Sleeper::awaitSleep);
                published.incrementAndGet();
                StackEnd.atStep(step, signal);
                cut += whole[0] ? 0 : 1;
                wholeInARow = whole[0] ? wholeInARow + 1 : 0;
                group.signal();
                for (Sleeper sleeper : sleepers) {
                    await("one that sleeps behind step " + step, () -> sleeper.taken.get() == published.get());
                }
            }
            assertThat(cut).as("signals that were cut off").isPositive();
        } finally {
            sleepers.forEach(Sleeper::close);
        }
    }
}
