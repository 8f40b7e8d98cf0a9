/** A table of trades: filled, scanned, sorted, saved and loaded. */
@NullMarked
package io.sluice.examples.records;

import org.jspecify.annotations.NullMarked;
