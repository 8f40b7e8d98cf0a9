/**
 * Joins rings to Aeron: messages that a ring's consumer sends, messages that a ring's producer receives, and the NAKs that go back.
 *
 * <pre>
 *   ring ──> AeronSender ──> Aeron ──> AeronReceiver ──> MessageSink (RingSink) ──> ring
 *              ^                                                                     │ fill
 *   NakController &lt;── AeronNakTransport &lt;── Aeron &lt;── AeronNakTransport &lt;── FillMonitor
 * </pre>
 *
 * <p>Rings of objects, of bytes ({@link io.sluice.aeron.SlotMessages}) and of messages ({@link io.sluice.aeron.RingMessages}, {@link
 * io.sluice.aeron.MessageRingSink}) are sent and filled.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>Messages of one session come in the order in which they were sent, each once. The listener hears of messages
 *       missing between two numbered ones as a gap.
 *   <li>At a full ring a waiting sink loses no message: the message stays in Aeron's log, and Aeron's flow control holds the sender.
 *   <li>The sender counts each answer of Aeron by its name. It drops an event only where a policy says so, and counts it then.
 *   <li>It starts no thread of its own: the application runs the link, senders and receivers. Aeron's driver has the threads that {@link
 *       io.sluice.aeron.AeronLink} says.
 * </ul>
 *
 * <p>Begin with {@link io.sluice.aeron.AeronLink}. All of it needs the JVM option {@code --add-exports
 * java.base/jdk.internal.misc=ALL-UNNAMED}, since Aeron's buffers are Agrona's.
 */
@NullMarked
package io.sluice.aeron;

import org.jspecify.annotations.NullMarked;
