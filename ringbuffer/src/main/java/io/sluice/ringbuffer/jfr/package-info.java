/**
 * The JFR events of rings and consumers. They take names and numbers; they know neither rings nor consumers.
 */
@NullMarked
package io.sluice.ringbuffer.jfr;

import org.jspecify.annotations.NullMarked;
