/**
 * The look into a running ring: how full it is, who waits for whom, and since when.
 *
 * <p>Begin with {@link io.sluice.ringbuffer.monitor.RingMonitor}, then {@link io.sluice.ringbuffer.monitor.Watchdog}.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>Producers and consumers never wait for a monitor. They count whether or not anybody looks.
 *   <li>Each figure is recent and in its range. Two figures of one look may differ by the events that passed in between.
 *   <li>A snapshot of a ring that has consumers takes no lock. It allocates only for a consumer that it sees for the first time. A
 *       dump allocates.
 *   <li>No thread is started but the watchdog's, and that only where a watchdog is switched on.
 * </ul>
 */
@NullMarked
package io.sluice.ringbuffer.monitor;

import org.jspecify.annotations.NullMarked;
