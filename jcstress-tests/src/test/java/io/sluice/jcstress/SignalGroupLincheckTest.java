package io.sluice.jcstress;

import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import java.lang.reflect.Field;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two consumers in one signal group, and publishers, under Lincheck: when all have returned, neither of the consumers has
 * announced its park, has not been woken, and has not seen all that was published.
 *
 * <p>A consumer that would park does nothing instead: what matters is whether it would sleep beside its work.
 */
@Tag("once")
class SignalGroupLincheckTest {
    @Test
    void neitherOfTwoConsumersSleepsBesideItsWork() {
        Interleavings.check(Group.class, Source.class, 3, 3, 900);
    }

    /** Two consumers, one cycle an operation, and a publisher. */
    public static class Group {
        private static final Field WORD = word();
        private static final int WAITING = 1;

        private final Sequence source = new Sequence(0);
        private final SignalGroup group = new SignalGroup(true);
        private final SignalledIdle one = SignalledIdle.exact(0);
        private final SignalledIdle other = SignalledIdle.exact(0);
        private final boolean[] announced = new boolean[2];
        private final long[] seen = new long[2];

        public Group() {
            group.add(one);
            group.add(other);
            group.signal(); // lowers the word, which every addition has raised
        }

        private static Field word() {
            try {
                Field word = SignalledIdle.class.getDeclaredField("word");
                word.setAccessible(true);
                return word;
            } catch (NoSuchFieldException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** A cycle; if it was empty, and the park is not announced, its announcement and one more. */
        private long cycle(int consumer, SignalledIdle idle) {
            long now = look(consumer, idle);
            if (!announced[consumer] && now == 0) {
                announced[consumer] = true;
                idle.idle();
                now = look(consumer, idle);
            }
            return now;
        }

        private long look(int consumer, SignalledIdle idle) {
            long now = source.getAcquire();
            long work = now - seen[consumer];
            seen[consumer] = now;
            if (work > 0 && announced[consumer]) {
                announced[consumer] = false;
                idle.reset();
            }
            return work;
        }

        @Operation(nonParallelGroup = "one")
        public void cycleOfOne() {
            cycle(0, one);
        }

        @Operation(nonParallelGroup = "other")
        public void cycleOfOther() {
            cycle(1, other);
        }

        @Operation(nonParallelGroup = "publisher")
        public long publish() {
            long next = source.getAcquire() + 1;
            source.setRelease(next);
            group.signal();
            return next;
        }

        @Validate
        public void nobodySleepsBesideWork() throws IllegalAccessException {
            check(0, one);
            check(1, other);
        }

        private void check(int consumer, SignalledIdle idle) throws IllegalAccessException {
            if (WORD.getInt(idle) == WAITING && seen[consumer] < source.get()) {
                throw new IllegalStateException("consumer " + consumer + " has seen " + seen[consumer] + " of "
                        + source.get() + ", and sleeps");
            }
        }
    }

    /** A counter. */
    public static class Source {
        private long published;

        public void cycleOfOne() {}

        public void cycleOfOther() {}

        public long publish() {
            return ++published;
        }
    }
}
