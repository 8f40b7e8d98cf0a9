/**
 * An append-only journal in pre-allocated segment files, with one writer and any number of readers.
 *
 * <p>It guarantees:
 *
 * <ul>
 *   <li>Records are read back in the order in which they were appended, with consecutive sequences. A CRC-32C checks each of them.
 *   <li>A record at or below {@link io.sluice.batching.journal.Journal#durableSequence()} survives the death of the process
 *       and the loss of power, as far as the operating system and the disk keep what they promise for {@code force}.
 *   <li>A 4 KiB block that was forced is not written again while the journal is open, so a write that is torn later cannot harm it.
 *       Opening writes the bytes behind the last proven {@code force} once more, unchanged, before it reports them as durable.
 *   <li>After a crash a reader delivers a prefix without gaps, and stops before the torn tail. Damage before the tail is an
 *       error, never a shorter journal.
 * </ul>
 *
 * <p>Nothing here needs an option of the JVM.
 */
@NullMarked
package io.sluice.batching.journal;

import org.jspecify.annotations.NullMarked;
