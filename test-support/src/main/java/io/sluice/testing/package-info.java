/** Random programs for tests: seeds, step budgets, replay, and a failing program cut down to the shortest that still fails. */
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
