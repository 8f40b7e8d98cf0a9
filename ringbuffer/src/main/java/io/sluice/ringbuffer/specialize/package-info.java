/**
 * Copies of a hot class, one for each class that it works with, so that each copy is compiled for that one.
 *
 * <p>This package guarantees: a copy keeps no class loader alive that could otherwise go. Where the JVM defines no hidden
 * classes, or {@code -Dio.sluice.hiddenClasses=false} is set, the class itself is used, with the same behaviour.
 */
@NullMarked
package io.sluice.ringbuffer.specialize;

import org.jspecify.annotations.NullMarked;
