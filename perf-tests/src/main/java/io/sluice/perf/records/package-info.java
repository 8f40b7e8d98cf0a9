/** {@code ./sluice bench records}: tables of records beside objects, and the codec beside Java's serialisation and a {@code ByteBuffer}. */
@NullMarked
package io.sluice.perf.records;

import org.jspecify.annotations.NullMarked;
