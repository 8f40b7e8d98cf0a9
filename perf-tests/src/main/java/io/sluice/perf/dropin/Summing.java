package io.sluice.perf.dropin;

import com.lmax.disruptor.EventHandler;
import java.util.concurrent.CountDownLatch;

/* The sum of one consumer stands alone on its cache lines. Padding goes through superclasses. */
abstract class SummingBefore {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}

abstract class SummingFields extends SummingBefore {
    /** Written by the consumer's thread; others read it after the latch. */
    long sum;

    long handled;
    long expected;
    CountDownLatch done = new CountDownLatch(1);
}

abstract class SummingAfter extends SummingFields {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;
}

/** Adds up the payloads, and opens its latch at the last. */
final class Summing extends SummingAfter implements EventHandler<Payload> {
    /** Before the threads of a run begin. */
    CountDownLatch expect(long events) {
        sum = 0;
        handled = 0;
        expected = events;
        done = new CountDownLatch(1);
        return done;
    }

    @Override
    public void onEvent(Payload event, long sequence, boolean endOfBatch) {
        add(event.value);
    }

    void add(long value) {
        sum += value;
        if (++handled == expected) {
            done.countDown();
        }
    }

    /** After the threads of a run have ended. */
    void check(long expectedSum) {
        if (handled != expected || sum != expectedSum) {
            throw new IllegalStateException("a consumer must handle " + expected + " events with the sum " + expectedSum
                    + ", but handled " + handled + " with the sum " + sum);
        }
    }
}
