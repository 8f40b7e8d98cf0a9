package io.sluice.examples.soak;

/** An event in plain memory, whose words belong together. */
final class SoakEvent {
    int producer;
    long number;
    long sequence;
    long check;

    /** The check of an event: over its producer, its number there, and its sequence. */
    static long check(long seed, int producer, long number, long sequence) {
        long mixed = (seed ^ number * 0x9E3779B97F4A7C15L) + producer * 0xC2B2AE3D27D4EB4FL + sequence;
        mixed = (mixed ^ (mixed >>> 31)) * 0xBF58476D1CE4E5B9L;
        return mixed ^ (mixed >>> 29);
    }

    void fill(long seed, int newProducer, long newNumber, long newSequence) {
        producer = newProducer;
        number = newNumber;
        sequence = newSequence;
        check = check(seed, newProducer, newNumber, newSequence);
    }

    boolean isWhole(long seed, long expectedSequence) {
        return sequence == expectedSequence && check == check(seed, producer, number, sequence);
    }
}
