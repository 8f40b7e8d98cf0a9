package io.sluice.testing;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that runs the work that it is handed, until it is interrupted. The caller may stop waiting for the result.
 *
 * @param <R> the results
 */
final class Worker<R> extends Thread {
    private @Nullable Supplier<R> task; // guarded by this, as is the result
    private @Nullable R result;

    Worker() {
        super("random-program");
        setDaemon(true);
    }

    /** Waits for the result; null if it did not come in time. */
    @Nullable
    synchronized R run(Supplier<R> next, long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        task = next;
        result = null;
        notifyAll();
        while (result == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return null;
            }
            wait(left / 1_000_000 + 1);
        }
        return result;
    }

    @Override
    public void run() {
        try {
            while (true) {
                done(next().get());
            }
        } catch (InterruptedException e) {
            // the end
        }
    }

    private synchronized Supplier<R> next() throws InterruptedException {
        while (task == null) {
            wait();
        }
        Supplier<R> next = task;
        task = null;
        return next;
    }

    private synchronized void done(R done) {
        result = done;
        notifyAll();
    }
}
