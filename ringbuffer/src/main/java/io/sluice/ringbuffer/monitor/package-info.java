/**
 * The look into a running ring: how full it is, who waits for whom, and since when. Neither producers nor consumers notice it.
 */
@NullMarked
package io.sluice.ringbuffer.monitor;

import org.jspecify.annotations.NullMarked;
