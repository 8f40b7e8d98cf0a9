/** Classes that need package-private members of {@code io.sluice.ringbuffer.pipeline}. */
@NullMarked
package io.sluice.ringbuffer.pipeline;

import org.jspecify.annotations.NullMarked;
