package io.sluice.jcstress;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import java.lang.reflect.Field;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A consumer that has announced its park joins a signal group while others signal, under Lincheck: when all have returned, the
 * next signal finds it woken, or wakes it. None of those that ran beside the join takes the group's word down without a look
 * at the newcomer.
 */
@Tag("once")
class SignalGroupJoinLincheckTest {
    @Test
    void whoJoinsWhileItWaitsIsWokenByTheNextSignal() {
        Interleavings.check(Group.class, Nobody.class, 2, 2, 100);
    }

    /** A group with a member, a consumer that waits and comes later, and whoever signals. */
    public static class Group {
        private static final Field WORD = word();
        private static final int WAITING = 1;

        private final SignalGroup group = new SignalGroup(true);
        private final SignalledIdle late = SignalledIdle.exact(0);
        private boolean joined;

        public Group() {
            group.add(SignalledIdle.exact(0)); // raises the word
            late.idle(); // announces its park
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

        @Operation(nonParallelGroup = "joiner")
        public void join() {
            group.add(late);
            joined = true;
        }

        @Operation
        public void signal() {
            group.signal();
        }

        @Validate
        public void theNextSignalWakesIt() throws IllegalAccessException {
            group.signal();
            if (joined && WORD.getInt(late) == WAITING) {
                throw new IllegalStateException("who joined while it waited sleeps on beside a signal");
            }
        }
    }

    /** Operations without results. */
    public static class Nobody {
        public void join() {}

        public void signal() {}
    }
}
