/**
 * {@code ./sluice bench batching} and {@code ./sluice bench journal}: what smart batching is worth on a device that takes its
 * time, and what the journal reaches on the file system at hand.
 */
@NullMarked
package io.sluice.perf.batching;

import org.jspecify.annotations.NullMarked;
