/**
 * Latency: pings to and fro, and events sent at intended times, through every ring and queue by the same code on both sides; the same clock
 * measures the cost of the platform itself in the same run.
 */
@NullMarked
package io.sluice.perf.latency;

import org.jspecify.annotations.NullMarked;
