/** {@code ./sluice bench aeron}: from ring to ring by Aeron, beside Aeron alone. */
@NullMarked
package io.sluice.perf.aeron;

import org.jspecify.annotations.NullMarked;
