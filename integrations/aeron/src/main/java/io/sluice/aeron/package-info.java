/**
 * Joins rings to Aeron: what a ring's consumer sends, what a ring's producer receives, and the NAKs that go back.
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
 * <p>Begin with {@link io.sluice.aeron.AeronLink}. All of it needs the JVM option {@code --add-exports
 * java.base/jdk.internal.misc=ALL-UNNAMED}, since Aeron's buffers are Agrona's.
 */
@NullMarked
package io.sluice.aeron;

import org.jspecify.annotations.NullMarked;
