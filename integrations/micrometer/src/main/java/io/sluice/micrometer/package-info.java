/**
 * Binds the figures of a ring to Micrometer.
 *
 * <p>What this package guarantees: producers and consumers do nothing for a meter; whoever reads a meter pays for it. Micrometer itself is
 * the application's dependency.
 */
@NullMarked
package io.sluice.micrometer;

import org.jspecify.annotations.NullMarked;
