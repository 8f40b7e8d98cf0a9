/**
 * Batches of messages for sockets, files and other devices, made by smart batching: a message is sent as soon as the device is free.
 * What arrives during a send goes out together in the next one. There is no timer.
 *
 * <p>What it guarantees:
 *
 * <ul>
 *   <li>Messages reach a sink whole, and in the order of their events. What a sink has taken is not offered to it again.
 *   <li>What a sink did not take stays until the sink takes it, or until somebody discards it on purpose.
 *   <li>A message that does not fit is refused or sent alone. It is never split.
 *   <li>The path of an event allocates nothing, takes no lock and has no fence of its own.
 * </ul>
 *
 * <p>Nothing here needs an option of the JVM.
 */
@NullMarked
package io.sluice.batching;

import org.jspecify.annotations.NullMarked;
