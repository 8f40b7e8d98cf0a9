/** The one class that needs package-private members of {@code io.sluice.ordered}. */
@NullMarked
package io.sluice.ordered;

import org.jspecify.annotations.NullMarked;
