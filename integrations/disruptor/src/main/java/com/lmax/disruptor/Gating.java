package com.lmax.disruptor;

import java.util.Arrays;

/** Copies of arrays of sequences. Cold. */
final class Gating {
    private Gating() {}

    /** A copy without a sequence, wherever it stands; the array itself if it does not hold it. */
    static Sequence[] without(Sequence[] sequences, Sequence sequence) {
        Sequence[] rest =
                Arrays.stream(sequences).filter(other -> other != sequence).toArray(Sequence[]::new);
        return rest.length == sequences.length ? sequences : rest;
    }
}
