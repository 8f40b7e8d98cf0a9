/**
 * Checks of arguments, the check whether JFR is in use, and failures behind failures, for Sluice's own modules. Exported to these modules
 * only, so it may change with any version.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>A message names the argument, what is allowed, and the value, in one form: {@code capacity must be a power of two from 1 to
 *       1073741824, but was 12}.
 *   <li>A check that passes allocates nothing, and has no effect. One that fails throws before anything has changed.
 *   <li>Any thread may call it.
 * </ul>
 */
@NullMarked
package io.sluice.core.check;

import org.jspecify.annotations.NullMarked;
