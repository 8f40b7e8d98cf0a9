/** What tests need of the rings that their users do not get. */
@NullMarked
package io.sluice.ringbuffer;

import org.jspecify.annotations.NullMarked;
