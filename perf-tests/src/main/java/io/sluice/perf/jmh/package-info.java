/** JMH benchmarks. Those of the ring's own operations are also the gate for allocation in the build. */
@NullMarked
package io.sluice.perf.jmh;

import org.jspecify.annotations.NullMarked;
