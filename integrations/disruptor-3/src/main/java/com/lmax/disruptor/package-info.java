/**
 * The API of LMAX Disruptor 3: rings, sequencers, barriers, wait strategies and event processors.
 *
 * <p>A program that was built against the Disruptor runs on this package without being built again. The
 * differences are in {@code docs/drop-in.md}.
 *
 * <p>This package guarantees:
 *
 * <ul>
 *   <li>Each class, constructor, method and field of the jar of 3.4.4 that a program can name is there, with its descriptor and
 *       modifiers. Only padding, {@code Util.getUnsafe} and the field with the value of a {@code Sequence}
 *       are missing.
 *   <li>Callbacks and answers are those of 3.4.4, but for the differences that {@code docs/drop-in.md} names. The texts of
 *       exceptions and of {@code toString} differ.
 *   <li>It needs no option of the JVM.
 * </ul>
 */
@NullMarked
package com.lmax.disruptor;

import org.jspecify.annotations.NullMarked;
