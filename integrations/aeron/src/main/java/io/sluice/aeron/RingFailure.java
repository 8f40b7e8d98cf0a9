package io.sluice.aeron;

import java.io.Serial;

/**
 * Carries an exception of a ring's producer out of a {@link MessageSink}. The message is not at fault: the receiver
 * leaves it with Aeron, and throws the carried exception.
 */
final class RingFailure extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    final RuntimeException failure;

    RingFailure(RuntimeException failure) {
        super(failure);
        this.failure = failure;
    }
}
