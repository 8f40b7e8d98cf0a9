package io.sluice.ordered;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Counts and ages of a stage, for monitors. Any thread; it costs the delivering thread nothing. */
final class Inspection {
    private final Delivery<?> stage;

    // written by each thread that looks
    @SuppressWarnings("unused")
    private @Nullable Look lastLook;

    private record Look(long head, long nanos) {}

    Inspection(Delivery<?> stage) {
        this.stage = stage;
    }

    /** As {@link OrderedScheduler#totals}. */
    TicketTotals totals() {
        Admission admission = stage.admission;
        boolean settled = stage.shutdown.isSettled();
        long failed = stage.failures.failed();
        long trashed = stage.failures.trashed();
        long expired = stage.failures.expired();
        long discarded = stage.shutdown.discarded();
        long handled = stage.buffer.tailAcquire() - admission.firstTicket;
        long issued = admission.isExternal() ? handled + discarded : admission.nextTicket() - admission.firstTicket;
        long delivered = Math.max(0, handled - failed - trashed - expired);
        long open = Math.max(0, issued - handled - discarded);
        return new TicketTotals(
                issued, delivered, failed, trashed, expired, discarded, open, settled, stage.shutdown.discardFailure());
    }

    /** As {@link OrderedScheduler#snapshot}. */
    SchedulerSnapshot snapshot() {
        OrderBuffer buffer = stage.buffer;
        Admission admission = stage.admission;
        boolean external = admission.isExternal();
        long now = stage.time.nanoTime();
        long lowest = admission.lowestTail(); // before the next ticket, which is then not below it
        long head = buffer.tailAcquire();
        long next = external ? head : Math.max(head, admission.nextTicket());
        long outstanding = Math.min(buffer.window, external ? 0 : next - lowest);
        int slot = buffer.index(head);
        TicketClock clock = stage.clock;
        long age = clock == null ? -1 : clock.age(slot, now);
        Thread owner = clock == null ? null : clock.owner(slot);
        boolean headPending = outstanding > 0 && buffer.hasTurnVolatile(head);
        if (age < 0) {
            age = ageByLooks(head, now, next == head && !external);
        }
        long deferred = buffer.deferred();
        long handled = head - admission.firstTicket;
        long longest = buffer.longestDrain();
        HandOver over = stage.handOver;
        return new SchedulerSnapshot(
                head,
                next,
                buffer.window,
                outstanding,
                age,
                owner,
                headPending,
                Math.max(0, handled - deferred),
                deferred,
                longest == 0 && handled > 0 ? 1 : longest,
                admission.parks(),
                stage.failures.retries(),
                over == null ? 0 : over.given(),
                over == null ? 0 : over.returned());
    }

    /** How long snapshots have found this head; 0 at the first, and while no ticket is outstanding. */
    private long ageByLooks(long head, long now, boolean idle) {
        Look before = (Look) LAST_LOOK.getAcquire(this); // acquire: published by another look
        if (before == null || before.head != head || idle) {
            LAST_LOOK.setRelease(
                    this, new Look(head, now)); // release: for other looks; racing looks may restart the age
            return 0;
        }
        return Math.max(0, now - before.nanos);
    }

    private static final VarHandle LAST_LOOK =
            VarHandles.field(MethodHandles.lookup(), Inspection.class, "lastLook", Look.class);
}
