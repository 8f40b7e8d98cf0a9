/**
 * Work in parallel, output in order, without a thread of its own. {@link io.sluice.ordered.OrderedScheduler} issues tickets, and
 * calls one handler for the completed tickets, in the tickets' order.
 *
 * <p>It guarantees:
 *
 * <ul>
 *   <li>Each ticket is handled once, in order, one call at a time. The effects of one call are visible to the next.
 *   <li>At most a window of tickets is outstanding. Only taking a ticket waits; completing one never waits for another thread.
 *   <li>A ticket that is completed twice, too late, too early, or was never issued, is refused, and nothing changes.
 *   <li>A failure goes to the handler or to the failure policy, and one that halts a scheduler is reported once.
 *   <li>After the end every ticket is accounted for: delivered, failed, trashed, expired, discarded, or open.
 *   <li>Completing a ticket allocates nothing.
 * </ul>
 *
 * <p>It does not guarantee progress while the owner of the first open ticket does not complete it, or while the thread that
 * delivers does not run. {@link io.sluice.ordered.KeyedLanes}, {@link io.sluice.ordered.GetProcessPush} and {@link
 * io.sluice.ordered.MapOrdered} are built on the scheduler.
 */
@NullMarked
package io.sluice.ordered;

import org.jspecify.annotations.NullMarked;
