/**
 * Helpers that programs for the Disruptor call directly.
 *
 * <p>This package guarantees: the helpers answer as those of the Disruptor, but for {@code Util.awaitNanos} of 0, which returns at
 * once. A thread of {@code DaemonThreadFactory} keeps no JVM alive.
 */
@NullMarked
package com.lmax.disruptor.util;

import org.jspecify.annotations.NullMarked;
