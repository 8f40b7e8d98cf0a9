package io.sluice.jcstress.ordered;

import io.sluice.ordered.OrderedHandler;
import org.jspecify.annotations.Nullable;

/**
 * Writes down the values that are handed out, a decimal digit for each: the value; 9 for a failed or trashed ticket; the value
 * plus 5 for a discarded one. Its field is plain: the scheduler alone sees to it that nothing is lost, and the tests look at that.
 */
final class Log implements OrderedHandler<Integer> {
    private int digits;

    @Override
    public void onCompleted(long ticket, Integer value) {
        add(value);
    }

    @Override
    public void onFailed(long ticket, Throwable cause) {
        add(9);
    }

    @Override
    public void onTrashed(long ticket) {
        add(9);
    }

    @Override
    public void onDiscarded(long ticket, @Nullable Integer value) {
        add(value == null ? 9 : value + 5);
    }

    void add(int digit) {
        digits = digits * 10 + digit;
    }

    int digits() {
        return digits;
    }
}
