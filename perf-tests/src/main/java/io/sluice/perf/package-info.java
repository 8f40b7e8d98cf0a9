/** Benchmarks against the peers. */
@NullMarked
package io.sluice.perf;

import org.jspecify.annotations.NullMarked;
