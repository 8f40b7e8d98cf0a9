/** Programs for LMAX's Disruptor, compiled against its own jar. They run on either jar: {@code ./sluice swap}. */
@NullMarked
package io.sluice.examples.dropin;

import org.jspecify.annotations.NullMarked;
