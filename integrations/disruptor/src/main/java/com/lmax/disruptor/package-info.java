/**
 * The API of LMAX Disruptor 4: rings, sequencers, barriers, wait strategies and event processors.
 *
 * <p>A program that was built against the Disruptor runs on this package without being built again. What differs stands in
 * {@code docs/drop-in.md}.
 */
@NullMarked
package com.lmax.disruptor;

import org.jspecify.annotations.NullMarked;
