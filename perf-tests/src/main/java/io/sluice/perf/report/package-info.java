/**
 * The results of a measurement, as records; written and read as JSON, and written as a page of HTML with plots that needs nothing but a
 * browser.
 */
@NullMarked
package io.sluice.perf.report;

import org.jspecify.annotations.NullMarked;
