/**
 * The newest value of each key: for a consumer that needs the latest state and not every change. It touches no ring.
 *
 * <p>This package guarantees: a consumer gets the newest value of each key that was offered; an offer never waits, and refuses
 * nothing.
 */
@NullMarked
package io.sluice.core.conflation;

import org.jspecify.annotations.NullMarked;
