/**
 * Records side by side in memory: a codec that writes a plain Java record into bytes and reads it back, a flyweight that reads and
 * writes single fields in place, and a table of millions of them, on or off the heap.
 *
 * <p>This package guarantees: a record takes the same number of bytes each time; bytes written on one machine are read on any
 * other; encoding allocates nothing; a file that is not the table that was asked for is refused.
 */
@NullMarked
package io.sluice.core.records;

import org.jspecify.annotations.NullMarked;
