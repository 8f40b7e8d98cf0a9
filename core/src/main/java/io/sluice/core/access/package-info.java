/**
 * Access to shared fields, for Sluice's own modules: {@link io.sluice.core.access.VarHandles} looks handles up, {@link
 * io.sluice.core.access.ClaimRace} says how long a claim waits that has lost to another, {@link io.sluice.core.access.ArrayParts} which
 * part of an array a buffer is over. Exported to these modules only, so it may change with any version.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>A class sees by its handles what it sees itself, and no more: it hands over its own lookup.
 *   <li>A field that is not there fails the class that asks, when it is loaded, and not at the first access.
 *   <li>A claim that loses now and then never waits. One that loses often waits 32 spin hints at most. Nothing here blocks, or
 *       allocates on the message path.
 * </ul>
 */
@NullMarked
package io.sluice.core.access;

import org.jspecify.annotations.NullMarked;
