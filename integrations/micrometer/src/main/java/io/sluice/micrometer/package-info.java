/** Binds the counters of a ring to Micrometer. */
@NullMarked
package io.sluice.micrometer;

import org.jspecify.annotations.NullMarked;
