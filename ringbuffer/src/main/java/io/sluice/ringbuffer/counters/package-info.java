/**
 * The figures of rings in a mapped file, for other processes.
 *
 * <p>Begin with {@link io.sluice.ringbuffer.counters.CountersFile}, and in the other process with {@link
 * io.sluice.ringbuffer.counters.CountersFileReader}.
 *
 * <p>This package guarantees: the application decides when the figures are updated, and on which thread; producers and consumers
 * write nothing into the file. A reader refuses a file of another version. Nothing here needs an option of the JVM.
 */
@NullMarked
package io.sluice.ringbuffer.counters;

import org.jspecify.annotations.NullMarked;
