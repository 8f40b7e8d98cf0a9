/**
 * The figures of rings in a mapped file, for other processes. All of this package, and nothing else of this module, needs the flag
 * {@code --add-exports java.base/jdk.internal.misc=ALL-UNNAMED}, as all that uses Agrona's buffers.
 */
@NullMarked
package io.sluice.ringbuffer.counters;

import org.jspecify.annotations.NullMarked;
