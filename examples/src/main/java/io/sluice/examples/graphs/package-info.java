/** Graphs of objects in the slots of a ring of bytes: Apache Fory writes them where they are to stand. */
@NullMarked
package io.sluice.examples.graphs;

import org.jspecify.annotations.NullMarked;
