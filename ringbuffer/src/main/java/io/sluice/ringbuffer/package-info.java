/**
 * The ring: pre-allocated slots, producers that claim, fill and publish them, and the sequences that gate the producers.
 *
 * <p>Begin with {@link io.sluice.ringbuffer.RingBuffer}, then {@link io.sluice.ringbuffer.Producer}. For slots of bytes see {@link
 * io.sluice.ringbuffer.ByteSlots}.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>Each sequence is claimed once. No slot is claimed again before every gating sequence has passed it.
 *   <li>A thread that sees a publication sees all that was written into the slot before.
 *   <li>A full ring refuses, waits, or drops, as the caller says. It never blocks in silence where nobody can make room.
 *   <li>The end of a ring is exact: with many producers each claim is granted before it or refused.
 *   <li>Nothing allocates while events flow.
 * </ul>
 *
 * <p>A ring knows its consumers by {@link io.sluice.ringbuffer.Followers} only; they know it by {@link
 * io.sluice.ringbuffer.FollowedRing}. Programs need neither, nor the types that go with them: {@link io.sluice.ringbuffer.Follower}, {@link
 * io.sluice.ringbuffer.GatingSequences}, {@link io.sluice.ringbuffer.SlotMarks}, {@link io.sluice.ringbuffer.DropOldestRequest},
 * {@link io.sluice.ringbuffer.ProducerCounters}, {@link io.sluice.ringbuffer.RingListener}. These are for Sluice's own packages, and for
 * anyone who writes a pipeline; they may change with any version.
 */
@NullMarked
package io.sluice.ringbuffer;

import org.jspecify.annotations.NullMarked;
