/** {@code ./sluice simulate}: rate laws in the simulator of the back pressure module, with their figures and plots. */
@NullMarked
package io.sluice.examples.simulate;

import org.jspecify.annotations.NullMarked;
