/** Comparisons: contestants in JVMs of their own, visited in turn, and set beside each other round by round. */
@NullMarked
package io.sluice.perf.compare;

import org.jspecify.annotations.NullMarked;
