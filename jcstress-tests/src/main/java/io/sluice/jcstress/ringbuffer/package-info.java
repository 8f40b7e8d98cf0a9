/** The claims about {@code io.sluice.ringbuffer}. */
@NullMarked
package io.sluice.jcstress.ringbuffer;

import org.jspecify.annotations.NullMarked;
