/**
 * {@code ./sluice soak}: random graphs of consumers, round after round, with every event counted at every consumer.
 */
@NullMarked
package io.sluice.examples.soak;

import org.jspecify.annotations.NullMarked;
