/** The Disruptor's programs on its own jar and on the drop-in, and the verb that compares them. */
@NullMarked
package io.sluice.perf.dropin;

import org.jspecify.annotations.NullMarked;
