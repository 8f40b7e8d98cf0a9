package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/** The settings of a pipeline as a whole, made by the thread that builds it, before the start. */
final class PipelineSettings<E> {
    final Map<String, Supplier<? extends IdleStrategy>> idles = new LinkedHashMap<>();
    FailurePolicy<? super E> policy = FailurePolicies.halt();
    ThreadFactory factory = PipelineSettings::newThread;
    Consumer<String> threadStart = name -> {};
    boolean namesThreads = true;
    boolean pollBackOff = true;

    @Nullable
    String oneThread;

    private boolean starting; // set under the lock of the threads, as below
    private boolean started;

    /**
     * Makes a thread that is never a daemon, also where a daemon or a virtual thread starts the pipeline: else a program could end before
     * its events are handled.
     */
    private static Thread newThread(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(false);
        return thread;
    }

    /** Once true, true for ever: a thread that sees it sees the settings. Set under the lock of the threads. */
    boolean hasStarted() {
        return started;
    }

    void markStarted() {
        started = true;
    }

    void starting(boolean now) {
        starting = now;
    }

    /** For one setting. A setting made while the start is under way would hold for some threads, or for none. */
    PipelineSettings<E> beforeStart(String what) {
        if (isBegun()) {
            throw new IllegalStateException(what + " must be set before the start, but the pipeline " + progress());
        }
        return this;
    }

    /** Whether the start is under way, or over. */
    boolean isBegun() {
        return started || starting;
    }

    /** How far the start has come, once it has begun: the end of a refusal. */
    String progress() {
        return started ? "has started" : "is being started";
    }

    String threadOf(ConsumerNode<E> node) {
        return oneThread == null ? node.thread() : oneThread;
    }
}
