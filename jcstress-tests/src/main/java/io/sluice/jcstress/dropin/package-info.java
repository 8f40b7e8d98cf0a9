/** The promises of the drop-in for the Disruptor to threads that meet. */
@NullMarked
package io.sluice.jcstress.dropin;

import org.jspecify.annotations.NullMarked;
