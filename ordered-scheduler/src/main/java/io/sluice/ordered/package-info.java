/** The ordered scheduler: work in parallel, output in order, no thread of its own. */
@NullMarked
package io.sluice.ordered;

import org.jspecify.annotations.NullMarked;
