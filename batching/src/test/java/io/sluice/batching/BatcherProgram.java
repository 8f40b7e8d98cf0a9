package io.sluice.batching;

import static io.sluice.batching.ModelDevice.require;

import io.sluice.batching.ModelDevice.Element;
import io.sluice.batching.ModelDevice.Part;
import io.sluice.batching.ModelDevice.Seen;
import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.testing.SeededProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.agrona.concurrent.AgentTerminationException;
import org.jspecify.annotations.Nullable;

/**
 * A random program for a {@link Batcher}: a step puts elements into the source and lets it work some rounds. What its policy says to
 * each failure is random. Behind each round, this looks whether what was taken from the source is on the device, and ended.
 */
final class BatcherProgram {
    private final SeededProgram program;
    private final ModelDevice device;
    private final Batcher<Element> batcher;
    private final Queue<Element> source = new ArrayDeque<>();
    private SplittableRandom random;
    private long made;
    private long skipped; // elements
    private @Nullable Throwable halted;
    private boolean closing;

    // of this round
    private boolean takesElements; // what the round before has left is done
    private long batchesBefore; // those elements
    private long acceptedBefore; // those elements
    private int drained;
    private boolean sourceIsEmpty;
    private boolean policyAsked;

    /** In the round before, which is still open then though nothing may be left of it. */
    private boolean elementSkipped;

    private BatcherProgram(SeededProgram program, Map<Seen, Integer> seen) {
        this.program = program;
        random = program.random();
        device = new ModelDevice(random, seen);
        device.mayFlush = this::mayFlush;
        device.idleFailure = SinkException.class;
        device.beforeEncoding = this::takesElements;
        device.duringSend = () -> {
            if (device.fates != null && random.nextInt(8) == 0) {
                produce(1); // what producers do meanwhile
            }
        };
        Drainable<Element> drainable = (consumer, limit) -> kept(() -> drain(consumer, limit));
        FailurePolicy<Element> policy =
                (cause, element, sequence, attempt) -> kept(() -> onFailure(cause, element, sequence, attempt));
        batcher = new Batcher<>(drainable, device, device, device.config, policy);
    }

    static void run(SeededProgram program, Map<Seen, Integer> seen) {
        new BatcherProgram(program, seen).run();
    }

    private void run() {
        for (int step : program.steps()) {
            random = program.random(step);
            device.fates = random;
            produce(random.nextInt(7));
            for (int rounds = random.nextInt(4); rounds > 0; rounds--) {
                round();
            }
        }
        random = program.random(-1);
        device.fates = null; // from here on nothing fails
        if (random.nextInt(3) > 0) {
            workOff();
        }
        device.fates = random.nextBoolean() ? random : null;
        close();
    }

    private void produce(int count) {
        for (int i = 0; i < count; i++) {
            source.add(new Element(made++, device.length(random)));
        }
    }

    private void workOff() {
        int idles = device.idles;
        for (long most = source.size() + 5L; halted == null && device.idles == idles; most--) {
            require(most > 0, "it does not come to an end, though nothing fails");
            round();
        }
        require(halted != null || (source.isEmpty() && device.due == null), "elements are left");
    }

    private void round() {
        takesElements = false;
        drained = 0;
        sourceIsEmpty = false;
        policyAsked = false;
        Throwable before = halted;
        long accepted = device.accepted;
        int calls = device.calls;
        int idles = device.idles;
        device.begin();
        int work = 0;
        Throwable thrown = null;
        try {
            work = batcher.doWork();
        } catch (AgentTerminationException e) {
            thrown = e;
        } catch (Throwable t) {
            device.requireKept();
            throw new ModelDevice.Violation("doWork() threw: " + t, t);
        }
        device.requireKept();
        if (before != null) {
            require(thrown != null && thrown.getCause() == before, "a batcher that has halted does not say so");
            require(device.calls == calls && !takesElements, "a batcher that has halted goes on");
        } else if (policyAsked) {
            require(thrown == null ? halted == null : thrown.getCause() == halted, "it halts against its policy");
            require(thrown != null || work >= 1, "a failure counts as no work");
        } else {
            device.end(thrown);
            goesWell((int) (device.accepted - accepted), work, device.idles - idles, device.calls > calls);
        }
        requireSame();
    }

    private void goesWell(int accepted, int work, int idle, boolean deviceCalled) {
        require(work == accepted || work == accepted + 1, "doWork() counts other elements");
        require(device.due == null, "an element stays behind");
        device.settle();
        if (idle > 0) {
            require(idle == 1 && drained == 0 && accepted == 0, "idle, but at work");
            require(device.pending() == 0, "idle, but messages are left");
            require(!device.owesEnd() || device.endPutOff, "idle, but an end is owed");
        } else {
            device.requireNothingLeft();
            require(deviceCalled || elementSkipped, "the device does not hear that there is nothing to do");
        }
        elementSkipped = false;
    }

    private <T> T kept(Callable<T> called) {
        try {
            return device.kept(called);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void takesElements() {
        if (!takesElements) {
            takesElements = true;
            batchesBefore = device.batches;
            acceptedBefore = device.accepted;
        }
    }

    /** For what the round before has left; or once a batch was full, the source empty, or so many elements were taken. */
    private boolean mayFlush() {
        if (closing) {
            return true;
        }
        return takesElements
                ? device.due == null && (sourceIsEmpty || device.batches > batchesBefore || hasTakenMost())
                : device.waits() || device.pending() == 0;
    }

    /** As many as a batch may have messages: some may have made none. */
    private boolean hasTakenMost() {
        return device.accepted - acceptedBefore >= device.maxMessages;
    }

    private int drain(Consumer<Element> consumer, int limit) {
        takesElements();
        require(limit == 1, "it asks for more than one element");
        require(device.due == null, "it takes an element while it holds one");
        require(!device.waits() && !device.noRoom(), "it takes an element while a batch waits");
        require(device.batches == batchesBefore, "it takes elements behind a full batch");
        require(!hasTakenMost(), "it takes elements without end in one round");
        Element element = source.poll();
        if (element == null) {
            sourceIsEmpty = true;
            return 0;
        }
        drained++;
        device.due = element;
        consumer.accept(element);
        return 1;
    }

    private Action onFailure(Throwable cause, @Nullable Element element, long sequence, int attempt) {
        policyAsked = true;
        device.end(cause);
        Part part = device.failedPart();
        boolean ofSink = cause instanceof SinkException;
        require(
                cause instanceof Error || Objects.equals(element, ofSink ? null : device.due),
                "another element is to blame");
        require(sequence == device.accepted + skipped, "the failure has another sequence");
        require(attempt == ++device.failures, "the attempts are counted in another way");
        int dice = random.nextInt(48);
        if (cause instanceof Error || dice < 3) {
            halted = cause;
            return halts(dice, cause);
        }
        if (dice < 20) {
            device.failures = 0;
            if (part == Part.END) {
                device.endPutOff = true;
            } else if (ofSink && part != Part.IDLE) {
                device.discard();
            } else if (device.due != null) {
                device.due = null;
                skipped++;
                elementSkipped = true;
            }
            return Action.SKIP;
        }
        return dice < 34 ? Action.RETRY_EVENT : Action.REWIND_BATCH;
    }

    /** Whatever it says now, it halts. */
    @SuppressWarnings("NullAway") // on purpose: a policy that gives no answer
    private Action halts(int dice, Throwable cause) {
        switch (dice) {
            case 0 -> throw cause instanceof RuntimeException same ? same : new IllegalStateException("policy");
            case 1 -> {
                return null;
            }
            case 2 -> {
                return Action.HALT;
            }
            default -> {
                return Action.SKIP;
            }
        }
    }

    private void close() {
        closing = true;
        device.endPutOff = false;
        int calls = device.calls;
        boolean anyLeft = halted == null && (waiting() > 0 || device.owesEnd());
        device.begin();
        Throwable thrown = null;
        try {
            batcher.onClose();
        } catch (UncheckedIOException e) {
            Throwable cause = e.getCause();
            // what is no IOException is wrapped in one
            boolean wrapped = cause.getClass() == IOException.class && cause.getCause() != null;
            thrown = wrapped ? cause.getCause() : cause;
            String last = device.due == null ? "" : ", the last of element " + (device.accepted + skipped);
            require(
                    e.getMessage().contains(" with " + waiting() + " messages left" + last + ": "),
                    "the message does not say what is left");
        } catch (Throwable t) {
            thrown = t;
        }
        device.end(thrown);
        require(thrown != null || halted != null || waiting() == 0, "something is left, and nothing is thrown");
        require(anyLeft || device.calls == calls, "there was nothing to do, and something was done");
        require(device.shutdowns == 1 && device.closes == 1, "the device does not hear of the end, or is not closed");
        if (halted == null && thrown == null) {
            device.settle();
            device.requireNothingLeft();
        }
        device.requireCounts();
        device.requireStatistics();
        requireSame();
    }

    private void requireSame() {
        require(batcher.pendingMessages() == waiting(), "pendingMessages() says something else");
        require(batcher.discardedMessages() == device.discarded, "discardedMessages() says something else");
    }

    private int waiting() {
        return device.pending() + (device.due == null ? 0 : 1);
    }
}
