/**
 * {@code ./sluice simulate}: a deterministic simulator of senders, links and receivers in virtual time. It runs the shipped
 * controller, limiter, monitor and codec under each rate control, and prints and plots the figures.
 */
@NullMarked
package io.sluice.examples.simulate;

import org.jspecify.annotations.NullMarked;
