/**
 * {@code ./sluice demo}: a feed handler publishes market data into a ring; a journal takes it with group commit; the order books
 * follow; a smart-batched publisher sends it by UDP to a subscriber that checks every byte; a digest stage proves the result
 * against a plain replay.
 */
@NullMarked
package io.sluice.examples.demo;

import org.jspecify.annotations.NullMarked;
