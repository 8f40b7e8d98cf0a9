/**
 * Decides whether a request may enter, before it is queued. {@link io.sluice.backpressure.admission.AdmissionGate} bounds the number of
 * requests inside by a latency budget and the sampled service time. {@link io.sluice.backpressure.admission.QueueSizing} has the
 * formulas.
 *
 * <p>Guarantees: there are never more requests inside than the bound allowed when they entered. A refusal is immediate and carries
 * a reason. Entering and leaving take no lock and allocate nothing.
 *
 * <p>This package uses none of the other packages of the module.
 */
@NullMarked
package io.sluice.backpressure.admission;

import org.jspecify.annotations.NullMarked;
