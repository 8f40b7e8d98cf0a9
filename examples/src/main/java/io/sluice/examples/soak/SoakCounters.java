package io.sluice.examples.soak;

import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.counters.CountersFile;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The counters file of a soak: holds the ring of the round under way, brought up to date by a thread of its own. */
final class SoakCounters implements AutoCloseable {
    /** Room for the rounds of a second: the counters of an ended ring are free again after that. */
    private static final int CAPACITY = 20_000;

    private static final long PERIOD_MILLIS = 100;

    private final CountersFile file;
    private final Thread updater = new Thread(this::keepUpToDate, "sluice-soak-counters");

    // under the lock of this
    private @Nullable RingMonitor monitor;
    private boolean closed;

    SoakCounters(Path path) throws IOException {
        file = CountersFile.create(path, CAPACITY);
        updater.setDaemon(true);
        updater.start();
    }

    /** Shows this ring in place of the last one. */
    synchronized void show(RingBuffer<?> ring) {
        RingMonitor next = RingMonitor.of(ring);
        if (monitor != null) {
            file.remove(monitor);
        }
        file.add(next);
        monitor = next;
    }

    private void keepUpToDate() {
        try {
            for (; ; ) {
                synchronized (this) {
                    if (closed) {
                        return;
                    }
                    file.update();
                    wait(PERIOD_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        file.update();
        file.close();
    }
}
