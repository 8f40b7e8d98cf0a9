/** {@code ./sluice stat}: shows the counters that another process writes to a file. */
@NullMarked
package io.sluice.examples.stat;

import org.jspecify.annotations.NullMarked;
