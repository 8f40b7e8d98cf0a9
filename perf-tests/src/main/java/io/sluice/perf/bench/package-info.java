/** The verb {@code bench}, and what it measures. */
@NullMarked
package io.sluice.perf.bench;

import org.jspecify.annotations.NullMarked;
