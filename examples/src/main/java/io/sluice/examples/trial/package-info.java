/**
 * {@code ./sluice trial}: the NAK-based rate limit for real. A sender and receivers in processes of their own, over UDP loopback,
 * with receivers that are slowed, stopped, frozen and killed at random moments.
 */
@NullMarked
package io.sluice.examples.trial;

import org.jspecify.annotations.NullMarked;
