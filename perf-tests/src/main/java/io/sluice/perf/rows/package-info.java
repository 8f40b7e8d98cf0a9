/** The rows of the comparison, one file each. */
@NullMarked
package io.sluice.perf.rows;

import org.jspecify.annotations.NullMarked;
