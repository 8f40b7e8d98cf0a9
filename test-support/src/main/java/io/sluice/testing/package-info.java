/**
 * Random programs for tests: seeds, step budgets, replay, and a failing program cut down to the shortest that still fails. Threads and
 * JVMs that tests start.
 */
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
