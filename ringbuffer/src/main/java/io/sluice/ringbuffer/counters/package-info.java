/** The figures of rings in a mapped file, for other processes. Nothing here needs an option of the JVM. */
@NullMarked
package io.sluice.ringbuffer.counters;

import org.jspecify.annotations.NullMarked;
