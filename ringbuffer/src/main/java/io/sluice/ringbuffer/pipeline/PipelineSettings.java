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

/** What is set for a pipeline as a whole, by the thread that builds it, before the start. */
final class PipelineSettings<E> {
    final Map<String, Supplier<? extends IdleStrategy>> idles = new LinkedHashMap<>();
    FailurePolicy<? super E> policy = FailurePolicies.halt();
    ThreadFactory factory = Thread::new;
    Consumer<String> threadStart = name -> {};
    boolean namesThreads = true;
    boolean pollBackOff = true;

    @Nullable
    String oneThread;

    private boolean started;

    /** Once true, true for ever: whoever sees it sees what was set. Set under the lock of the threads. */
    boolean hasStarted() {
        return started;
    }

    void markStarted() {
        started = true;
    }

    /** For one setting. */
    PipelineSettings<E> beforeStart(String what) {
        if (started) {
            throw new IllegalStateException(what + " must be set before the start, but the pipeline has started");
        }
        return this;
    }

    String threadOf(ConsumerNode<E> node) {
        return oneThread == null ? node.thread() : oneThread;
    }
}
