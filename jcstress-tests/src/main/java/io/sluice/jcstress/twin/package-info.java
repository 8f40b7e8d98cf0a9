/** Weakened twins: the shipped byte code with one thing broken. */
@NullMarked
package io.sluice.jcstress.twin;

import org.jspecify.annotations.NullMarked;
