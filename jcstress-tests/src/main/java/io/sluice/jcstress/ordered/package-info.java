/** The promises of the ordered scheduler to threads that meet: tests J1 to J13. */
@NullMarked
package io.sluice.jcstress.ordered;

import org.jspecify.annotations.NullMarked;
