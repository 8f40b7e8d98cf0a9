/** Runs the tests and their weakened twins, and decides. */
@NullMarked
package io.sluice.jcstress.gate;

import org.jspecify.annotations.NullMarked;
