/**
 * Plots as SVG, without dependencies: lines, bars with quartiles, and graphs that show which thread waits for which. Each is drawn for a
 * width, so that its letters have the same size on a phone and on a desk. Colours are classes of {@link io.sluice.perf.report.svg.Style},
 * in light and dark.
 */
@NullMarked
package io.sluice.perf.report.svg;

import org.jspecify.annotations.NullMarked;
