package io.sluice.batching;

import java.util.function.Consumer;

/**
 * Something that hands over elements, such as an Agrona or JCTools queue by its {@code drain} method.
 *
 * @param <E> the elements' type
 */
@FunctionalInterface
public interface Drainable<E> {
    /**
     * Hands over the next elements. Called by the one consuming thread; must not block.
     *
     * @param consumer takes each element; never throws
     * @param limit how many elements to hand over at most; a batcher asks for one at a time, since it learns only by encoding
     *     how many fit
     * @return how many were handed over, 0 if there are none
     */
    int drain(Consumer<E> consumer, int limit);
}
