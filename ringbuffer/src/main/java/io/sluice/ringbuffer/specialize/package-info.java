/**
 * Copies of a hot class, one for each class that it works with, so that each copy is compiled for that one.
 */
@NullMarked
package io.sluice.ringbuffer.specialize;

import org.jspecify.annotations.NullMarked;
