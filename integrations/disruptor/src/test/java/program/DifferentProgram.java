package program;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.IgnoreExceptionHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Where the answers differ from the Disruptor's: one line for each. */
public final class DifferentProgram {
    private DifferentProgram() {}

    /**
     * Runs it.
     *
     * @return the answers
     * @throws Exception if a thread does not come to its end
     */
    public static List<String> run() throws Exception {
        List<String> log = new ArrayList<>();
        log.add("default exception handler after the start: " + defaultAfterTheStart());
        givenBarrier(log);
        return log;
    }

    private static String defaultAfterTheStart() {
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        graph.handleEventsWith(handler);
        graph.start();
        try {
            ExceptionHandler<Object> ignores = new IgnoreExceptionHandler();
            graph.setDefaultExceptionHandler(ignores);
            return "done";
        } catch (IllegalStateException e) {
            return "refused";
        } finally {
            graph.halt();
        }
    }

    /** The barrier that a wait strategy is given for one of two that wait at the same one, after the other was halted. */
    private static void givenBarrier(List<String> log) throws Exception {
        AtomicReference<SequenceBarrier> given = new AtomicReference<>();
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        WaitStrategy strategy = new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                    throws InterruptedException {
                given.set(barrier);
                waits.countDown();
                goOn.await();
                return dependent.get();
            }

            @Override
            public void signalAllWhenBlocking() {}
        };
        Disruptor<long[]> graph =
                new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, strategy);
        RingBuffer<long[]> ring = graph.getRingBuffer();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        graph.handleEventsWith(handler);
        SequenceBarrier shared = graph.getBarrierFor(handler);
        BatchEventProcessor<long[]> halted = processor(ring, shared, handler);
        graph.start();
        waits.await();
        log.add("the strategy has the program's barrier: " + (given.get() == shared));
        halted.halt();
        log.add("the program's barrier is alerted by a halt: " + shared.isAlerted());
        log.add("the halt of one is heard by the other: " + given.get().isAlerted());
        log.add("who was halted before a run runs: " + halted.isRunning());
        graph.halt();
        goOn.countDown();
    }

    /** By the builder of version 4, or the constructor of version 3. */
    @SuppressWarnings("unchecked")
    private static BatchEventProcessor<long[]> processor(
            RingBuffer<long[]> ring, SequenceBarrier barrier, EventHandler<long[]> handler)
            throws ReflectiveOperationException {
        ClassLoader loader = RingBuffer.class.getClassLoader();
        Class<?> provider = loader.loadClass("com.lmax.disruptor.DataProvider");
        try {
            Class<?> builder = loader.loadClass("com.lmax.disruptor.BatchEventProcessorBuilder");
            return (BatchEventProcessor<long[]>)
                    builder.getMethod("build", provider, SequenceBarrier.class, EventHandler.class)
                            .invoke(builder.getConstructor().newInstance(), ring, barrier, handler);
        } catch (ClassNotFoundException version3) {
            return (BatchEventProcessor<long[]>) BatchEventProcessor.class
                    .getConstructor(provider, SequenceBarrier.class, EventHandler.class)
                    .newInstance(ring, barrier, handler);
        }
    }
}
