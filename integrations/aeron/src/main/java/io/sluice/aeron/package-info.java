/**
 * Joins rings to Aeron: what a ring's consumer sends, what a ring's producer receives, and the NAKs that go back.
 *
 * <pre>
 *   ring ──> AeronSender ──> Aeron ──> AeronReceiver ──> MessageSink (RingSink) ──> ring
 *              ^                                                                     │ fill
 *   NakController &lt;── AeronNakTransport &lt;── Aeron &lt;── AeronNakTransport &lt;── FillMonitor
 * </pre>
 *
 * <p>Begin with {@link io.sluice.aeron.AeronLink}. All of it needs the JVM option {@code --add-exports
 * java.base/jdk.internal.misc=ALL-UNNAMED}, since Aeron's buffers are Agrona's.
 */
@NullMarked
package io.sluice.aeron;

import org.jspecify.annotations.NullMarked;
