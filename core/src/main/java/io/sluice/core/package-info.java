/**
 * The base of every other package: sequences, barriers, idle strategies, failure policies and the life-cycle word.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>The memory order of each access to a {@link io.sluice.core.Sequence} is in the method's name. Sequences of different writers
 *       share no cache line.
 *   <li>An exact {@link io.sluice.core.SignalledIdle} misses no wake-up. A timed one notices a missed one within its limit.
 *   <li>A {@link io.sluice.core.State} only moves forward.
 *   <li>A {@link io.sluice.core.Runner} closes each of its agents once, whatever they throw.
 *   <li>Nothing allocates while events flow.
 * </ul>
 */
@NullMarked
package io.sluice.core;

import org.jspecify.annotations.NullMarked;
