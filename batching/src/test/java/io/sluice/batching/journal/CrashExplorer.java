package io.sluice.batching.journal;

import io.sluice.batching.journal.CrashStorage.Chooser;
import io.sluice.batching.journal.CrashStorage.PageChoice;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Runs a short random program on a journal, and after each operation of the storage tries what a crash would leave: each
 * prefix of the folder's changes, each unforced page lost, alone, in an older version, or torn, all subsets of few pages; the
 * page cache as it is, where only the process dies; and forces that fail and mark the pages clean. Of each such state it
 * demands that a replay and an opening find every record that was acknowledged, in order, nothing invented, and a clean end;
 * that what the opening acknowledges survives the next loss of power; and the same of crashes and failing forces within the
 * opening.
 */
@NullMarked
final class CrashExplorer {
    /** What was demanded and not met. */
    static final class Complaint extends AssertionError {
        private static final long serialVersionUID = 1L;

        Complaint(String message) {
            super(message);
        }
    }

    private final SeededProgram program;
    private final JournalConfig config;
    private final long[] nanos = {0};
    private final int origin;
    private final List<Integer> appended = new ArrayList<>();
    private final Set<Long> seen = new HashSet<>();
    private final StringBuilder history = new StringBuilder();
    private final ByteBuffer payload = ByteBuffer.allocate(4096);
    private final ByteBuffer probe = ByteBuffer.allocate(100);

    /** What the program does next. */
    private SplittableRandom random;

    /** Which states of the device are tried. */
    private SplittableRandom choices;

    /** How many steps are done. */
    private int done;

    private CrashStorage storage = new CrashStorage();
    private @Nullable Journal journal;
    private long acknowledged;
    private long written;
    private boolean killsAreKind = true;
    private int ids;
    private boolean inCheck;

    long states;
    long crashesInOpening;
    long kills;
    long failedForces;

    CrashExplorer(SeededProgram program) {
        this.program = program;
        random = program.random();
        choices = random.split();
        origin = random.nextInt(2) * 1000;
        acknowledged = origin - 1L;
        written = origin - 1L;
        Durability durability = switch (random.nextInt(4)) {
            case 0 -> Durability.NONE;
            case 1 -> Durability.every(Duration.ofMillis(5));
            default -> Durability.EACH_BATCH;
        };
        JournalConfig.Method method = random.nextBoolean() ? JournalConfig.Method.BLOCKS : JournalConfig.Method.MAPPED;
        config = JournalConfig.defaults()
                .method(method)
                .segmentSize((3 + random.nextInt(4)) * Frame.BLOCK)
                .bufferSize(JournalConfig.MIN_BUFFER)
                .durability(durability)
                .firstSequence(origin)
                .prepareAhead(random.nextInt(4) > 0)
                .epochClock(() -> 42)
                .nanoClock(() -> nanos[0]);
        history.append(method).append(", ").append(durability).append(':');
    }

    /** Runs the program; throws a {@link Complaint} at the first state that lacks something. */
    void run() {
        while (done < program.size()) {
            live();
        }
    }

    private void live() {
        draw(); // a step that opens the journal; the others are calls
        storage.hook = this::explore;
        storage.arrivals = choices.split();
        storage.failingForce = random.nextInt(2) == 0 ? storage.forces + 1 + random.nextInt(12) : 0;
        try {
            Journal opened = Journal.open(storage, config);
            journal = opened;
            history.append(" open:").append(opened.nextSequence());
            if (opened.nextSequence() - 1 < acknowledged) {
                throw new Complaint("opened at " + opened.nextSequence() + ", acknowledged " + acknowledged);
            }
            forget(opened.nextSequence());
            acknowledge(opened);
            while (done < program.size()) {
                draw();
                if (random.nextInt(24) == 0) {
                    break;
                }
                step(opened);
                acknowledge(opened);
            }
            if (random.nextInt(3) == 0) {
                history.append(" close");
                opened.close();
                acknowledge(opened);
            }
        } catch (JournalException e) {
            history.append(" failed force");
            if (storage.failingForce == 0 || storage.forces < storage.failingForce) {
                throw new Complaint("unexpected " + e);
            }
            failedForces++;
        }
        journal = null;
        storage.hook = null;
        if (!killsAreKind || storage.lies()) {
            written = acknowledged; // the page cache may forget what it wrongly takes for written
        }
        killsAreKind = true;
        if (random.nextBoolean()) {
            history.append(" kill");
            storage = storage.afterKill();
            storage.evict(random, 3);
            return;
        }
        history.append(" cut");
        int changes = random.nextInt(storage.unforcedChanges() + 1);
        storage = storage.afterCut(changes, (index, page) -> random.nextInt(page.versions() + 1) - 1);
        written = acknowledged;
    }

    private void draw() {
        random = program.random(program.steps().get(done++));
        choices = random.split();
    }

    private void step(Journal opened) throws JournalException {
        switch (random.nextInt(16)) {
            case 0 -> {
                nanos[0] += 4_000_000;
                opened.maintain();
            }
            case 1 -> opened.force();
            case 2 -> opened.preallocate();
            case 3 -> opened.retireBefore(Math.max(0, acknowledged - random.nextInt(4)));
            case 4, 5, 6, 7 -> opened.endOfBatch();
            default -> {
                int id = ids++;
                int length = random.nextInt(3) == 0 ? random.nextInt(3000) : random.nextInt(200);
                length = Math.min(4 + length, opened.maxRecordLength());
                appended.add(id); // known before the call: a crash within it may leave the record
                fill(payload, id, length);
                opened.append(payload, 0, length);
            }
        }
    }

    private static void fill(ByteBuffer buffer, int id, int length) {
        for (int i = 0; i + 4 <= length; i += 4) {
            buffer.putInt(i, id);
        }
    }

    private void acknowledge(Journal opened) {
        acknowledged = Math.max(acknowledged, opened.durableSequence());
        if (killsAreKind) {
            written = Math.max(written, opened.writtenSequence());
        }
    }

    private void forget(long nextSequence) {
        while (origin + appended.size() > nextSequence) {
            appended.remove(appended.size() - 1);
        }
    }

    // The states.

    private void explore(CrashStorage at) {
        if (inCheck) {
            return;
        }
        inCheck = true;
        try {
            Journal open = journal;
            if (open != null) {
                acknowledge(open);
            }
            boolean lies = at.lies();
            killsAreKind &= !lies;
            cuts(at, true);
            if (lies || choices.nextInt(8) == 0) {
                kill(at, lies);
            }
        } finally {
            inCheck = false;
        }
    }

    /** All the ways in which the power may go now. */
    private void cuts(CrashStorage at, boolean nested) {
        for (int changes = 0; changes <= at.unforcedChanges(); changes++) {
            List<PageChoice> pages = at.unforcedPages(changes);
            int count = pages.size();
            cut(at, changes, (i, page) -> -1, nested);
            cut(at, changes, (i, page) -> page.versions() - 1, nested);
            if (changes < at.unforcedChanges()) {
                cut(at, changes, anyOf(choices.nextLong()), nested);
                continue;
            }
            for (int one = 0; one < count; one++) {
                int chosen = one;
                cut(at, changes, (i, page) -> i == chosen ? -1 : page.versions() - 1, nested);
                cut(at, changes, (i, page) -> i == chosen ? page.versions() - 1 : -1, nested);
                for (int older = 0; older < pages.get(one).versions() - 1; older++) {
                    int version = older;
                    cut(at, changes, (i, page) -> i == chosen ? version : page.versions() - 1, nested);
                }
                for (int half = 1; half <= 2; half++) {
                    cut(at, changes, torn(chosen, half, true), nested);
                    cut(at, changes, torn(chosen, half, false), nested);
                }
            }
            if (count > 2 && count <= 4) {
                for (int subset = 1; subset < 1 << count; subset++) {
                    int arrived = subset;
                    cut(at, changes, (i, page) -> (arrived >> i & 1) == 1 ? page.versions() - 1 : -1, nested);
                }
            } else if (count > 4) {
                for (int i = 0; i < 4; i++) {
                    cut(at, changes, anyOf(choices.nextLong()), nested);
                }
            }
        }
    }

    private static Chooser anyOf(long key) {
        return (i, page) -> new SplittableRandom(key + i).nextInt(page.versions() + 1) - 1;
    }

    private static Chooser torn(int chosen, int half, boolean othersArrive) {
        return new Chooser() {
            @Override
            public int version(int index, PageChoice page) {
                return index == chosen || othersArrive ? page.versions() - 1 : -1;
            }

            @Override
            public int half(int index) {
                return index == chosen ? half : 0;
            }
        };
    }

    private void cut(CrashStorage at, int changes, Chooser chooser, boolean nested) {
        if (seen.add(at.fingerprint(changes, chooser) ^ acknowledged * 0x9E3779B97F4A7C15L)) {
            states++;
            check(at.afterCut(changes, chooser), acknowledged, nested && choices.nextInt(16) == 0);
        }
    }

    /** Only the process dies. */
    private void kill(CrashStorage at, boolean lies) {
        states++;
        kills++;
        CrashStorage state = at.afterKill();
        long found = replay(state, acknowledged);
        if (!lies && killsAreKind && Math.max(found, origin) - 1 < written) {
            throw complaint("after a kill found up to " + (found - 1) + ", written " + written);
        }
        if (lies && choices.nextBoolean()) {
            state.evict(choices, 2);
        }
        check(state, acknowledged, false);
    }

    /** One state: what a replay finds, what an opening finds and acknowledges, what is there after one more loss of power. */
    private void check(CrashStorage state, long atLeast, boolean crashInOpening) {
        long found = replay(state, atLeast);
        if (crashInOpening) {
            crashesInOpening++;
            state.hook = opening -> cuts(opening, false);
        } else if (choices.nextInt(8) == 0) {
            state.arrivals = choices.split();
            state.failingForce = 1 + choices.nextInt(4);
        }
        for (int attempt = 0; ; attempt++) {
            try (Journal opened = Journal.open(state, config)) {
                state.hook = null;
                state.failingForce = 0;
                if (opened.nextSequence() - 1 < atLeast) {
                    throw complaint("opened at " + opened.nextSequence() + ", acknowledged " + atLeast);
                }
                if (attempt == 0 && found >= 0 && opened.nextSequence() != found) {
                    throw complaint("opened at " + opened.nextSequence() + ", a replay ended at " + found);
                }
                long durable = opened.durableSequence();
                replay(state.afterCut(0, (i, page) -> -1), durable);
                if (choices.nextInt(4) == 0) {
                    List<Integer> before = List.copyOf(appended);
                    forget(opened.nextSequence());
                    appended.add(-7);
                    fill(probe, -7, 100);
                    opened.append(probe, 0, 100);
                    opened.endOfBatch();
                    opened.force();
                    durable = opened.durableSequence();
                    replay(state.afterCut(0, (i, page) -> -1), durable);
                    replay(state, durable);
                    appended.clear();
                    appended.addAll(before);
                }
                return;
            } catch (JournalException e) {
                if (state.forces < state.failingForce || state.failingForce == 0 || attempt > 0) {
                    throw complaint("unexpected " + e);
                }
                failedForces++;
                state.hook = null;
                state.evict(choices, 3);
                replay(state.afterCut(0, (i, page) -> -1), atLeast);
            }
        }
    }

    /** Where a replay ends; -1 if there is no journal. */
    private long replay(CrashStorage state, long atLeast) {
        if (!state.exists(FileNames.FIRST)
                && state.list().stream().allMatch(name -> FileNames.segmentIndex(name) < 0)) {
            if (atLeast >= origin) {
                throw complaint("nothing is there, acknowledged " + atLeast);
            }
            return -1;
        }
        try (JournalReader reader = JournalReader.replay(state, JournalReader.FROM_FIRST)) {
            long next = reader.nextSequence();
            if (next > atLeast + 1 || next < origin) {
                throw complaint("a replay starts at " + next + ", acknowledged " + atLeast);
            }
            while (reader.next()) {
                if (reader.sequence() != next) {
                    throw complaint("a replay found " + reader.sequence() + " instead of " + next);
                }
                int at = (int) (next - origin);
                if (at >= appended.size()) {
                    throw complaint("a replay found " + next + ", which was never appended");
                }
                int id = Integer.reverseBytes(reader.buffer().getInt(reader.payloadOffset()));
                if (id != appended.get(at)) {
                    throw complaint("record " + next + " is number " + id + ", appended was " + appended.get(at));
                }
                next++;
            }
            if (next - 1 < atLeast) {
                throw complaint("a replay found up to " + (next - 1) + ", acknowledged " + atLeast);
            }
            return next;
        } catch (JournalException e) {
            throw complaint("unexpected " + e + " of kind " + e.kind() + ", acknowledged " + atLeast);
        }
    }

    private Complaint complaint(String what) {
        return new Complaint(what);
    }

    private static final int STEPS = 60;

    /** Explores program after program, until so many states were tried: 100,000 unless the property says otherwise. */
    static Totals explore() throws InterruptedException {
        Totals totals = new Totals();
        totals.ran = RandomPrograms.of(seed -> SeededProgram.of(seed, STEPS), program -> {
                    CrashExplorer explorer = new CrashExplorer(program);
                    try {
                        explorer.run();
                    } catch (Complaint e) {
                        throw new Complaint(e.getMessage() + "\nafter " + explorer.history);
                    }
                    totals.states += explorer.states;
                    totals.crashesInOpening += explorer.crashesInOpening;
                    totals.kills += explorer.kills;
                    totals.failedForces += explorer.failedForces;
                    return explorer.states;
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
        long kills;
        long failedForces;

        @Override
        public String toString() {
            return ran.programs() + " programs, " + states + " states, " + kills + " of them kills, " + crashesInOpening
                    + " openings cut everywhere, " + failedForces + " failed forces";
        }
    }
}
