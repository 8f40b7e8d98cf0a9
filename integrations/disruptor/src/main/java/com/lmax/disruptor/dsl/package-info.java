/**
 * Wires handlers into a graph on one ring, and starts and stops them.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>{@code shutdown} waits for each consumer whose thread was started, also if that thread has not reached {@code run} yet.
 *   <li>A call that is refused for one of its handlers adds none of them.
 *   <li>It has the names of the Disruptor. {@code docs/drop-in.md} says what differs.
 * </ul>
 */
@NullMarked
package com.lmax.disruptor.dsl;

import org.jspecify.annotations.NullMarked;
