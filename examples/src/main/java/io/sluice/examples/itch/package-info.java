/** NASDAQ TotalView-ITCH 5.0 in length-prefixed records: the table of types, a reader and a writer. */
@NullMarked
package io.sluice.examples.itch;

import org.jspecify.annotations.NullMarked;
