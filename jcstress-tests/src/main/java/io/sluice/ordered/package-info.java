/** The one class that needs what the package {@code io.sluice.ordered} does not export. */
@NullMarked
package io.sluice.ordered;

import org.jspecify.annotations.NullMarked;
