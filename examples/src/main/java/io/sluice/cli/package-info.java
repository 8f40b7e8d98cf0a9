/** The programs behind the {@code ./sluice} launcher: verbs, found by {@link java.util.ServiceLoader}, one class each. */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
