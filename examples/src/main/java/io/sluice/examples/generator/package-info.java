/** A deterministic generator of ITCH sessions: the same seed and size give the same bytes on every machine. */
@NullMarked
package io.sluice.examples.generator;

import org.jspecify.annotations.NullMarked;
