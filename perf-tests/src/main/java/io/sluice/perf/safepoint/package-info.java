/** Measures how long the batch loop keeps the JVM from a safepoint. */
@NullMarked
package io.sluice.perf.safepoint;

import org.jspecify.annotations.NullMarked;
