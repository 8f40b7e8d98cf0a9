/**
 * The common part of all market-data formats: the mutable event that travels through the ring, the reader interface,
 * byte sources (plain, gzip, memory), and the fault that names file, place and reason.
 */
@NullMarked
package io.sluice.examples.feed;

import org.jspecify.annotations.NullMarked;
