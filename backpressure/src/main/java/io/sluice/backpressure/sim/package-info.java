/** A deterministic simulator of senders, links and receivers in virtual time. Not exported: for tests and the launcher. */
@NullMarked
package io.sluice.backpressure.sim;

import org.jspecify.annotations.NullMarked;
