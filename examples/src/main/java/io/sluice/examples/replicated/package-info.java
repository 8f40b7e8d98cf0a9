/**
 * A stream that is written into a journal, sent by Aeron, and copied without a gap and without a double: a copy that starts late, or again,
 * gets the messages that it has missed from the journal, and goes on with the live ones.
 */
@NullMarked
package io.sluice.examples.replicated;

import org.jspecify.annotations.NullMarked;
