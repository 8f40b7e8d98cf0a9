package io.sluice.examples.generator;

/**
 * The SplitMix64 generator (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). Kept here
 * because the bounded numbers of the JDK's generators may differ between versions, and sessions must not.
 */
final class SplitMix {
    private long state;

    SplitMix(long seed) {
        state = seed;
    }

    long next() {
        state += 0x9e3779b97f4a7c15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /** From 0 to {@code bound - 1}, as even as 32 bits allow. */
    int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    /** How often a coin falls on its head in a row, at most {@code most}. */
    int heads(int most) {
        return Math.min(Long.numberOfTrailingZeros(next()), most);
    }
}
