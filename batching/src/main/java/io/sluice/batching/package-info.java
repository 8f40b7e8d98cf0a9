/** Smart batching: what arrives while the previous send is under way goes out together in the next. */
@NullMarked
package io.sluice.batching;

import org.jspecify.annotations.NullMarked;
