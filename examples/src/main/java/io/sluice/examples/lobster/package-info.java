/** LOBSTER message files: one comma-separated row for each event of one instrument. */
@NullMarked
package io.sluice.examples.lobster;

import org.jspecify.annotations.NullMarked;
