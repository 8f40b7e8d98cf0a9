/**
 * {@code ./sluice bench batching} and {@code ./sluice bench journal}: the worth of smart batching on a device that takes its time, and the
 * rates that the journal reaches on the file system at hand.
 */
@NullMarked
package io.sluice.perf.batching;

import org.jspecify.annotations.NullMarked;
