/**
 * A stream that is written into a journal, sent by Aeron, and copied without a gap and without a double: a copy that starts late, or again,
 * is sent from the journal what it has missed, and goes on with what is sent live.
 */
@NullMarked
package io.sluice.examples.replicated;

import org.jspecify.annotations.NullMarked;
