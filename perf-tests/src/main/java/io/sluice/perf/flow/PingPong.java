package io.sluice.perf.flow;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.perf.compare.Contestant;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * A ping over one ring and a pong over another between two threads that yield; only one of them is on its way at a time. The figure is
 * round trips a second.
 */
public final class PingPong implements Contestant {
    private static final int CAPACITY = 1_024;
    private static final long LIMIT_SECONDS = 600;

    /** Two rings, whose consumers hand each number to the two receivers. */
    private interface Table extends AutoCloseable {
        /** The sender over the ring of the pings. */
        LongConsumer ping();

        LongConsumer pong();

        @Override
        void close();
    }

    /** Makes a table. */
    @FunctionalInterface
    private interface Maker {
        Table make(Receiver echo, Receiver counter);
    }

    /** The receiver of a consumer's numbers; the consumer's thread may also send the first number. */
    private static final class Receiver {
        private final CompletableFuture<Runnable> first = new CompletableFuture<>();
        private LongConsumer answer = value -> {
            throw new IllegalStateException("the way back must be set first");
        };

        void answerBy(LongConsumer sender, Runnable begin) {
            answer = sender;
            first.complete(begin);
        }

        /** Called on the consumer's thread before all else: a ring for one producer must have one producer from the first event on. */
        void begin() {
            first.join().run();
        }

        void received(long value) {
            answer.accept(value);
        }
    }

    private final Maker maker;
    private final int trips;

    private PingPong(Maker maker, int trips) {
        this.maker = maker;
        this.trips = trips;
    }

    /**
     * Over two rings of Sluice.
     *
     * @param trips how many round trips a run has
     * @return a contestant
     */
    public static PingPong sluice(int trips) {
        return new PingPong(SluiceTable::new, trips);
    }

    /**
     * Over two of LMAX's.
     *
     * @param trips how many round trips a run has
     * @return a contestant
     */
    public static PingPong lmax(int trips) {
        return new PingPong(LmaxTable::new, trips);
    }

    /** The clock runs from the first ping to the last pong; each pong must equal the ping that was sent. */
    @Override
    public double sample(long nanos) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        long[] next = {0};
        Receiver echo = new Receiver();
        Receiver counter = new Receiver();
        try (Table table = maker.make(echo, counter)) {
            LongConsumer ping = table.ping();
            echo.answerBy(table.pong(), () -> {});
            long start = System.nanoTime();
            counter.answerBy(
                    value -> {
                        if (value != next[0]) {
                            throw new IllegalStateException("pong " + value + " must be " + next[0]);
                        }
                        if (++next[0] == trips) {
                            done.countDown();
                        } else {
                            ping.accept(next[0]);
                        }
                    },
                    () -> ping.accept(0));
            if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not all of " + trips + " pongs came in time");
            }
            return trips * 1e9 / (System.nanoTime() - start);
        }
    }

    @Override
    public int warmUps() {
        return 0;
    }

    private static final class SluiceTable implements Table {
        private final Producer<Event> ping;
        private final Producer<Event> pong;
        private final RingBuffer<Event> there;
        private final RingBuffer<Event> back;

        SluiceTable(Receiver echo, Receiver counter) {
            there = started(echo);
            back = started(counter);
            ping = there.producer();
            pong = back.producer();
        }

        private static RingBuffer<Event> started(Receiver receiver) {
            RingBuffer<Event> ring = SluiceRing.ring(
                    Event::new,
                    new SluiceRing.Setup(
                            true, CAPACITY, YieldingIdleStrategy::new, YieldingIdleStrategy::new, false, false));
            Pipeline<Event> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> receiver.received(event.value));
            pipeline.onThreadStart(name -> receiver.begin());
            pipeline.start();
            return ring;
        }

        private static void send(Producer<Event> to, long value) {
            long sequence = to.next();
            to.get(sequence).value = value;
            to.publish(sequence);
        }

        @Override
        public LongConsumer ping() {
            return value -> send(ping, value);
        }

        @Override
        public LongConsumer pong() {
            return value -> send(pong, value);
        }

        @Override
        public void close() {
            there.close();
            back.close();
        }
    }

    /** LMAX's consumer, which is told when its thread begins. */
    private record Handler(Receiver receiver) implements EventHandler<Event> {
        @Override
        public void onStart() {
            receiver.begin();
        }

        @Override
        public void onEvent(Event event, long sequence, boolean endOfBatch) {
            receiver.received(event.value);
        }
    }

    private static final class LmaxTable implements Table {
        private final Disruptor<Event> there;
        private final Disruptor<Event> back;

        LmaxTable(Receiver echo, Receiver counter) {
            there = started(echo);
            back = started(counter);
        }

        private static Disruptor<Event> started(Receiver receiver) {
            Disruptor<Event> disruptor = new Disruptor<>(
                    Event::new,
                    CAPACITY,
                    DaemonThreadFactory.INSTANCE,
                    ProducerType.SINGLE,
                    new YieldingWaitStrategy());
            disruptor.handleEventsWith(new Handler(receiver));
            disruptor.start();
            return disruptor;
        }

        private static LongConsumer over(com.lmax.disruptor.RingBuffer<Event> ring) {
            return value -> {
                long sequence = ring.next();
                ring.get(sequence).value = value;
                ring.publish(sequence);
            };
        }

        @Override
        public LongConsumer ping() {
            return over(there.getRingBuffer());
        }

        @Override
        public LongConsumer pong() {
            return over(back.getRingBuffer());
        }

        @Override
        public void close() {
            there.halt();
            back.halt();
        }
    }
}
