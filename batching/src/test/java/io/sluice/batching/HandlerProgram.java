package io.sluice.batching;

import static io.sluice.batching.ModelDevice.require;

import io.sluice.batching.ModelDevice.Element;
import io.sluice.batching.ModelDevice.Seen;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.testing.SeededProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A random program for a {@link BatchingHandler}: a step is an event of the ring. It drives the handler as a ring's loop does, with
 * batches of random lengths and a policy that retries, rewinds, skips and discards at random, and looks behind each call whether all
 * that was handed on is on the device, and ended.
 */
final class HandlerProgram {
    private static final int MOST_CALLS_A_STEP = 2_000;

    private record Step(Element event, boolean last, boolean restarts, SplittableRandom random) {}

    private final ModelDevice device;
    private final BatchingHandler<Element> handler;
    private final List<Step> steps = new ArrayList<>();
    private final SplittableRandom behind;
    private long encoded = -1;
    private long handedOn = -1;
    private boolean flushes;
    private int calls;
    private int shutdowns; // of rings before the last one

    private interface Call {
        void run() throws Exception;
    }

    private HandlerProgram(SeededProgram program, Map<Seen, Integer> seen) {
        device = new ModelDevice(program.random(), seen);
        device.mayFlush = () -> flushes && device.due == null;
        handler = new BatchingHandler<>(device, device, device.config);
        long number = 0;
        for (int step : program.steps()) {
            SplittableRandom random = program.random(step);
            Element event = new Element(number++, device.length(random));
            boolean last = random.nextInt(4) == 0 || steps.size() == program.size() - 1;
            boolean restarts = last && random.nextInt(8) == 0;
            number = restarts ? 0 : number; // another ring
            steps.add(new Step(event, last, restarts, random));
        }
        behind = program.random(-1);
    }

    static void run(SeededProgram program, Map<Seen, Integer> seen) {
        new HandlerProgram(program, seen).run();
    }

    private void run() {
        int first = 0;
        while (first < steps.size()) {
            int last = first;
            while (!steps.get(last).last) {
                last++;
            }
            if (!handlesBatch(first, last)) {
                break; // halted
            }
            if (steps.get(last).restarts) {
                restart();
            }
            first = last + 1;
        }
        shutDown();
    }

    /** As the ring's loop: at `last + 1` the end of the batch is due. False once the policy would halt. */
    private boolean handlesBatch(int first, int last) {
        int position = first;
        while (position <= last + 1) {
            SplittableRandom random = steps.get(Math.min(position, last)).random;
            device.fates = random;
            if (random.nextInt(16) == 0) {
                discard(); // a policy is not the only one that may
            }
            Throwable thrown = position <= last ? event(steps.get(position)) : batchEnd(last);
            if (thrown instanceof Error) {
                return false;
            }
            Action action = Action.SKIP; // on to the next
            if (thrown != null) {
                if (random.nextInt(4) == 0) {
                    discard();
                }
                int dice = random.nextInt(6);
                action = dice < 2 ? Action.RETRY_EVENT : dice < 4 ? Action.REWIND_BATCH : Action.SKIP;
            }
            position = action == Action.SKIP ? position + 1 : action == Action.REWIND_BATCH ? first : position;
        }
        if (steps.get(last).random.nextInt(4) == 0) {
            idle(last);
        }
        return true;
    }

    private @Nullable Throwable event(Step step) {
        long sequence = step.event.number();
        boolean isNew = sequence > encoded;
        boolean attempt = isNew || step.last || device.noRoom();
        device.due = isNew ? step.event : null;
        flushes = step.last;
        long accepted = device.accepted;
        Throwable thrown = call(() -> handler.onEvent(step.event, sequence, step.last));
        if (device.accepted > accepted) {
            encoded = sequence;
        }
        if (thrown == null) {
            require(encoded >= sequence, "an event was passed over");
            if (attempt) {
                device.settle();
            }
            require(!device.noRoom(), "a full batch stays");
            require(!isNew || !device.isOffered(), "a batch that was offered stays behind a new event");
        }
        device.due = null;
        called(thrown);
        return thrown;
    }

    private @Nullable Throwable batchEnd(int last) {
        flushes = true;
        Throwable thrown = call(() -> handler.onBatchEnd(last));
        called(thrown);
        return thrown;
    }

    private void called(@Nullable Throwable thrown) {
        if (thrown == null && flushes) {
            device.settle();
            device.requireNothingLeft();
            handedOn = encoded;
        }
        requireSame();
    }

    /** The ring ends, and the handler starts on another one. What is left goes out there. */
    private void restart() {
        flushes = true;
        shutdowns++;
        boolean anyLeft = device.pending() > 0 || device.owesEnd();
        Throwable thrown = call(handler::onShutdown);
        require(anyLeft || thrown == null, "the end failed, but nothing was left");
        if (thrown == null) {
            device.settle();
            device.requireNothingLeft();
        }
        handler.onStart();
        encoded = -1;
        handedOn = -1;
        requireSame();
    }

    private void discard() {
        require(handler.discardPending() == device.discard(), "another number of messages is given up");
        requireSame();
    }

    private void idle(int last) {
        flushes = false;
        int idles = device.idles;
        call(() -> handler.onTimeout(last));
        require(device.idles == idles + 1, "the device does not hear that there is nothing to do");
        requireSame();
    }

    /** Until nothing is left; the last times nothing fails any more. */
    private void shutDown() {
        boolean anyLeft = true;
        for (int i = 0; anyLeft; i++) {
            device.fates = i < 3 ? behind : null;
            flushes = true;
            anyLeft = device.pending() > 0 || device.owesEnd();
            Throwable thrown = call(handler::onShutdown);
            require(device.shutdowns == shutdowns + i + 1, "the device does not hear of the end");
            if (thrown == null) {
                device.settle();
                device.requireNothingLeft();
                handedOn = anyLeft ? encoded : handedOn;
                anyLeft = false;
            } else {
                require(anyLeft, "the end failed, but nothing was left");
            }
            requireSame();
        }
        try {
            handler.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        require(device.closes == 1, "the device is not closed");
        device.requireStatistics();
    }

    private void requireSame() {
        require(handler.pendingMessages() == device.pending(), "pendingMessages() says something else");
        require(handler.discardedMessages() == device.discarded, "discardedMessages() says something else");
        require(handler.takenSequence() == handedOn, "takenSequence() says something else");
    }

    /** What was thrown, as it came from below. */
    private @Nullable Throwable call(Call call) {
        require(calls++ < MOST_CALLS_A_STEP * (steps.size() + 1), "it never ends");
        device.begin();
        Throwable thrown = null;
        try {
            call.run();
        } catch (UncheckedIOException e) {
            thrown = e.getCause();
        } catch (Throwable t) {
            thrown = t;
        }
        device.end(thrown);
        return thrown;
    }
}
