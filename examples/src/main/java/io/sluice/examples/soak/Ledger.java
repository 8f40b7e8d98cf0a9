package io.sluice.examples.soak;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The events that one consumer was given: for each producer the numbers that came, in order or not, and the sum of their
 * checks. The first number that comes of a producer is where it begins. One thread at a time.
 */
final class Ledger {
    private static final long NONE = -1;

    private final long[] first;
    private final long[] next;
    private final long[] sums;
    private final Set<Long>[] missing;
    private long lastSequence = -1;
    private long handled;

    long doubled;
    long outOfOrder;
    long torn;

    Ledger(int producers) {
        first = new long[producers];
        Arrays.fill(first, NONE);
        next = new long[producers];
        sums = new long[producers];
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of sets of numbers
        Set<Long>[] sets = new Set[producers];
        for (int i = 0; i < producers; i++) {
            sets[i] = new HashSet<>();
        }
        missing = sets;
    }

    private Ledger(Ledger from) {
        this(from.next.length);
        for (int i = 0; i < next.length; i++) {
            first[i] = from.first[i];
            next[i] = from.next[i];
            sums[i] = from.sums[i];
            missing[i].addAll(from.missing[i]);
        }
        lastSequence = from.lastSequence;
        handled = from.handled;
        doubled = from.doubled;
        outOfOrder = from.outOfOrder;
        torn = from.torn;
    }

    /** As it is now: for a batch that may be rewound. */
    Ledger copy() {
        return new Ledger(this);
    }

    /** Enters an event. */
    void enter(SoakEvent event, long seed, long sequence) {
        handled++;
        if (sequence <= lastSequence) {
            outOfOrder++;
        }
        lastSequence = Math.max(lastSequence, sequence);
        int producer = event.producer;
        if (!event.isWhole(seed, sequence) || producer < 0 || producer >= next.length) {
            torn++;
            return;
        }
        long number = event.number;
        if (first[producer] == NONE) {
            first[producer] = number;
            next[producer] = number + 1;
        } else if (number == next[producer]) {
            next[producer]++;
        } else if (number > next[producer]) {
            for (long skipped = next[producer]; skipped < number; skipped++) {
                missing[producer].add(skipped);
            }
            next[producer] = number + 1;
        } else if (missing[producer].remove(number)) {
            outOfOrder++;
        } else {
            doubled++;
            return;
        }
        sums[producer] += event.check;
    }

    /** How many of a producer's events from one number to before another did not come. */
    long lost(int producer, long from, long to) {
        if (first[producer] == NONE) {
            return to - from;
        }
        return Math.max(0, first[producer] - from)
                + missing[producer].size()
                + Math.max(0, to - Math.max(from, next[producer]));
    }

    /** How many of a producer's events came that are before one number, or from another on. */
    long strays(int producer, long from, long to) {
        if (first[producer] == NONE) {
            return 0;
        }
        return Math.max(0, from - first[producer]) + Math.max(0, next[producer] - to);
    }

    long sum(int producer) {
        return sums[producer];
    }

    long lastSequence() {
        return lastSequence;
    }

    long handled() {
        return handled;
    }
}
