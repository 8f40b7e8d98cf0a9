/** Messages that SBE's generated codecs write into the slots of a ring of bytes, and read there. The build generates the codecs. */
@NullMarked
package io.sluice.examples.sbe;

import org.jspecify.annotations.NullMarked;
