/**
 * {@code ./sluice demo}: a feed handler publishes market data into a ring; a journal and the order books handle it side by
 * side; a digest stage, behind both, proves the result against a plain replay.
 */
@NullMarked
package io.sluice.examples.demo;

import org.jspecify.annotations.NullMarked;
