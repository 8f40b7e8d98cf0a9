/** Wires handlers into a graph on one ring, and starts and stops them. */
@NullMarked
package com.lmax.disruptor.dsl;

import org.jspecify.annotations.NullMarked;
