package io.sluice.ringbuffer.product;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A consumer: its handler, and what the model knows of it. */
final class Node implements EventHandler<Object>, BatchHandler<Object> {
    enum Type {
        EVENTS,
        BATCHES,
        POLLER,
        WORKER,
        PARTITION,
        CLEARER;

        /** Whether its handler has a method onShutdown. */
        boolean tellsOfItsEnd() {
            return this != CLEARER && this != BATCHES;
        }
    }

    /** Where a handler is called. */
    enum Where {
        EVENT,
        BATCH_START,
        BATCH_END,
        STARTUP,
        TIMEOUT,
        SHUTDOWN,
        KEY,
        SHED
    }

    enum Deed {
        SKIP,
        RETRY,
        REWIND,
        HALT,
        ERROR,
        POLICY_THROWS,
        NEST,
        FINISH,
        PROGRESS,
        PARTIAL,
        AGAIN
    }

    /** What the next call of a handler does. */
    record Arm(Where where, Deed deed, int parameter) {}

    /** How a run ended. */
    enum Outcome {
        NORMAL,
        PARTIAL,
        HALTED,
        GAVE_UP,
        THREW
    }

    /** What workers of one stage share. */
    static final class Stage {
        long taken = -1;
        boolean dead;
        final Set<Long> inFlight = new HashSet<>();
        long highestDone = -1;
        /** Whose finished events those behind pass over: all workers that were declared so, also those that have left. */
        final Set<Node> finishers = new HashSet<>();
    }

    /** What a handler of these programs throws. */
    static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1;
        final transient Arm arm;

        Planned(Arm arm) {
            super("planned " + arm, null, false, false);
            this.arm = arm;
        }
    }

    static final class PlannedError extends Error {
        private static final long serialVersionUID = 1;

        PlannedError() {
            super("planned error", null, false, false);
        }
    }

    final World world;
    final int id;
    final Type type;
    final Deque<Arm> arms = new ArrayDeque<>();

    List<Node> upstream = new ArrayList<>();
    Set<Node> skips = new HashSet<>();

    @Nullable
    Stage stage;

    int partIndex;
    int partCount;
    boolean finisher;
    /** The one whose marks its finished events go into: a worker that joins has those of the colleague. */
    Node tag = this;

    boolean extend;
    boolean extendThrows;
    /** Whether what it throws then is that there is no memory. */
    boolean noMemory;

    boolean timeout;
    private int timeoutFailures; // since its last progress, or the last time-out that returned
    private long timeoutFailedAt;
    /** With a time-out: whether it wants it at once, since its last event; and whether it was asked since. */
    boolean owes;

    boolean asked;
    /** Whether it was told that its thread spins for it alone. */
    boolean spins;

    boolean latest;
    long limit = Long.MAX_VALUE;

    @Nullable
    EventProcessor processor;

    /** Whether the caller runs it together with others. */
    boolean invoked;

    @Nullable
    EventPoller<Object> poller;

    @Nullable
    ConsumerHandle consumer;

    // the model
    long progress = -1;
    long at = -1;
    long begun = -1;
    /** Requests to drop up to there were over when it joined. */
    long overAtJoin = -1;

    int runner = World.NOBODY;
    int depth;
    boolean ended;
    boolean left;
    boolean leaving;
    boolean paused;
    boolean haltAsked;
    boolean shutDown;
    boolean startedUp;
    boolean failed;

    // the run under way
    long maxAvailable;
    Outcome outcome = Outcome.NORMAL;
    boolean anyFailure;
    boolean endSeen;
    int called;
    long current = -1;
    long batchTo;
    boolean shedAny;

    @Nullable
    Arm planned;

    Where plannedAt = Where.EVENT;
    final Set<Long> keySkipped = new HashSet<>();

    Node(World world, int id, Type type) {
        this.world = world;
        this.id = id;
        this.type = type;
    }

    String name() {
        return (type == Type.POLLER
                        ? "p"
                        : type == Type.WORKER
                                ? "w"
                                : type == Type.CLEARER
                                        ? "x"
                                        : type == Type.BATCHES ? "b" : type == Type.PARTITION ? "k" : "c")
                + id;
    }

    ConsumerHandle consumer() {
        return Objects.requireNonNull(consumer);
    }

    long progress() {
        return stage != null ? world.done(consumer().sequence().get()) : progress;
    }

    boolean isWorker() {
        return stage != null;
    }

    boolean mayWork() {
        return !ended && !left && !haltAsked && !leaving && !paused && !(stage != null && stage.dead);
    }

    void begin() {
        outcome = Outcome.NORMAL;
        anyFailure = false;
        endSeen = false;
        called = 0;
        shedAny = false;
        maxAvailable = world.available(this);
        planned = null;
        current = -1;
        begun = at;
    }

    // calls

    private @Nullable Arm armed(Where where) {
        Arm arm = arms.peekFirst();
        if (arm == null || arm.where != where) {
            return null;
        }
        return arms.removeFirst();
    }

    /** Does what the next call of this kind is to do; for an event, behind the checks. */
    private void acts(Where where, long sequence) {
        called++;
        Arm arm = armed(where);
        if (arm == null) {
            return;
        }
        world.say("    in %s of %s%s: %s", where, name(), where == Where.EVENT ? " at " + sequence : "", arm);
        switch (arm.deed) {
            case SKIP, RETRY, REWIND, HALT, POLICY_THROWS -> {
                planned = arm;
                plannedAt = where;
                anyFailure = true;
                throw new Planned(arm);
            }
            case ERROR -> {
                planned = arm;
                plannedAt = where;
                anyFailure = true;
                throw new PlannedError();
            }
            case NEST -> world.nested(arm.parameter);
            case FINISH -> world.finishes(this, where, sequence, arm.parameter);
            case PROGRESS -> world.makesProgress(this, where, sequence);
            case PARTIAL -> {}
            case AGAIN -> world.runsAgain(this);
        }
    }

    @Override
    public boolean extendsBatch() {
        if (extendThrows && noMemory) {
            throw new OutOfMemoryError("planned");
        }
        if (extendThrows) {
            throw new Planned(new Arm(Where.STARTUP, Deed.HALT, 0));
        }
        return extend;
    }

    @Override
    public void onStart() {
        world.check(!startedUp, "%s: onStart again", name());
        startedUp = true;
        try {
            acts(Where.STARTUP, -1);
        } catch (Planned | PlannedError thrown) {
            outcome = Outcome.HALTED;
            world.failed(this, thrown);
            throw thrown;
        }
    }

    @Override
    public void onShutdown() {
        world.check(!shutDown, "%s: onShutdown again", name());
        shutDown = true;
        try {
            acts(Where.SHUTDOWN, -1);
        } catch (Planned | PlannedError thrown) {
            world.failedLate(this, thrown);
            throw thrown;
        }
    }

    @Override
    public void onTimeout(long last) {
        long sequence = world.done(last);
        world.check(timeout, "%s: onTimeout without a time-out", name());
        world.check(
                isWorker() || sequence == progress, "%s: onTimeout(%d), progress is %d", name(), sequence, progress);
        world.meets(Feature.TIMEOUT);
        owes = false;
        asked = false;
        if (stage != null && outcome == Outcome.NORMAL) {
            World.finishInFlight(this, stage); // the event before is done
        }
        acts(Where.TIMEOUT, sequence);
        timeoutFailures = 0;
    }

    @Override
    public long timeoutAfterNanos() {
        world.check(!asked, "%s is asked again when it wants its time-out", name());
        asked = true;
        return owes ? 0 : Long.MAX_VALUE;
    }

    @Override
    public void onBatchStart(long size, long available) {
        world.check(size >= 1 && available >= size, "%s: onBatchStart(%d, %d)", name(), size, available);
        world.check(
                size <= Math.max(1, world.capacity / 4) * (long) world.unit
                        && (limit == Long.MAX_VALUE || size <= limit * world.unit),
                "%s: onBatchStart(%d, %d)",
                name(),
                size,
                available);
        endSeen = false;
        if (stage != null && outcome == Outcome.NORMAL) {
            World.finishInFlight(this, stage); // the event before is done
        }
        acts(Where.BATCH_START, -1);
    }

    @Override
    public void onEvent(Object event, long first, boolean endOfBatch) {
        long sequence = world.number(first);
        if (type == Type.WORKER) {
            world.tryTake(this, sequence);
            asked = false; // each event is a batch: it may be asked again behind it, within the same run
        }
        world.checkEvent(this, event, sequence, false);
        world.check(
                !endSeen || anyFailure || type == Type.WORKER || type == Type.POLLER,
                "%s: %d behind the end of its batch",
                name(),
                sequence);
        current = sequence;
        begun = Math.max(begun, sequence);
        endSeen = endOfBatch;
        acts(Where.EVENT, sequence);
        at = Math.max(at, sequence);
        if (type == Type.WORKER) {
            at = sequence;
        }
        world.handled(this, event, sequence);
        owes = timeout;
        asked = false;
    }

    @Override
    public void onBatchEnd(long last) {
        long sequence = world.done(last);
        if (type == Type.WORKER) {
            world.check(sequence == current || anyFailure, "%s: onBatchEnd(%d) of %d", name(), sequence, current);
        } else {
            world.check(endSeen || anyFailure || world.shed, "%s: onBatchEnd(%d) without endOfBatch", name(), sequence);
            world.checkPassable(this, at + 1, sequence);
        }
        acts(Where.BATCH_END, sequence);
    }

    @Override
    public long onBatch(RingBuffer<Object> ring, long lo, long hi) {
        world.check(lo <= hi, "%s: onBatch(%d, %d)", name(), lo, hi);
        for (long sequence = lo; sequence <= hi; sequence++) {
            world.checkEvent(this, ring.get(sequence), sequence, false);
            at = sequence; // the range has no gap
        }
        at = lo - 1;
        current = lo;
        batchTo = hi;
        Arm arm = arms.peekFirst();
        if (arm != null && arm.where == Where.EVENT && arm.deed == Deed.PARTIAL) {
            arms.removeFirst();
            called++;
            outcome = Outcome.PARTIAL;
            long last = lo - 1 + arm.parameter % (hi - lo + 1);
            world.say("    %s: onBatch(%d, %d) returns %d", name(), lo, hi, last);
            at = Math.max(last, progress);
            return last;
        }
        acts(Where.EVENT, lo);
        at = hi;
        for (long sequence = lo; sequence <= hi; sequence++) {
            world.handled(this, ring.get(sequence), sequence);
        }
        return hi;
    }

    /** The clearer's: what it clears next. */
    long clearsNext() {
        return Math.max(at, world.retain - 1) + 1 - world.retain;
    }

    /** The clearer's. */
    void clear(Object item) {
        long position = clearsNext() + world.retain;
        world.checkClear(this, item, position - world.retain);
        current = position;
        acts(Where.EVENT, position);
        world.cleared(item, position - world.retain);
        at = position;
    }

    void shed(Object item, long sequence) {
        if (type == Type.WORKER) {
            world.tryTake(this, sequence);
        }
        world.checkEvent(this, item, sequence, true);
        world.check(sequence <= world.askedHigh, "%s drops %d, asked for is %d", name(), sequence, world.askedHigh);
        world.check(sequence > begun, "%s drops %d, which it has begun", name(), sequence);
        world.check(
                shedAny || !upstream.isEmpty() || world.askedHigh > overAtJoin,
                "%s drops %d, and no room was asked for since %d was published",
                name(),
                sequence,
                overAtJoin + world.window);
        current = sequence;
        shedAny = true;
        acts(Where.SHED, sequence);
        at = sequence;
    }

    long key(long sequence, long key) {
        called++;
        Arm arm = armed(Where.KEY);
        if (arm != null) {
            current = sequence;
            planned = arm;
            plannedAt = Where.KEY;
            anyFailure = true;
            world.say("    in KEY of %s at %d: %s", name(), current, arm);
            throw new Planned(arm);
        }
        return key;
    }

    /** The failure policy. */
    Action decide(Throwable cause, @Nullable Object event, long sequence, int attempt) {
        if (!(cause instanceof Planned || cause instanceof PlannedError)) {
            world.wrong(cause);
            return Action.HALT;
        }
        Arm arm = Objects.requireNonNull(planned);
        world.check(attempt >= 1, "%s: attempt %d", name(), attempt);
        if (plannedAt == Where.EVENT && type != Type.BATCHES) {
            long failing = type == Type.CLEARER ? current - world.retain : current;
            world.check(
                    sequence == world.first(failing) && event != null && event == world.item(failing),
                    "%s failed at %d, the policy is told of %d",
                    name(),
                    failing,
                    sequence);
        }
        Deed deed = arm.deed == Deed.REWIND && isWorker() ? Deed.HALT : arm.deed;
        if (plannedAt == Where.TIMEOUT) {
            timeoutFailures = progress == timeoutFailedAt ? timeoutFailures + 1 : 1;
            timeoutFailedAt = progress;
            world.check( // a worker's progress is that of its stage
                    isWorker() || attempt == timeoutFailures,
                    "%s: attempt %d of a time-out, which has failed %d times",
                    name(),
                    attempt,
                    timeoutFailures);
            if (deed == Deed.SKIP || deed == Deed.RETRY || deed == Deed.REWIND) {
                return deed == Deed.SKIP ? Action.SKIP : deed == Deed.RETRY ? Action.RETRY_EVENT : Action.REWIND_BATCH;
            }
        }
        switch (deed) {
            case SKIP -> {
                world.meets(Feature.SKIP);
                switch (plannedAt) {
                    case EVENT -> {
                        at = type == Type.BATCHES ? batchTo : Math.max(at, current);
                        if (type == Type.CLEARER) {
                            world.passedByClearer(current - world.retain);
                        }
                    }
                    case SHED -> at = current;
                    case KEY -> keySkipped.add(current);
                    default -> {}
                }
                return Action.SKIP;
            }
            case RETRY, REWIND -> {
                world.meets(deed == Deed.RETRY ? Feature.RETRY : Feature.REWIND);
                boolean givesUp = isWorker() ? haltAsked && world.hasEnded() : haltAsked || leaving;
                if (givesUp) {
                    outcome = Outcome.GAVE_UP;
                    if (isWorker()) {
                        Objects.requireNonNull(stage).dead = true;
                    } else {
                        at = progress;
                    }
                } else if (deed == Deed.REWIND
                        && !isWorker()
                        && type != Type.CLEARER
                        && plannedAt != Where.SHED
                        && plannedAt != Where.KEY) {
                    at = progress;
                } else if (type == Type.BATCHES) {
                    at = Math.max(current - 1, progress);
                }
                return deed == Deed.RETRY ? Action.RETRY_EVENT : Action.REWIND_BATCH;
            }
            default -> {
                world.meets(Feature.FAILS);
                outcome = Outcome.HALTED;
                if (isWorker()) {
                    Objects.requireNonNull(stage).dead |= plannedAt != Where.TIMEOUT; // its event is not done
                } else {
                    at = progress;
                }
                world.failed(this, cause);
                if (deed == Deed.POLICY_THROWS) {
                    throw new IllegalStateException("planned: the policy throws");
                }
                return arm.deed == Deed.REWIND ? Action.REWIND_BATCH : Action.HALT;
            }
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
