/**
 * The API of LMAX Disruptor 4: rings, sequencers, barriers, wait strategies and event processors.
 *
 * <p>A program that was built against the Disruptor runs on this package without being built again. What differs stands in
 * {@code docs/drop-in.md}.
 *
 * <p>What this package guarantees:
 *
 * <ul>
 *   <li>Each class, constructor, method and field of the jar of 4.0.0 that a program can name is there, with its descriptor and
 *       modifiers. Only padding and one field of a class that no program can name are missing.
 *   <li>Callbacks and answers are those of 4.0.0, but where {@code docs/drop-in.md} says what differs. The texts of exceptions and of
 *       {@code toString} differ.
 *   <li>It needs no option of the JVM.
 * </ul>
 */
@NullMarked
package com.lmax.disruptor;

import org.jspecify.annotations.NullMarked;
