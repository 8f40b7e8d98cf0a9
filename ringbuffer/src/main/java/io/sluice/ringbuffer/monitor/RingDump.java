package io.sluice.ringbuffer.monitor;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.Follower;
import io.sluice.ringbuffer.ProducerCounters;
import io.sluice.ringbuffer.jfr.Stacks;
import io.sluice.ringbuffer.monitor.RingMonitor.ConsumerSample;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The words of {@link RingMonitor#dump}. */
final class RingDump {
    private final RingMonitor monitor;
    private final StringBuilder out = new StringBuilder();

    private RingDump(RingMonitor monitor) {
        this.monitor = monitor;
    }

    /** The text of a monitor's last snapshot, with the facts known only now: who waits since when, and on which thread. */
    static String of(RingMonitor monitor) {
        RingDump dump = new RingDump(monitor);
        dump.ring();
        monitor.ring.forEachProducer(dump::producer);
        AbandonedClaim claim = monitor.stalled.look(0);
        if (claim != null) {
            dump.out.append("  ").append(claim.describe()).append('\n');
        }
        for (int i = 0; i < monitor.consumers(); i++) {
            dump.consumer(monitor.consumer(i));
        }
        return dump.out.toString();
    }

    private void ring() {
        out.append("ring ").append(monitor.name()).append(": ").append(monitor.state());
        Throwable failure = monitor.ring.failure();
        if (failure != null) {
            out.append(" by ").append(failure);
        }
        out.append(String.format(
                Locale.ROOT,
                ", %d of %d slots in use, %d published, %d handled; %d stalls, %d refused, %d dropped\n",
                monitor.fill(),
                monitor.capacity(),
                monitor.published(),
                monitor.handled(),
                monitor.stalls(),
                monitor.refused(),
                monitor.dropped()));
    }

    private void producer(ProducerCounters counters) {
        long wanted = counters.waitsFor();
        if (wanted == ProducerCounters.NOT_WAITING) {
            return;
        }
        out.append("  producer on thread ")
                .append(counters.thread().getName())
                .append(": waits for room for sequence ")
                .append(wanted)
                .append(" for ")
                .append(time(System.nanoTime() - counters.waitsSince()));
        Follower blocking = slowestConsumer();
        long needed = wanted - monitor.ring.window();
        // acquire inside; a consumer that has finished it does not block: a gating sequence of the program's own does
        if (blocking != null && blocking.sequence().get() < needed) {
            out.append(", until ")
                    .append(blocking.name())
                    .append(" has finished ")
                    .append(needed);
        }
        out.append('\n');
    }

    /** The consumer that is furthest behind. */
    private @Nullable Follower slowestConsumer() {
        ConsumerSample found = null;
        for (int i = 0; i < monitor.consumers(); i++) {
            if (found == null || monitor.consumer(i).isSlowerThan(found)) {
                found = monitor.consumer(i);
            }
        }
        return found == null ? null : found.node;
    }

    private void consumer(ConsumerSample sample) {
        out.append("  consumer ")
                .append(sample.name())
                .append(": at ")
                .append(sample.sequence())
                .append(", ")
                .append(sample.lag())
                .append(" behind, ");
        Throwable failure = sample.node.failure();
        if (failure != null) {
            out.append("failed ").append(sample.node.failedWhere()).append(" by\n");
            out.append(Stacks.text(failure, "    "));
            return;
        } else if (sample.node.isEnded()) {
            out.append("ended");
        } else {
            running(sample);
        }
        out.append('\n');
    }

    private void running(ConsumerSample sample) {
        Follower node = sample.node;
        long next = sample.sequence() + 1;
        String first = null;
        for (Follower one : node.upstream()) {
            if (one.sequence().get() < next // acquire inside
                    && (first == null || one.currentEvent() == next)) { // of workers, the one that is at it
                first = one.name() + " at " + one.sequence().get();
            }
        }
        if (node.isPaused()) {
            out.append("paused, ");
        }
        if (node.isWorker()) {
            out.append("a worker, ").append(sample.event() >= 0 ? "handles " + sample.event() : "waits for an event");
        } else if (first != null && sample.lag() > 0) {
            out.append("waits for ").append(first);
        } else if (sample.lag() > 0) {
            out.append(node.runner() == null ? "not started" : "works from " + next);
        } else {
            out.append("waits for publications");
        }
        if (sample.shed() > 0) {
            out.append(", ").append(sample.shed()).append(" shed");
        }
        out.append(", here for at least ").append(time(System.nanoTime() - sample.stoodSince()));
        Thread runner = node.runner();
        if (runner != null) {
            out.append(", thread ").append(runner.getName()).append(' ').append(runner.getState());
        }
        SignalledIdle idle = node.idle();
        long parked = idle == null ? SignalledIdle.NO_DEADLINE : idle.parkedSince();
        if (parked != SignalledIdle.NO_DEADLINE) {
            out.append(", parked for ").append(time(System.nanoTime() - parked));
        }
    }

    /** A duration in words. */
    static String time(long nanos) {
        return nanos < 1_000_000_000
                ? Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)) + " ms"
                : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }
}
