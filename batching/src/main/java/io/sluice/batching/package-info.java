/**
 * Batches of messages for sockets, files and other devices, made by smart batching: a message is sent as soon as the device is free.
 * Messages that arrive during a send go out together in the next one. There is no timer.
 *
 * <p>It guarantees:
 *
 * <ul>
 *   <li>Messages reach a sink whole, and in the order of their events. A sink is not offered again what it has taken.
 *   <li>Messages that a sink did not take stay until the sink takes them, or until somebody discards them on purpose.
 *   <li>A message that does not fit is refused or sent alone. It is never split.
 *   <li>The path of an event allocates nothing, takes no lock and has no fence of its own.
 * </ul>
 *
 * <p>Nothing here needs an option of the JVM.
 */
@NullMarked
package io.sluice.batching;

import org.jspecify.annotations.NullMarked;
