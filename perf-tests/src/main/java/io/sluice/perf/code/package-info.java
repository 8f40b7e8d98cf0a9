/** The machine code that the JVM's compiler makes, to be looked at. */
@NullMarked
package io.sluice.perf.code;

import org.jspecify.annotations.NullMarked;
