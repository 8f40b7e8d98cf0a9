/** The verb {@code bench}, and the suites that it measures. */
@NullMarked
package io.sluice.perf.bench;

import org.jspecify.annotations.NullMarked;
