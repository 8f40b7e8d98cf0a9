/** The obstacles between a machine and low latency, read from the system and measured. */
@NullMarked
package io.sluice.perf.doctor;

import org.jspecify.annotations.NullMarked;
