/** What every other room builds on: sequences, barriers, idle strategies, failure policies and the life-cycle word. */
@NullMarked
package io.sluice.core;

import org.jspecify.annotations.NullMarked;
