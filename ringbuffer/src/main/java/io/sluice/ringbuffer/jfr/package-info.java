/**
 * The JFR events of rings and consumers. They take names and numbers; they know neither rings nor consumers.
 *
 * <p>This package guarantees: an event that nobody records costs a look at a flag, and a JVM without JFR runs all the same.
 */
@NullMarked
package io.sluice.ringbuffer.jfr;

import org.jspecify.annotations.NullMarked;
