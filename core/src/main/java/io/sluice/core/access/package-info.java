/** Access to shared fields, for Sluice's own modules. Exported to them only. */
@NullMarked
package io.sluice.core.access;

import org.jspecify.annotations.NullMarked;
