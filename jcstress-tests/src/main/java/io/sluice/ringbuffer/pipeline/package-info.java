/** The one class that needs what the package {@code io.sluice.ringbuffer} does not export. */
@NullMarked
package io.sluice.ringbuffer.pipeline;

import org.jspecify.annotations.NullMarked;
