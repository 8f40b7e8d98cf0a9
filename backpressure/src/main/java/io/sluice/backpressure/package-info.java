/**
 * Back pressure, in two forms. {@link io.sluice.backpressure.AdmissionGate} lets in as many requests as can be served within a
 * latency budget and refuses the rest. {@link io.sluice.backpressure.FillMonitor} watches a receiver's queue and says NAK when it
 * is too full; {@link io.sluice.backpressure.NakController} turns NAKs and silence into the rate of a
 * {@link io.sluice.backpressure.RateLimiter} at the sender.
 */
@NullMarked
package io.sluice.backpressure;

import org.jspecify.annotations.NullMarked;
