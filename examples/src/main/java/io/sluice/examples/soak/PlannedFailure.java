package io.sluice.examples.soak;

/** The exception that handlers and translators throw on purpose. */
final class PlannedFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    PlannedFailure() {
        super("planned", null, false, false);
    }
}
