/** What the drop-in for the Disruptor promises to threads that meet. */
@NullMarked
package io.sluice.jcstress.dropin;

import org.jspecify.annotations.NullMarked;
