package io.sluice.testing;

import java.util.List;

/**
 * A program that a test runs: a setting, and steps any of which may be left out. It does not change, and it always runs in the same
 * way, as far as threads allow.
 *
 * @param <P> the program's own type
 */
public interface RandomProgram<P extends RandomProgram<P>> {
    /**
     * Says how many steps it has.
     *
     * @return 0 or more
     */
    int size();

    /**
     * Leaves steps out.
     *
     * @param steps the numbers of the steps that stay, from 0 to {@code size() - 1}, in rising order
     * @return a program with the same setting and these steps only
     */
    P keep(List<Integer> steps);

    /**
     * Makes the program simpler in other ways than by leaving steps out: a smaller setting, a number that is 0 now. A chain of
     * simpler programs must come to an end.
     *
     * @return each way there is, the best first; none unless overridden
     */
    default List<P> simpler() {
        return List.of();
    }
}
