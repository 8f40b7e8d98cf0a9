/**
 * The consumers of a ring: who follows whom, on which thread, and what happens when a handler throws.
 *
 * <p>Begin with {@link io.sluice.ringbuffer.pipeline.Pipeline}, then {@link io.sluice.ringbuffer.pipeline.EventHandler}.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>A consumer gets each event from its first one on, once, in the order of the sequences. It passes over an event that was aborted,
 *       that a consumer ahead of it has finished, that belongs to another part of its stage, or that was dropped at a full ring. A failure
 *       policy may skip or repeat an event. Of the workers of a stage one gets the event.
 *   <li>A consumer sees an event only after all that it follows have finished it.
 *   <li>Consumers join, leave, pause and resume while events flow; no living consumer's slot is overwritten meanwhile.
 *   <li>A failure that halts a consumer is told: to the error handler, by the ring's state, and to each thread that waits.
 *   <li>Nothing allocates while events flow.
 * </ul>
 */
@NullMarked
package io.sluice.ringbuffer.pipeline;

import org.jspecify.annotations.NullMarked;
