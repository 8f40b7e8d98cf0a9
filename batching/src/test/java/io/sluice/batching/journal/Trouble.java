package io.sluice.batching.journal;

import io.sluice.batching.journal.CrashStorage.Operation;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;

/** Refuses some kinds of operations, from one of them on, so many times. */
@NullMarked
final class Trouble implements CrashStorage.Refusal {
    private static final Set<Operation> READS = EnumSet.of(Operation.LOOK, Operation.OPEN, Operation.READ);
    private static final Set<Operation> CHANGES =
            EnumSet.of(Operation.CREATE, Operation.RENAME, Operation.DELETE, Operation.FORCE_FOLDER);

    private final Set<Operation> which;
    private int before;
    private int times;

    private Trouble(Set<Operation> which, int before, int times) {
        this.which = which;
        this.before = before;
        this.times = times;
    }

    @Override
    public boolean refuses(Operation operation) {
        if (!which.contains(operation)) {
            return false;
        }
        if (before > 0) {
            before--;
            return false;
        }
        if (times > 0) {
            times--;
            return true;
        }
        return false;
    }

    /** For a reader: it meets a few exceptions, soon. */
    static Trouble ofReading(SplittableRandom random) {
        return new Trouble(READS, random.nextInt(6), 1 + random.nextInt(2));
    }

    /** For a writer, or an opening: a few exceptions, or no end of them. */
    static Trouble ofWriting(SplittableRandom random) {
        Set<Operation> which = switch (random.nextInt(6)) {
            case 0 -> EnumSet.of(Operation.WRITE);
            case 1 -> READS;
            case 2 -> EnumSet.allOf(Operation.class);
            case 3 -> EnumSet.of(Operation.FORCE_FOLDER);
            default -> CHANGES;
        };
        return new Trouble(
                which, random.nextInt(4), random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(2));
    }
}
