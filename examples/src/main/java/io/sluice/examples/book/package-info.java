/** Order books: price levels for each instrument, built from order events, with a table of the best prices and a digest. */
@NullMarked
package io.sluice.examples.book;

import org.jspecify.annotations.NullMarked;
