/**
 * Market data sent by Aeron to two subscribers in processes of their own, with media drivers of their own, as on other machines.
 * One of them is slow, and its NAKs slow the source. {@code ./sluice demo --aeron} runs it.
 */
@NullMarked
package io.sluice.examples.remote;

import org.jspecify.annotations.NullMarked;
