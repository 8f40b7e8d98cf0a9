/** The ordered scheduler beside other ways to work in parallel and put out in order: {@code ./sluice bench ordered}. */
@NullMarked
package io.sluice.perf.ordered;

import org.jspecify.annotations.NullMarked;
