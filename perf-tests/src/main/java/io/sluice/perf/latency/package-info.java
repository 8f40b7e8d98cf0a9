/**
 * Latency: pings to and fro, and events sent at intended times, through every ring and queue by the same code on both sides;
 * what the platform itself costs is measured by the same clock in the same run.
 */
@NullMarked
package io.sluice.perf.latency;

import org.jspecify.annotations.NullMarked;
