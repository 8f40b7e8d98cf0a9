/**
 * Binds the figures of a ring to Micrometer.
 *
 * <p>This package guarantees: producers and consumers do nothing for a meter; the thread that reads a meter pays for it.
 * Micrometer itself is the application's dependency.
 */
@NullMarked
package io.sluice.micrometer;

import org.jspecify.annotations.NullMarked;
