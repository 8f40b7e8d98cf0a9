package io.sluice.aeron;

/** A session that a receiver hears, or heard. For its thread. */
final class HeardSession {
    /** The next number that is due. Sessions of one sender share it. */
    static final class Numbers {
        /** 0 while any number may come. */
        long expected;

        Numbers(long expected) {
            this.expected = expected;
        }
    }

    final int id;
    final Numbers numbers;
    boolean present = true;
    boolean begun;

    HeardSession(int id, Numbers numbers) {
        this.id = id;
        this.numbers = numbers;
    }
}
