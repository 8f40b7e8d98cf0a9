package program;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BatchRewindStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.EventuallyGiveUpBatchRewindStrategy;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RewindAction;
import com.lmax.disruptor.RewindableEventHandler;
import com.lmax.disruptor.RewindableException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.SequenceGroup;
import com.lmax.disruptor.SimpleBatchRewindStrategy;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A random program on one thread, which writes down each callback and each answer. Processors run on the caller's thread, one
 * after another; their wait strategy ends or feeds them where they would wait. So what is written depends on the seed alone.
 */
public final class SteppedProgram {
    private final SplittableRandom random;
    private final List<String> log = new ArrayList<>();
    private final RingBuffer<long[]> ring;
    private final boolean multi;
    private final Feeder feeder = new Feeder();
    private final List<Worker> workers = new ArrayList<>();
    private final List<Sequence> extraGates = new ArrayList<>();
    private final List<Long> claimed = new ArrayList<>();
    private final EventPoller<long[]> poller;
    private final SequenceGroup group = new SequenceGroup();
    private long payload;

    /** The sequence whose event processors do not get. */
    private long refused = -1;

    private SteppedProgram(long seed) {
        random = new SplittableRandom(seed);
        multi = random.nextBoolean();
        int size = 1 << random.nextInt(5);
        ring = RingBuffer.create(multi ? ProducerType.MULTI : ProducerType.SINGLE, () -> new long[1], size, feeder);
        say("ring", multi, size);
        int count = random.nextInt(1, 5);
        for (int i = 0; i < count; i++) {
            workers.add(new Worker(i));
        }
        workers.forEach(worker -> ring.addGatingSequences(worker.processor.getSequence()));
        poller = ring.newPoller(
                random.nextBoolean()
                        ? new Sequence[0]
                        : new Sequence[] {workers.get(0).processor.getSequence()});
        ring.addGatingSequences(poller.getSequence());
    }

    /**
     * Runs a program.
     *
     * @param seed what it is made from
     * @param steps how many steps it has
     * @return what happened
     */
    public static List<String> run(long seed, int steps) {
        SteppedProgram program = new SteppedProgram(seed);
        for (int i = 0; i < steps; i++) {
            program.step();
        }
        program.end();
        return program.log;
    }

    private void step() {
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> publishSome();
            case 3, 4, 5, 6 -> workers.get(random.nextInt(workers.size())).run();
            case 7 -> poll();
            case 8 -> changeGates();
            case 9 -> ask();
            case 10 -> claimOnly();
            case 11 -> publishClaimed();
            case 12 -> badCalls();
            case 13 -> publishByTranslator();
            case 14 -> workers.get(random.nextInt(workers.size())).tune();
            default -> workers.forEach(Worker::run);
        }
    }

    private void end() {
        publishAllClaimed();
        for (int round = 0; round < 3; round++) {
            workers.forEach(Worker::run);
        }
        ask();
    }

    private void publishSome() {
        if (!claimed.isEmpty() && !multi) {
            publishAllClaimed();
        }
        int n = random.nextInt(1, Math.min(ring.getBufferSize(), 4) + 1);
        boolean room = ring.hasAvailableCapacity(n);
        say("room", n, room);
        if (!room) {
            return;
        }
        long last;
        try {
            last = random.nextBoolean() ? ring.next(n) : ring.tryNext(n);
        } catch (InsufficientCapacityException full) {
            say("full");
            return;
        }
        for (long sequence = last - n + 1; sequence <= last; sequence++) {
            ring.get(sequence)[0] = payload++;
        }
        if (random.nextBoolean()) {
            ring.publish(last - n + 1, last);
        } else {
            for (long sequence = last - n + 1; sequence <= last; sequence++) {
                ring.publish(sequence);
            }
        }
        say("published", n, last);
    }

    private void claimOnly() {
        if (!multi) {
            return; // a full ring of the Disruptor shows what one producer has claimed and not published
        }
        try {
            long sequence = ring.tryNext();
            ring.get(sequence)[0] = payload++;
            claimed.add(sequence);
            say("claimed", sequence);
        } catch (InsufficientCapacityException full) {
            say("full");
        }
    }

    private void publishClaimed() {
        if (!claimed.isEmpty()) {
            long sequence = claimed.remove(multi ? random.nextInt(claimed.size()) : 0);
            ring.publish(sequence);
            say("published", sequence);
        }
    }

    private void publishAllClaimed() {
        while (!claimed.isEmpty()) {
            publishClaimed();
        }
    }

    private void publishByTranslator() {
        if (!multi) {
            publishAllClaimed();
        }
        boolean fails = random.nextInt(4) == 0;
        EventTranslatorOneArg<long[], Long> translator = (event, sequence, value) -> {
            event[0] = value;
            if (fails) {
                throw new IllegalStateException();
            }
        };
        try {
            if (random.nextBoolean()) {
                say("translated", ring.tryPublishEvent(translator, payload++));
            } else {
                Long[] values = {payload++, payload++, payload++};
                int from = random.nextInt(-1, 4);
                int count = random.nextInt(0, 4);
                say("translated", from, count, ring.tryPublishEvents(translator, from, count, values));
            }
        } catch (RuntimeException e) {
            say("translator", e.getClass().getSimpleName(), ring.getCursor());
        }
    }

    private void poll() {
        int most = random.nextInt(5);
        int failsAt = random.nextInt(8);
        int[] seen = {0};
        try {
            EventPoller.PollState state = poller.poll((event, sequence, endOfBatch) -> {
                say("polled", event[0], sequence, endOfBatch);
                if (seen[0]++ == failsAt) {
                    throw new IllegalStateException();
                }
                return seen[0] < most;
            });
            say("poll", state, poller.getSequence().get());
        } catch (Exception e) {
            say("poll", e.getClass().getSimpleName(), poller.getSequence().get());
        }
    }

    private void changeGates() {
        switch (random.nextInt(5)) {
            case 0 -> {
                if (claimed.isEmpty()) {
                    Sequence gate = new Sequence(random.nextInt(100));
                    extraGates.add(gate);
                    ring.addGatingSequences(gate);
                    group.addWhileRunning(ring, gate);
                    say("gate", gate.get(), group.get(), group.size());
                }
            }
            case 1 -> {
                if (!extraGates.isEmpty()) {
                    Sequence gate = extraGates.remove(random.nextInt(extraGates.size()));
                    say(
                            "removed",
                            ring.removeGatingSequence(gate),
                            ring.removeGatingSequence(gate),
                            group.remove(gate));
                }
            }
            default -> {
                for (Sequence gate : extraGates) {
                    gate.set(poller.getSequence().get());
                }
                if (!extraGates.isEmpty()) {
                    say("gates", group.get(), extraGates.get(0).addAndGet(0));
                }
            }
        }
    }

    private void ask() {
        say(
                "ask",
                ring.getCursor(),
                ring.remainingCapacity(),
                ring.getMinimumGatingSequence(),
                ring.hasAvailableCapacity(random.nextInt(1, 20)),
                ring.isAvailable(random.nextLong(ring.getCursor() + 2)));
        workers.forEach(worker -> say(
                "worker",
                worker.index,
                worker.processor.getSequence(),
                worker.processor.isRunning(),
                worker.barrier.getCursor()));
    }

    private void badCalls() {
        List<Runnable> calls = List.of(
                () -> ring.next(0),
                () -> ring.next(ring.getBufferSize() + 1),
                () -> {
                    try {
                        ring.tryNext(0);
                    } catch (InsufficientCapacityException e) {
                        throw new IllegalStateException(e);
                    }
                },
                () -> RingBuffer.createMultiProducer(() -> "", 12),
                () -> RingBuffer.createSingleProducer(() -> "", 0),
                () -> new BatchEventProcessorBuilder()
                        .setMaxBatchSize(0)
                        .build(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> {}),
                () -> ring.addGatingSequences(new Sequence[] {null}),
                () -> workers.get(0).processor.setExceptionHandler(null));
        try {
            calls.get(random.nextInt(calls.size())).run();
            say("accepted");
        } catch (RuntimeException e) {
            say("refused", e.getClass().getSimpleName());
        }
    }

    /** What a handler throws: also what a barrier throws, at which a processor does not ask its exception handler. */
    private Exception thrown() {
        return switch (random.nextInt(8)) {
            case 0 -> AlertException.INSTANCE;
            case 1 -> TimeoutException.INSTANCE;
            case 2, 3, 4 -> new Exception();
            default -> new IllegalArgumentException();
        };
    }

    /** Gives the events, but for one that it refuses now and then. */
    private long[] event(long sequence) {
        if (sequence == refused) {
            throw new UnsupportedOperationException("refused");
        }
        return ring.get(sequence);
    }

    private void say(Object... what) {
        StringBuilder line = new StringBuilder();
        for (Object part : what) {
            line.append(part).append(' ');
        }
        log.add(line.toString().strip());
    }

    /** The wait strategy: where a processor would wait, it goes on by what the seed says. */
    private final class Feeder implements WaitStrategy {
        private Worker current;
        private int calls;

        @Override
        public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                throws AlertException, InterruptedException, TimeoutException {
            if (++calls > 40) {
                current.processor.halt();
            }
            barrier.checkAlert();
            if (dependent.get() >= sequence && calls % 8 != 0) {
                return dependent.get();
            }
            say("waits", current.index, sequence, cursor.get(), dependent.get());
            switch (random.nextInt(6)) {
                case 0 -> publishSome();
                case 1 -> throw TimeoutException.INSTANCE;
                case 2 -> {
                    if (random.nextInt(4) == 0) {
                        barrier.alert();
                        say("alerted", barrier.isAlerted());
                        barrier.clearAlert();
                    }
                }
                default -> current.processor.halt();
            }
            barrier.checkAlert();
            return dependent.get();
        }

        @Override
        public void signalAllWhenBlocking() {
            say("signal");
        }

        @Override
        public String toString() {
            return "feeder";
        }
    }

    private final class Worker implements ExceptionHandler<long[]> {
        private final int index;
        private final SequenceBarrier barrier;
        private final BatchEventProcessor<long[]> processor;
        private final boolean rewindable;
        private Sequence callback;
        private int failEvery = 7;

        Worker(int index) {
            this.index = index;
            List<Sequence> followed = new ArrayList<>();
            for (Worker other : workers) {
                if (random.nextInt(3) == 0) {
                    followed.add(other.processor.getSequence());
                }
            }
            barrier = ring.newBarrier(followed.toArray(new Sequence[0]));
            rewindable = random.nextInt(3) == 0;
            BatchEventProcessorBuilder builder = new BatchEventProcessorBuilder();
            if (random.nextBoolean()) {
                builder.setMaxBatchSize(random.nextInt(1, 6));
            }
            processor = rewindable
                    ? builder.build(SteppedProgram.this::event, barrier, new Rewinding(), strategy())
                    : builder.build(SteppedProgram.this::event, barrier, new Plain());
            processor.setExceptionHandler(this);
            say("worker", index, followed.size(), rewindable, callback != null);
        }

        private BatchRewindStrategy strategy() {
            BatchRewindStrategy strategy = random.nextBoolean()
                    ? new EventuallyGiveUpBatchRewindStrategy(random.nextInt(1, 4))
                    : new SimpleBatchRewindStrategy();
            return (exception, attempts) -> {
                RewindAction action = strategy.handleRewindException(exception, attempts);
                say("rewind", index, attempts, action);
                return action;
            };
        }

        void tune() {
            failEvery = random.nextInt(2, 12);
            refused = ring.getCursor() + random.nextInt(-2, 6);
            if (random.nextBoolean()) {
                processor.setExceptionHandler(this);
            }
        }

        void run() {
            feeder.current = this;
            feeder.calls = 0;
            try {
                processor.run();
                say("ran", index, processor.getSequence().get(), processor.isRunning());
            } catch (RuntimeException e) {
                say(
                        "died",
                        index,
                        e.getClass().getSimpleName(),
                        processor.getSequence().get(),
                        processor.isRunning());
            }
        }

        void started() {
            say("onStart", index, processor.isRunning());
            if (random.nextInt(6) == 0) {
                throw new IllegalStateException();
            }
            int what = random.nextInt(12);
            try {
                if (what == 0) {
                    processor.halt();
                } else if (what == 1) {
                    processor.run();
                }
            } catch (IllegalStateException running) {
                say("runs already");
            }
        }

        void ended() {
            say("onShutdown", index, processor.isRunning());
            if (random.nextInt(6) == 0) {
                throw new IllegalStateException();
            }
        }

        void batch(long size, long depth) {
            say("onBatchStart", index, size, depth);
        }

        void timeout(long sequence) {
            say("onTimeout", index, sequence);
            if (random.nextInt(4) == 0) {
                throw new IllegalStateException();
            }
        }

        void event(long[] event, long sequence, boolean endOfBatch) throws Exception {
            say(
                    "onEvent",
                    index,
                    event[0],
                    sequence,
                    endOfBatch,
                    processor.getSequence().get());
            if (callback != null && random.nextInt(5) == 0) {
                callback.set(sequence);
            }
            if (random.nextInt(20) == 0) {
                processor.halt();
            }
            if (random.nextInt(failEvery) == 0) {
                throw thrown();
            }
        }

        @Override
        public void handleEventException(Throwable ex, long sequence, long[] event) {
            boolean given = event != null && sequence != refused; // else the Disruptor tells the event before
            say("failed", index, ex.getClass().getSimpleName(), sequence, given ? event[0] : "none");
            if (random.nextInt(5) == 0) {
                throw new IllegalStateException();
            }
        }

        @Override
        public void handleOnStartException(Throwable ex) {
            say("start failed", index, ex.getClass().getSimpleName());
        }

        @Override
        public void handleOnShutdownException(Throwable ex) {
            say("shutdown failed", index, ex.getClass().getSimpleName());
        }

        private final class Plain implements EventHandler<long[]> {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                event(event, sequence, endOfBatch);
            }

            @Override
            public void setSequenceCallback(Sequence sequenceCallback) {
                callback = sequenceCallback;
            }

            @Override
            public void onBatchStart(long batchSize, long queueDepth) {
                batch(batchSize, queueDepth);
            }

            @Override
            public void onStart() {
                started();
            }

            @Override
            public void onShutdown() {
                ended();
            }

            @Override
            public void onTimeout(long sequence) {
                timeout(sequence);
            }
        }

        private final class Rewinding implements RewindableEventHandler<long[]> {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws RewindableException, Exception {
                event(event, sequence, endOfBatch);
                if (random.nextInt(6) == 0) {
                    say("rewinds", index, sequence);
                    throw new RewindableException(null);
                }
            }

            @Override
            public void onBatchStart(long batchSize, long queueDepth) {
                batch(batchSize, queueDepth);
            }

            @Override
            public void onStart() {
                started();
            }

            @Override
            public void onShutdown() {
                ended();
            }

            @Override
            public void onTimeout(long sequence) {
                timeout(sequence);
            }
        }
    }
}
