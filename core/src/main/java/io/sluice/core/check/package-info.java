/** Checks of arguments, and of what the JVM records, for Sluice's own modules: one form of message for all. Exported to them only. */
@NullMarked
package io.sluice.core.check;

import org.jspecify.annotations.NullMarked;
