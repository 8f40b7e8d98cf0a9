/** The object ring: producers, event processors, graphs of consumers and their life cycle. */
@NullMarked
package io.sluice.ringbuffer;

import org.jspecify.annotations.NullMarked;
