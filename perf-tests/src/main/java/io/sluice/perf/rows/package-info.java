/** The rows of events a second, as a table, and their contestants. */
@NullMarked
package io.sluice.perf.rows;

import org.jspecify.annotations.NullMarked;
