package io.sluice.batching.journal;

import io.sluice.batching.journal.CrashStorage.Chooser;
import io.sluice.batching.journal.CrashStorage.PageChoice;
import io.sluice.batching.journal.JournalOracle.Complaint;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Tries what a crash would leave of a folder: each prefix of the folder's changes, each unforced page lost, alone, in an older
 * version, or torn, all subsets of few pages; the page cache as it is, where only the process dies; and forces that fail and
 * mark the pages clean. Of each such state it demands that a replay and an opening find every record that was acknowledged, in
 * order, nothing invented, and a clean end; that what the opening acknowledges survives the next loss of power; and the same
 * of crashes, failing forces, a full disk and other refusals within the opening, of an opening with another segment size, and
 * of what is appended behind the end that was found, with crashes there too.
 */
@NullMarked
final class CrashStates {
    /** One in so many journals that go on is cut everywhere once more. */
    private static final int SECOND_LIVES = 24;

    private final JournalOracle oracle;
    private final JournalConfig config;
    private final CrashExplorer.Totals totals;
    private final Set<Long> seen = new HashSet<>();

    /** Which states of the device are tried. */
    SplittableRandom choices;

    private boolean killsAreKind = true;
    private boolean inCheck;

    CrashStates(JournalOracle oracle, JournalConfig config, CrashExplorer.Totals totals, SplittableRandom choices) {
        this.oracle = oracle;
        this.config = config;
        this.totals = totals;
        this.choices = choices;
    }

    static int segmentSize(SplittableRandom random) {
        return (3 + random.nextInt(4)) * Frame.BLOCK;
    }

    void acknowledge(Journal opened) {
        oracle.acknowledged = Math.max(oracle.acknowledged, opened.durableSequence());
        if (killsAreKind) {
            oracle.written = Math.max(oracle.written, opened.writtenSequence());
        }
    }

    /** Whether the page cache has shown nothing so far that is not on the device, and that it believes is. */
    boolean isKind(CrashStorage storage) {
        return killsAreKind && !storage.lies();
    }

    /** Another process begins. */
    void beginAnew() {
        killsAreKind = true;
    }

    /** Tries all crashes that may come now. */
    void explore(CrashStorage at, @Nullable Journal open) {
        if (inCheck) {
            return;
        }
        inCheck = true;
        if (open != null) {
            acknowledge(open);
        }
        boolean lies = at.lies();
        killsAreKind &= !lies;
        cuts(at, true);
        if (lies || choices.nextInt(8) == 0) {
            kill(at, lies);
        }
        String segment = at.segmentOfUnforcedPages();
        if (segment != null) {
            totals.epochsInVain++;
            kill(at.afterFailedForce(segment, choices.split()), true);
        }
        inCheck = false; // not where something was complained of: whoever cleans up must not hide it
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
        if (seen.add(at.fingerprint(changes, chooser) ^ oracle.acknowledged * 0x9E3779B97F4A7C15L)) {
            totals.states++;
            check(at.afterCut(changes, chooser), oracle.acknowledged, nested);
        }
    }

    /** Only the process dies. */
    private void kill(CrashStorage at, boolean lies) {
        totals.states++;
        totals.kills++;
        CrashStorage state = at.afterKill();
        long found = replay(state, oracle.acknowledged);
        if (!lies && killsAreKind && Math.max(found, oracle.origin) - 1 < oracle.written) {
            throw complaint("after a kill found up to " + (found - 1) + ", written " + oracle.written);
        }
        if (lies && choices.nextBoolean()) {
            state.evict(choices, 2);
        }
        check(state, oracle.acknowledged, false);
    }

    /**
     * One state: what a replay finds, what an opening finds and acknowledges, what is there after one more loss of power.
     *
     * @param nested whether there may be crashes within the opening, or in what is appended behind it
     */
    private void check(CrashStorage state, long atLeast, boolean nested) {
        long found = replay(state, atLeast);
        if (nested && choices.nextInt(16) == 0) {
            totals.crashesInOpening++;
            state.hook = opening -> cuts(opening, false);
        } else {
            trouble(state);
        }
        JournalConfig with = config.segmentSize(segmentSize(choices));
        for (int attempt = 0; ; attempt++) {
            int refused = state.refused;
            try (Journal opened = Journal.open(state, with)) {
                free(state);
                if (opened.nextSequence() - 1 < atLeast) {
                    throw complaint("opened at " + opened.nextSequence() + ", acknowledged " + atLeast);
                }
                if (found >= 0 && opened.nextSequence() != found) {
                    throw complaint("opened at " + opened.nextSequence() + ", a replay ended at " + found);
                }
                long durable = opened.durableSequence();
                replay(state.afterCut(0, (i, page) -> -1), durable);
                // Behind an opening that has failed always. Who was refused room may be refused it for a while.
                if (state.refused == refused && (attempt > 0 || choices.nextInt(4) == 0)) {
                    goOn(state, opened, nested && choices.nextInt(SECOND_LIVES) == 0);
                }
                return;
            } catch (JournalException e) {
                if (state.refused == 0 || attempt > 0) {
                    throw complaint("unexpected " + e);
                }
                boolean forceFailed = state.failingForce > 0;
                free(state);
                if (forceFailed) {
                    totals.failedForces++;
                    state.evict(choices, 3);
                    replay(state.afterCut(0, (i, page) -> -1), atLeast);
                    found = -1;
                } else {
                    totals.refusals++;
                    long still = replay(state, atLeast);
                    if (found >= 0 && still != found) {
                        throw complaint(
                                "a replay ended at " + found + ", after an opening that was refused at " + still);
                    }
                }
            }
        }
    }

    /** Something that an opening may meet, or nothing. */
    private void trouble(CrashStorage state) {
        switch (choices.nextInt(16)) {
            case 0, 1 -> {
                state.arrivals = choices.split();
                state.failingForce = 1 + choices.nextInt(4);
            }
            case 2 -> state.capacity = state.used() + (choices.nextBoolean() ? 0 : choices.nextInt(4 * Frame.BLOCK));
            case 3 -> state.refusal = Trouble.ofWriting(choices);
            default -> {}
        }
    }

    private static void free(CrashStorage state) {
        state.hook = null;
        state.failingForce = 0;
        state.capacity = Long.MAX_VALUE;
        state.refusal = null;
    }

    /**
     * Appends behind what an opening has found, and demands that all is there; into the next segment now and then. Else it appends
     * one to as many short records as were lost, in few blocks: what was torn reaches further then, and the sequence that comes next
     * is one that it has. Nothing of it may come back.
     *
     * @param crashes whether the power may go at each operation
     */
    private void goOn(CrashStorage state, Journal opened, boolean crashes) throws JournalException {
        List<Integer> before = oracle.copy();
        long acknowledged = oracle.acknowledged;
        int records = 1 + choices.nextInt(1 + oracle.forget(opened.nextSequence()));
        int length = 4 + choices.nextInt(100);
        if (choices.nextInt(4) == 0) {
            opened.preallocate();
            records = 8;
            length = 3000;
        }
        ByteBuffer probe = ByteBuffer.allocate(length);
        state.demandFreshPages = true;
        if (crashes) {
            totals.secondLives++;
            state.hook = at -> {
                oracle.acknowledged = Math.max(oracle.acknowledged, opened.durableSequence());
                cuts(at, false);
            };
        }
        for (int i = 0; i < records; i++) {
            oracle.next(probe, length);
            opened.append(probe, 0, length);
            if (choices.nextInt(4) == 0) {
                opened.endOfBatch();
            }
        }
        opened.endOfBatch();
        opened.force();
        state.hook = null;
        state.demandFreshPages = false;
        long durable = opened.durableSequence();
        if (durable != opened.nextSequence() - 1) {
            throw complaint("forced before " + opened.nextSequence() + ", durable " + durable);
        }
        replay(state.afterCut(0, (i, page) -> -1), durable);
        replay(state, durable);
        oracle.backTo(before);
        oracle.acknowledged = acknowledged;
    }

    /** Where a replay ends; -1 if there is no journal. */
    private long replay(CrashStorage state, long atLeast) {
        if (!state.names.containsKey(FileNames.FIRST)
                && state.list().stream().allMatch(name -> FileNames.segmentIndex(name) < 0)) {
            if (atLeast >= oracle.origin) {
                throw complaint("nothing is there, acknowledged " + atLeast);
            }
            return -1;
        }
        try (JournalReader reader = JournalReader.replay(state, JournalReader.FROM_FIRST)) {
            long next = reader.nextSequence();
            if (next > atLeast + 1 || next < oracle.origin) {
                throw complaint("a replay starts at " + next + ", acknowledged " + atLeast);
            }
            while (reader.next()) {
                oracle.demand(reader, next);
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

    private static Complaint complaint(String what) {
        return new Complaint(what);
    }
}
