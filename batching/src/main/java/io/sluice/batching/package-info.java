/**
 * Smart batching: data is sent as soon as it is there, and what arrives while the previous send is under way goes out
 * together in the next, in buffers of the device's size, with no timer.
 *
 * <p>What it guarantees:
 *
 * <ul>
 *   <li>Messages reach a sink whole, in the order of their events, and none is offered again once the sink has taken it.
 *   <li>What a sink did not take stays until it does, or until somebody discards it on purpose; a message that does not fit
 *       is refused or sent alone, never split.
 *   <li>The path of an event allocates nothing, takes no lock and has no fence of its own.
 * </ul>
 *
 * <p>Only {@link io.sluice.batching.MessageEncoder#ofDirectBuffer} needs a JVM flag.
 */
@NullMarked
package io.sluice.batching;

import org.jspecify.annotations.NullMarked;
