/**
 * Slows a sender down when a receiver's queue fills up. {@link io.sluice.backpressure.nak.FillMonitor} watches the queue and sends a
 * {@link io.sluice.backpressure.nak.Nak} when it is too full. A {@link io.sluice.backpressure.nak.NakTransport} carries NAKs to the
 * sender. {@link io.sluice.backpressure.nak.NakController} turns NAKs, and their absence, into the rate of a
 * {@link io.sluice.backpressure.rate.RateLimiter}. {@link io.sluice.backpressure.nak.NakSuppression} keeps many receivers from
 * sending the same NAK. {@link io.sluice.backpressure.nak.LifeSigns} say that a receiver lives, so that
 * the sender can name one that is stopped.
 *
 * <p>Guarantees: the sender is unlimited while nobody sends a NAK. The first NAK takes effect at once. The sender registers no
 * receiver, so a dead receiver cannot block it. State has a bounded size, whatever the number of receivers. Nothing here blocks.
 *
 * <p>Of the other packages of the module, this one uses {@link io.sluice.backpressure.rate} only.
 */
@NullMarked
package io.sluice.backpressure.nak;

import org.jspecify.annotations.NullMarked;
