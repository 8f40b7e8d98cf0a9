/** The experiments that the design rests on, to be run on one's own machine. */
@NullMarked
package io.sluice.perf.lab;

import org.jspecify.annotations.NullMarked;
