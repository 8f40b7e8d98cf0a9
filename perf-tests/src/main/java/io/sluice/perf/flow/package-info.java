/** Contestants that move events from producers to consumers. */
@NullMarked
package io.sluice.perf.flow;

import org.jspecify.annotations.NullMarked;
