/**
 * {@code ./sluice http}: a web server that answers 503 with Retry-After when it has as much to do as fits into its latency budget,
 * and serves what it has accepted in time.
 */
@NullMarked
package io.sluice.examples.http;

import org.jspecify.annotations.NullMarked;
