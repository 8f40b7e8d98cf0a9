/** Access to parts of the rings that tests need and users do not get. */
@NullMarked
package io.sluice.ringbuffer;

import org.jspecify.annotations.NullMarked;
