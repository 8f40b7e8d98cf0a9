package io.sluice.examples.remote;

import io.aeron.driver.ThreadingMode;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronNakTransport;
import io.sluice.aeron.AeronSender;
import io.sluice.aeron.SendResult;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.SilentReceiverHandler;
import io.sluice.backpressure.nak.SlowReceiverHandler;
import io.sluice.backpressure.rate.PacedPublisher;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.cli.Interruption;
import io.sluice.core.RunnerAgent;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The source: reads a feed, publishes it into a ring, and sends it by Aeron to two subscribers, each in a process of its own. All on the
 * calling thread, but for the media driver's own.
 *
 * <pre>
 *   feed --&gt; PacedPublisher --&gt; ring --&gt; AeronSender ==UDP==&gt; fast subscriber
 *                 ^ rate                            ==UDP==&gt; slow subscriber
 *            NakController &lt;=====NAKs, by UDP=================+
 * </pre>
 */
public final class RemoteMarket implements AutoCloseable {
    /** How long the slow subscriber needs for a message at least. */
    public static final long SLOW_NANOS = 20_000;

    private static final int CAPACITY = 1_024;
    private static final int BATCH = 16;

    /** How long the slow one has to govern the rate, so that it is named. */
    private static final long NAMED_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long a subscriber may say nothing: longer than a busy machine lets a process wait. */
    private static final long SILENT_AFTER_NANOS = 10 * RemoteSubscriber.SIGN_NANOS;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final FeedReader reader;
    private final Interruption interruption;
    private final Consumer<String> notices;
    private final Ledger ledger = new Ledger();
    private final Update[] pool = new Update[BATCH + 1];
    private final RingBuffer<Update> ring = RingBufferBuilder.of(Update::new)
            .name("market")
            .capacity(CAPACITY)
            .singleProducer()
            .build();
    private final Producer<Update> producer = ring.producer();
    private final IdleStrategy idle = new BackoffIdleStrategy(10, 10, 1_000, 50_000);
    private final RateLimiter limiter = RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 2 * BATCH);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Set<Long> named = new TreeSet<>();
    private final Set<Long> silent = new TreeSet<>();
    private final List<SubscriberProcess> subscribers = new ArrayList<>();
    private final String data;
    private final AeronLink link;
    private final AeronSender<Update> sender;
    private final RunnerAgent sending;
    private final AeronNakTransport naks;
    private final NakController controller;
    private final PacedPublisher<Update> publisher;
    private double lowest = Double.POSITIVE_INFINITY;
    private long moved;
    private long movedAt = System.nanoTime();

    /** The run was asked to end, or cannot go on. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stopped(String why) {
            super(why);
        }
    }

    /**
     * Starts driver and subscribers.
     *
     * @param reader the input, at its first message; closed by the caller
     * @param slowNanos how long the slow subscriber needs for a message at least
     * @param interruption ends the run early
     * @param notices told at once, by the thread that runs it: when both subscribers are there, which one is silent, and
     *     which one is back
     * @throws IOException if there is no port, or a process cannot be started
     */
    public RemoteMarket(FeedReader reader, long slowNanos, Interruption interruption, Consumer<String> notices)
            throws IOException {
        this.reader = reader;
        this.interruption = interruption;
        this.notices = notices;
        for (int i = 0; i < pool.length; i++) {
            pool[i] = new Update();
        }
        String control = "127.0.0.1:" + freePort();
        String naksTo = "aeron:udp?endpoint=127.0.0.1:" + freePort();
        // the slowest holds the others, and nothing is sent before both are there
        data = "aeron:udp?control-mode=dynamic|control=" + control + "|fc=min,g:/2,t:30s|term-length=1m";
        link = AeronLink.embedded(this::failed).threads(ThreadingMode.SHARED).start();
        sender = AeronSender.builder(link, data, RemoteSubscriber.DATA, new Wire())
                .build();
        naks = AeronNakTransport.atSender(link, naksTo, RemoteSubscriber.NAKS, RemoteSubscriber.STREAM, sender);
        controller = NakController.builder(naks, limiter, sender::position, SystemNanoClock.INSTANCE)
                .refreshNanos(RemoteSubscriber.REFRESH_NANOS)
                .onSlowReceiver(NAMED_AFTER_NANOS, (receiver, rate, nanos) -> {
                    named.add(receiver);
                    return SlowReceiverHandler.Decision.KEEP;
                })
                .onSilentReceiver(SILENT_AFTER_NANOS, new Teller())
                .build();
        publisher = new PacedPublisher<Update>(limiter, BATCH, idle, this::publishAll);
        Pipeline<Update> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(pipeline.batchConsumer("aeron", sender));
        sending = pipeline.startInvoked();
        String from = "aeron:udp?control-mode=dynamic|control=" + control + "|endpoint=127.0.0.1:0";
        try {
            subscribers.add(new SubscriberProcess(1, "fast", from, naksTo, 0));
            subscribers.add(new SubscriberProcess(2, "slow", from, naksTo, slowNanos));
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Tells of subscribers that are stopped, dead or out of reach, and of those that go on. */
    private final class Teller implements SilentReceiverHandler {
        @Override
        public void onSilent(long receiver, long position, long nanos) {
            silent.add(receiver);
            tell(receiver, "is silent for", nanos);
        }

        @Override
        public void onReturn(long receiver, long position, long nanos) {
            tell(receiver, "is back after", nanos);
        }

        private void tell(long receiver, String what, long nanos) {
            for (SubscriberProcess one : subscribers) {
                if (one.id() == receiver) {
                    notices.accept(String.format(
                            Locale.ROOT,
                            "the %s subscriber, process %d, %s %.1f s",
                            one.label(),
                            one.pid(),
                            what,
                            nanos / 1e9));
                }
            }
        }
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return socket.getLocalPort();
        }
    }

    private void failed(Throwable t) {
        failure.compareAndSet(null, t);
    }

    /**
     * Sends the whole feed, and waits for both subscribers.
     *
     * @return what came of it
     * @throws FeedFault if the input is damaged
     */
    public RemoteResult run() throws FeedFault {
        long startNanos = System.nanoTime();
        String stopped = "";
        try {
            await(sender::open); // else nobody could hear it
            await(() -> subscribers.stream().allMatch(SubscriberProcess::isReady)
                    && controller.watchedReceivers() == subscribers.size());
            notices.accept("both subscribers are there, processes "
                    + subscribers.get(0).pid() + " and " + subscribers.get(1).pid());
            startNanos = System.nanoTime();
            publishFeed();
            await(publisher::tryFlush);
            await(() -> producer.tryPublishEvent((update, sequence) -> update.end()) >= 0);
            await(() -> subscribers.stream().allMatch(one -> one.result() != null));
        } catch (Stopped e) {
            stopped = String.valueOf(e.getMessage());
        }
        long nanos = System.nanoTime() - startNanos;
        List<RemoteResult.Heard> heard = new ArrayList<>();
        for (SubscriberProcess one : subscribers) {
            heard.add(new RemoteResult.Heard(one.id(), one.label(), one.pid(), one.result()));
        }
        return new RemoteResult(
                data,
                ledger.result(),
                nanos,
                sender.count(SendResult.SENT),
                sender.count(SendResult.BACK_PRESSURED),
                controller.receivedNaks(),
                controller.engagements(),
                lowest,
                named,
                silent,
                heard,
                stopped,
                interruption.requested());
    }

    private void publishFeed() throws FeedFault {
        for (long taken = 0; reader.next(); taken++) {
            Update update = pool[(int) (taken % pool.length)]; // as many as may be collected, and this one
            reader.copyTo(update.market);
            update.name = ledger.isNew(update.market) ? reader.instrumentName(update.market.instrument()) : "";
            await(() -> publisher.tryPublish(update));
            ledger.on(update);
            if (taken % BATCH == 0) {
                work();
            }
        }
    }

    private void publishAll(List<? extends Update> batch) {
        for (int i = 0; i < batch.size(); i++) {
            Update update = batch.get(i);
            await(() -> producer.tryPublishEvent((slot, sequence, from) -> slot.copyFrom(from), update) >= 0);
        }
    }

    /** Does all work of this thread until something holds. */
    private void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            idle.idle(work());
        }
    }

    private int work() {
        int work;
        try {
            work = link.doWork() + sending.doWork();
        } catch (Exception e) {
            throw new Stopped("the source failed: " + e);
        }
        if (sender.position() != moved) {
            moved = sender.position();
            movedAt = System.nanoTime();
        }
        int heard = controller.doWork();
        double rate = limiter.rate();
        lowest = rate > 0 ? Math.min(lowest, rate) : lowest;
        checkThatItGoesOn();
        return work + heard;
    }

    private void checkThatItGoesOn() {
        if (interruption.requested() || Thread.currentThread().isInterrupted()) {
            throw new Stopped("asked to end");
        }
        Throwable thrown = ring.failure() == null ? failure.get() : ring.failure();
        if (thrown != null) {
            throw new Stopped("the source failed: " + thrown);
        }
        for (SubscriberProcess one : subscribers) {
            one.listen();
            if (one.isLost()) {
                throw new Stopped("the " + one.label() + " subscriber ended without a result");
            }
        }
        if (System.nanoTime() - movedAt > PATIENCE_NANOS) {
            throw new Stopped("nothing was sent for " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
        }
    }

    /** Ends the fast subscriber as by a crash. For tests; any thread. */
    void killFirst() {
        subscribers.get(0).close();
    }

    /** The process of the fast subscriber. For tests, which stop it; any thread. */
    long firstPid() {
        return subscribers.get(0).pid();
    }

    /** Ends the subscribers and the driver. */
    @Override
    public void close() {
        subscribers.forEach(SubscriberProcess::close);
        ring.close();
        naks.close();
        sender.close();
        link.close();
    }
}
