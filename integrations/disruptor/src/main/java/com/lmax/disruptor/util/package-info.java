/** Helpers that programs for the Disruptor call directly. */
@NullMarked
package com.lmax.disruptor.util;

import org.jspecify.annotations.NullMarked;
