/** Back pressure: honest refusal at admission, and rates that adapt to NAKs. */
@NullMarked
package io.sluice.backpressure;

import org.jspecify.annotations.NullMarked;
