/**
 * Bytes side by side in memory, with atomic access, on a JVM without any option.
 *
 * <p>This package guarantees: no access reaches memory outside a buffer, and none reaches memory that was closed. Nothing here
 * uses {@code jdk.internal} or {@code sun.misc}, and nothing prints a warning.
 */
@NullMarked
package io.sluice.core.bytes;

import org.jspecify.annotations.NullMarked;
