package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.batching.journal.JournalOracle.Complaint;
import io.sluice.testing.SeededProgram;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A random program on a journal. It opens the journal and appends, ends batches, forces, prepares, retires; beside it readers
 * read. The disk gets full, or refuses this or that, for a while or until the end; readers meet exceptions, and segments that
 * are not there, and go on. Then the journal is closed or left, and the process goes on with it, dies, or loses its power.
 * The next opening perhaps has another segment size.
 *
 * <p>An exception has to have a reason: something was refused within the call. What was refused has changed nothing, unless
 * the journal says that it has failed; once nothing is refused any more, everything succeeds.
 */
@NullMarked
final class CrashProgram {
    private static final int NEVER = Integer.MAX_VALUE;

    private final SeededProgram program;
    private final JournalOracle oracle;
    private final CrashStates states;
    private final JournalConfig base;
    private final long[] nanos = {0};
    private long refusedAt; // an allocation, by the storage; for a while the journal then refuses by itself
    private final ByteBuffer payload = ByteBuffer.allocate(4096);
    private final List<CheckedReader> readers = new ArrayList<>();

    /** What was done, for a complaint. */
    final StringBuilder history = new StringBuilder();

    /** What is counted. */
    final CrashExplorer.Totals totals;

    /** What the program does next. */
    private SplittableRandom random;

    /** How many steps are done. */
    private int done;

    private CrashStorage storage = new CrashStorage();
    private @Nullable Journal journal;
    private int segmentSize;

    /** What the next opening has to find. */
    private long floor;

    /** Whether the journal was closed in order, so that nothing is to be repaired. */
    private boolean inOrder;

    private boolean failed;

    CrashProgram(SeededProgram program, CrashExplorer.Totals totals) {
        this.program = program;
        this.totals = totals;
        random = program.random();
        SplittableRandom choices = random.split();
        oracle = new JournalOracle(random.nextInt(2) * 1000);
        floor = oracle.origin - 1L;
        Durability durability = switch (random.nextInt(4)) {
            case 0 -> Durability.NONE;
            case 1 -> Durability.every(Duration.ofMillis(5));
            default -> Durability.EACH_BATCH;
        };
        JournalConfig.Method method = random.nextBoolean() ? JournalConfig.Method.BLOCKS : JournalConfig.Method.MAPPED;
        segmentSize = CrashStates.segmentSize(random);
        base = JournalConfig.defaults()
                .method(method)
                .bufferSize(JournalConfig.MIN_BUFFER)
                .durability(durability)
                .firstSequence(oracle.origin)
                .prepareAhead(random.nextInt(4) > 0)
                .epochClock(() -> 42)
                .nanoClock(() -> nanos[0]);
        states = new CrashStates(oracle, base, totals, choices);
        history.append(method).append(", ").append(durability).append(':');
    }

    /** Runs the program; throws a {@link Complaint} at the first state that lacks something. */
    void run() {
        while (done < program.size()) {
            live();
        }
    }

    /** Begins a step: all that it does follows from the random numbers of its own. */
    private void draw() {
        random = program.random(program.steps().get(done++));
        states.choices = random.split();
    }

    private void live() {
        draw(); // a step that opens the journal; the others are calls
        storage.hook = this::explore;
        storage.arrivals = states.choices.split();
        storage.failingForce = random.nextInt(3) == 0 ? storage.forces + 1 + random.nextInt(12) : 0;
        if (random.nextInt(12) == 0) {
            refuse();
        }
        if (random.nextInt(3) == 0) {
            segmentSize = CrashStates.segmentSize(random);
        }
        failed = false;
        Journal opened = open(inOrder && random.nextBoolean());
        if (opened != null) {
            run(opened);
        }
        end(opened);
    }

    private void run(Journal opened) {
        for (CheckedReader reader : readers) {
            reader.follow(opened);
        }
        while (done < program.size()) {
            draw();
            if (random.nextInt(20) == 0) {
                break;
            }
            step(opened);
            if (failed) {
                demandFailed(opened);
                break;
            }
            acknowledge(opened);
            if (random.nextInt(3) == 0) {
                read(opened);
            }
        }
        if (random.nextBoolean()) {
            if (!failed && random.nextBoolean()) {
                fillTheDisk();
                for (int i = random.nextInt(4); i > 0 && !failed; i--) {
                    append(opened);
                }
            }
            close(opened);
        }
        readToTheEnd(opened);
    }

    // The calls.

    private @Nullable Journal open(boolean nothingToRepair) {
        history.append("\n  open ").append(segmentSize / Frame.BLOCK).append(nothingToRepair ? " in order" : "");
        int refused = storage.refused;
        if (storage.names.containsKey(FileNames.SPARE)
                && storage.names.get(FileNames.SPARE).live.length != segmentSize) {
            totals.sparesOfAnotherSize++;
        }
        Journal opened;
        inOrder = false;
        refusedAt = nanos[0] - SegmentFiles.RETRY_NANOS;
        try {
            opened = Journal.open(storage, base.segmentSize(segmentSize).repairOnOpen(!nothingToRepair));
        } catch (JournalException e) {
            history.append(" refused");
            if (storage.refused == refused
                    || (e.kind() != Kind.CANNOT_OPEN && e.kind() != Kind.CANNOT_ALLOCATE && e.kind() != Kind.FAILED)) {
                throw new Complaint("opening: unexpected " + e);
            }
            totals.refusals++;
            return null;
        }
        journal = opened;
        history.append(':').append(opened.nextSequence());
        if (opened.nextSequence() - 1 < floor) {
            throw new Complaint("opened at " + opened.nextSequence() + ", to be found was " + floor);
        }
        oracle.forget(opened.nextSequence());
        acknowledge(opened);
        return opened;
    }

    private interface Call {
        void run() throws JournalException;
    }

    /** Makes a call. Demands a reason if it throws, and that it has changed nothing then, or that the journal has failed. */
    private boolean call(Journal opened, String what, Call call) {
        history.append(' ').append(what);
        int refused = storage.refused;
        int operations = storage.operations;
        long next = opened.nextSequence();
        long durable = opened.durableSequence();
        try {
            call.run();
            return true;
        } catch (JournalException e) {
            history.append(" refused ").append(e.kind());
            boolean isTold = e.kind() == Kind.CANNOT_ALLOCATE && nanos[0] - refusedAt < SegmentFiles.RETRY_NANOS;
            if (storage.refused == refused && !isTold) {
                throw new Complaint(what + ": unexpected " + e);
            }
            if (storage.refused != refused) {
                refusedAt = nanos[0];
            } else if (storage.operations != operations && !what.equals("end")) {
                throw new Complaint(what + ": refused without a try, and did something");
            }
            totals.refusals++;
            if (e.kind() == Kind.FAILED) {
                failed = true;
                return false;
            }
            if (e.kind() != Kind.CANNOT_ALLOCATE && e.kind() != Kind.CANNOT_OPEN) {
                throw new Complaint(what + ": unexpected " + e + " of kind " + e.kind());
            }
            if (opened.nextSequence() != next || opened.durableSequence() < durable) {
                throw new Complaint(what + " was refused, but the journal stands before " + opened.nextSequence()
                        + ", durable is " + opened.durableSequence() + "; it was " + next + " and " + durable);
            }
            oracle.forget(next);
            return false;
        }
    }

    private void step(Journal opened) {
        if ((storage.refusal != null || storage.capacity != Long.MAX_VALUE) && random.nextBoolean()) {
            nanos[0] += SegmentFiles.RETRY_NANOS; // what was refused may be tried again
        }
        if (storage.refusal == null && storage.capacity == Long.MAX_VALUE) {
            if (random.nextInt(12) == 0) {
                refuse();
            }
        } else if (random.nextInt(5) == 0) {
            recover(opened);
            return;
        }
        switch (random.nextInt(16)) {
            case 0 -> {
                nanos[0] += 4_000_000;
                call(opened, "maintain", opened::maintain);
            }
            case 1 -> call(opened, "force", opened::force);
            case 2 -> preallocate(opened);
            case 3 -> {
                long before = Math.max(0, oracle.acknowledged - random.nextInt(4));
                call(opened, "retire", () -> opened.retireBefore(before));
            }
            case 4, 5, 6, 7 -> call(opened, "end", opened::endOfBatch);
            default -> append(opened);
        }
    }

    private void append(Journal opened) {
        int length = random.nextInt(3) == 0 ? random.nextInt(3000) : random.nextInt(200);
        int fits = Math.min(4 + length, opened.maxRecordLength());
        long next = opened.nextSequence();
        oracle.next(payload, fits);
        boolean appended = call(opened, "append " + fits, () -> {
            long sequence = opened.append(payload, 0, fits);
            if (sequence != next) {
                throw new Complaint("appended as " + sequence + " instead of " + next);
            }
        });
        if (appended && opened.nextSequence() != next + 1) {
            throw new Complaint("appended " + next + ", and the next one is " + opened.nextSequence());
        }
    }

    private void preallocate(Journal opened) {
        if (call(opened, "preallocate", opened::preallocate)) {
            CrashStorage.MemoryFile spare = storage.names.get(FileNames.SPARE);
            if (spare == null || spare.live.length != segmentSize) {
                throw new Complaint("preallocated " + segmentSize + " bytes, there are " + storage);
            }
        }
    }

    private void acknowledge(Journal opened) {
        states.acknowledge(opened);
    }

    private void explore(CrashStorage at) {
        states.explore(at, journal);
    }

    // Trouble.

    private void refuse() {
        if (random.nextBoolean()) {
            fillTheDisk();
        } else {
            history.append(" [refusing]");
            storage.refusal = Trouble.ofWriting(random);
        }
    }

    private void fillTheDisk() {
        history.append(" [full]");
        storage.refusal = null;
        storage.capacity = storage.used() + (random.nextBoolean() ? 0 : random.nextInt(segmentSize));
    }

    /** From here on nothing is refused. */
    private void recover(Journal opened) {
        history.append(" [room]");
        storage.refusal = null;
        storage.capacity = Long.MAX_VALUE;
        nanos[0] += SegmentFiles.RETRY_NANOS;
        int failing = storage.failingForce;
        storage.failingForce = 0;
        if (random.nextBoolean()) {
            preallocate(opened);
        }
        if (random.nextBoolean()) {
            call(opened, "force", opened::force);
            if (opened.durableSequence() != opened.nextSequence() - 1) {
                throw new Complaint("forced before " + opened.nextSequence() + ", durable " + opened.durableSequence());
            }
        }
        storage.failingForce = failing;
    }

    /** A journal that has failed stays so, and changes nothing. */
    private void demandFailed(Journal opened) {
        int operations = storage.operations;
        long durable = opened.durableSequence();
        demandRefused(Kind.FAILED, () -> opened.append(payload, 0, 4));
        demandRefused(Kind.FAILED, opened::endOfBatch);
        if (storage.operations != operations || opened.durableSequence() != durable) {
            throw new Complaint("a journal that has failed did something");
        }
    }

    private static void demandRefused(Kind kind, Call call) {
        try {
            call.run();
        } catch (JournalException e) {
            if (e.kind() == kind) {
                return;
            }
            throw new Complaint("unexpected " + e + " of kind " + e.kind());
        }
        throw new Complaint("not refused as " + kind);
    }

    /**
     * Closes the journal. It needs no further room: unless a segment that is there cannot be written or forced, all that was
     * appended is durable then. Closing again does nothing, and what is durable is told as before.
     */
    private void close(Journal opened) {
        history.append(" close");
        int ofSegments = storage.refusedOfSegments;
        int refused = storage.refused;
        int onSegments = storage.operationsOnSegments;
        try {
            opened.close();
            if (failed) {
                if (storage.operationsOnSegments != onSegments) {
                    throw new Complaint("a journal that had failed wrote when it was closed");
                }
            } else {
                inOrder = true;
                if (storage.refused != refused) {
                    totals.closesWithoutRoom++;
                }
                if (opened.durableSequence() != opened.nextSequence() - 1) {
                    throw new Complaint("closed before " + opened.nextSequence() + ", but durable is only "
                            + opened.durableSequence());
                }
            }
        } catch (JournalException e) {
            history.append(" refused ").append(e.kind());
            if (failed || storage.refusedOfSegments == ofSegments) {
                throw new Complaint("closing: unexpected " + e);
            }
            totals.refusals++;
        }
        acknowledge(opened);
        int operations = storage.operations;
        long durable = opened.durableSequence();
        try {
            opened.close();
        } catch (JournalException e) {
            throw new Complaint("closing again: unexpected " + e);
        }
        demandRefused(Kind.CLOSED, () -> opened.append(payload, 0, 4));
        if (storage.locked) {
            throw new Complaint("closed, but the lock is held");
        }
        if (storage.operations != operations || opened.durableSequence() != durable) {
            throw new Complaint("closing again did something");
        }
    }

    /** How this life ends: the process opens the journal again, or dies, or loses its power. */
    private void end(@Nullable Journal opened) {
        journal = null;
        storage.hook = null;
        boolean isFull = storage.capacity != Long.MAX_VALUE && random.nextBoolean();
        storage.refusal = null;
        long inCache = opened == null ? floor : opened.writtenSequence();
        if (!storage.locked && random.nextBoolean()) {
            history.append(" again");
            floor = inCache;
        } else {
            readers.forEach(CheckedReader::close);
            readers.clear();
            crash();
        }
        storage.capacity = isFull ? storage.used() : Long.MAX_VALUE;
    }

    private void crash() {
        if (!states.isKind(storage)) {
            oracle.written = oracle.acknowledged; // the page cache may forget what it wrongly takes for written
        }
        states.beginAnew();
        if (random.nextBoolean()) {
            history.append(" kill");
            storage = storage.afterKill();
            storage.evict(random, 3);
        } else {
            history.append(" cut");
            int changes = random.nextInt(storage.unforcedChanges() + 1);
            storage = storage.afterCut(changes, (index, page) -> random.nextInt(page.versions() + 1) - 1);
            oracle.written = oracle.acknowledged;
        }
        floor = Math.max(oracle.written, oracle.acknowledged);
    }

    // Readers.

    private void read(Journal opened) {
        if (readers.size() < 3 && random.nextInt(3) == 0) {
            newReader(opened);
        }
        if (readers.isEmpty()) {
            return;
        }
        int which = random.nextInt(readers.size());
        int most = 1 + random.nextInt(12);
        Trouble trouble = random.nextBoolean() ? Trouble.ofReading(random) : null;
        history.append(" read").append(which).append(trouble == null ? "" : " in trouble");
        if (random.nextInt(4) == 0) {
            storage.hidden = nextOfAFullOne();
        }
        if (!readers.get(which).read(opened, most, trouble)) {
            readers.remove(which).close();
        }
        storage.hidden = null;
    }

    private void newReader(Journal opened) {
        CrashStorage.Refusal before = storage.refusal;
        storage.refusal = null;
        long from = CheckedReader.firstHeld(storage);
        from += random.nextLong(opened.writtenSequence() + 2 - from);
        int kind = random.nextInt(3);
        storage.refusal = random.nextInt(3) == 0 ? Trouble.ofReading(random) : null;
        boolean bounded = random.nextInt(3) == 0;
        history.append(" newReader").append(kind).append(bounded ? " bounded" : "");
        for (int i = 0; ; i++) {
            int refused = storage.refused;
            try {
                JournalReader made = kind == 0
                        ? JournalReader.replay(storage, from)
                        : kind == 1 ? JournalReader.follow(storage, from) : opened.reader(from);
                if (made.nextSequence() != from) {
                    throw new Complaint("a reader from " + from + " stands before " + made.nextSequence());
                }
                CheckedReader reader = new CheckedReader(storage, oracle, made, totals, bounded);
                reader.follow(opened);
                readers.add(reader);
                break;
            } catch (JournalException e) {
                if (storage.refused == refused || e.kind() != Kind.CANNOT_OPEN || i > 8) {
                    throw new Complaint("a reader from " + from + ": unexpected " + e);
                }
                totals.readersRefused++;
            }
        }
        storage.refusal = before;
    }

    private void readToTheEnd(Journal opened) {
        for (CheckedReader reader : List.copyOf(readers)) {
            if (!reader.read(opened, NEVER, null)) {
                readers.remove(reader);
                reader.close();
            }
        }
    }

    /** The name of a segment that has to be there, since the one before says so; null if there is none. */
    private @Nullable String nextOfAFullOne() {
        List<String> found = new ArrayList<>();
        CrashStorage.Refusal before = storage.refusal;
        storage.refusal = null;
        for (String name : storage.list()) {
            long index = FileNames.segmentIndex(name);
            if (index > 0 && storage.names.containsKey(FileNames.segment(index - 1)) && endsInARoll(index - 1)) {
                found.add(name);
            }
        }
        storage.refusal = before;
        return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
    }

    private boolean endsInARoll(long index) {
        try (SegmentCursor cursor = new SegmentCursor(storage, index)) {
            while (!cursor.isFinished() && cursor.next()) {
                // To its end.
            }
            return cursor.type() == Frame.ROLL;
        } catch (java.io.IOException e) {
            return false; // retired
        }
    }
}
