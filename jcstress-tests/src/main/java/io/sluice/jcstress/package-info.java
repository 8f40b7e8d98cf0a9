/** Concurrency proofs of the shipped classes. */
@NullMarked
package io.sluice.jcstress;

import org.jspecify.annotations.NullMarked;
