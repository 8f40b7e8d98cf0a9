package io.sluice.backpressure.admission;

/** The answer of an {@link AdmissionGate}. */
public enum Admission {
    /** The request may enter; {@link AdmissionGate#exit} must follow. */
    ADMITTED,
    /** Busy: as many are inside as can be served within the budget. */
    BUSY_FULL,
    /** Busy: it stayed full for as long as the caller would wait. */
    BUSY_TIMED_OUT,
    /** Busy: it was full, and the waiting thread was interrupted; its flag stays set. */
    BUSY_INTERRUPTED;

    /**
     * Whether the caller may go on.
     *
     * @return true for {@link #ADMITTED} alone
     */
    public boolean admitted() {
        return this == ADMITTED;
    }

    /**
     * Why, in words.
     *
     * @return a short text, always the same for an answer
     */
    public String reason() {
        return switch (this) {
            case ADMITTED -> "admitted";
            case BUSY_FULL -> "as many requests are inside as can be served within the latency budget";
            case BUSY_TIMED_OUT -> "no place became free within the time to wait";
            case BUSY_INTERRUPTED -> "interrupted while waiting for a place";
        };
    }
}
