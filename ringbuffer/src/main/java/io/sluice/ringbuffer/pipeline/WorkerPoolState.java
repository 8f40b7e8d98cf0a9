package io.sluice.ringbuffer.pipeline;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.SlotMarks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/*
 * The shared state of the workers of one stage: the next event to be taken, the events that are done, and the progress of all.
 *
 *   next       ->  the lowest sequence that nobody has taken; CAS n -> n + 1, only after the worker's barrier has shown n
 *   done[]     one word a slot: of the last event that began there and is done, its last sequence; for an object its only one
 *   progress   ->  everything up to here is done: what dependents and producers follow
 *
 *                  progress          next
 *        done done | taken done taken | published ... | not yet
 *
 * A worker takes one event at a time. A batch of claims would be cheaper, but an event behind a slow one of the same batch
 * would wait for it though another worker is free; and a worker that publishes progress within its batch would break the rule
 * that a batch is handled to its end before anybody goes on behind it. So here every event is a batch of its own, and a slow
 * one holds back only the progress behind it: the others are taken, and done, meanwhile, up to the room that the ring has.
 *
 * A worker that has done an event marks it, then moves progress over all marks that follow it without a gap.
 * Marks are written, and progress and marks then read, in volatile mode: of two workers that finish neighbouring events at
 * once, each stores its mark and then reads, so at least one sees the other's (Dekker). If the mover's CAS fails, it scans again.
 * If it succeeds, it stops: the worker that marks the event at which the scan stopped scans after it, and sees its progress or
 * competes by CAS. So when all workers that marked have returned, progress stands before the first gap.
 *
 * A message takes several sequences. It is marked at its first one only, and the mark tells its last: so progress goes on from one message
 * to the next, and the marks of the sequences within are not looked at.
 *
 * A mark names its sequence, so a slot's next lap does not need it cleared. It is overwritten only by the next event of its
 * slot, which is published only after progress has passed: a mover that reads such a later mark has an old progress in hand,
 * and its CAS fails, or moves nothing.
 *
 * A worker that leaves, or whose thread ends, between two events owes nothing: its events are done. A worker that fails for good
 * leaves its event without a mark, and so progress before it.
 *
 * Not promised: which worker gets which event, nor that they take turns.
 */
final class WorkerPoolState {
    private static final VarHandle DONE = MethodHandles.arrayElementVarHandle(long[].class);

    /** Everything up to here is done. The sequence of all workers of the stage. */
    final Sequence progress = new Sequence();

    /**
     * The marks of all workers that were declared and may finish events, also of those that have left since: their finished events stay
     * finished. A worker that joins marks those of a colleague. Complete before the start.
     */
    final List<SlotMarks> finishing = new ArrayList<>();

    private final Sequence next = new Sequence(0);
    private final long[] done;

    WorkerPoolState(int capacity) {
        done = new long[capacity];
        Arrays.fill(done, Sequence.INITIAL);
        VarHandle.releaseFence(); // release: the fill, before the stage is handed out
    }

    /** The lowest sequence that nobody has taken; it may be taken by now. Any thread. */
    long next() {
        return next.getAcquire(); // acquire: in order with the barrier, which is read after it
    }

    /**
     * Takes an event that the worker's barrier has shown. A worker.
     *
     * @param first its first sequence
     * @param last its last one, of an object the same; means nothing where another has taken the event: then this does not
     */
    boolean take(long first, long last) {
        return next.compareAndSet(first, last + 1); // CAS: one worker gets it
    }

    /**
     * Marks an event done by the worker that took it, once. Then it has to {@link #move}.
     *
     * @param first its first sequence
     * @param last its last one, of an object the same
     */
    void mark(long first, long last) {
        DONE.setVolatile(done, (int) first & (done.length - 1), last); // volatile: mark | reads of move; see above
    }

    /**
     * Moves progress over the events that are done without a gap.
     *
     * @return whether this call has moved it
     */
    boolean move() {
        long[] marks = done;
        for (; ; ) {
            long from = progress.getVolatile(); // volatile: after the mark
            long to = from;
            for (; ; ) {
                // volatile: sees the worker's reads and writes of the event too, and hands them on by the CAS
                long mark = (long) DONE.getVolatile(marks, (int) (to + 1) & (marks.length - 1));
                if (mark <= to || mark > to + marks.length) {
                    break;
                }
                to = mark;
            }
            if (to == from) {
                return false;
            }
            if (progress.compareAndSet(from, to)) { // CAS: never back; dependents and producers acquire
                return true;
            }
        }
    }
}
