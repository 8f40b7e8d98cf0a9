package io.sluice.examples.remote;

import io.aeron.driver.ThreadingMode;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronNakTransport;
import io.sluice.aeron.AeronReceiver;
import io.sluice.aeron.ReceiverListener;
import io.sluice.aeron.RingSink;
import io.sluice.backpressure.nak.FillMonitor;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.examples.feed.EventKind;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A subscriber in a process of its own, with a media driver of its own. Its arguments: its id, the data's channel, the NAKs' channel, and
 * nanoseconds that it takes for a message at least. It prints {@value #READY} when it hears the source, then, behind the end mark, {@value
 * #RESULT} and its results. It ends with its standard input.
 */
final class RemoteSubscriber {
    static final String READY = "ready";
    static final String RESULT = "result";

    /** The stream of the market data. */
    static final int DATA = 10;

    /** The stream of the NAKs. */
    static final int NAKS = 11;

    /** The stream that NAKs name. */
    static final long STREAM = 1;

    static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How often it says that it lives. */
    static final long SIGN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int QUEUE = 4_096;
    private static final int BATCH = 32;

    /** The most of a delay that it makes good. */
    private static final long CATCH_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final long nanosEach;
    private final Ledger ledger = new Ledger();
    private final PollHandler<Update, RuntimeException> handler = (update, sequence, endOfBatch) -> onUpdate(update);
    private long freeNanos = System.nanoTime();
    private long bad;
    private boolean ended;

    private RemoteSubscriber(long nanosEach) {
        this.nanosEach = nanosEach;
    }

    public static void main(String[] arguments) throws Exception {
        endWithParent();
        new RemoteSubscriber(Long.parseLong(arguments[3]))
                .run(Long.parseLong(arguments[0]), arguments[1], arguments[2]);
    }

    @SuppressWarnings("SystemExitOutsideMain")
    private static void endWithParent() {
        Thread watcher = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // nothing is said to it
                        }
                    } catch (IOException e) {
                        // the parent is gone too
                    }
                    System.exit(0);
                },
                "parent");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void run(long id, String data, String naks) throws InterruptedException {
        RingBuffer<Update> ring = RingBufferBuilder.of(Update::new)
                .name("subscriber-" + id)
                .capacity(QUEUE)
                .singleProducer()
                .build();
        EventPoller<Update> poller = Pipeline.on(ring).poller("books");
        RingSink<Update> sink = RingSink.waiting(ring.producer(), new Wire());
        IdleStrategy idle = new BackoffIdleStrategy(10, 10, 1_000, 100_000);
        boolean told = false;
        try (AeronLink link = AeronLink.embedded(Throwable::printStackTrace)
                        .threads(ThreadingMode.SHARED)
                        .start();
                AeronNakTransport transport = AeronNakTransport.atReceiver(link, naks, NAKS, STREAM)) {
            FillSource fill = sink.fillSource(ring, poller.consumer());
            FillMonitor monitor = new FillMonitor(fill, transport, SystemNanoClock.INSTANCE, STREAM, id, REFRESH_NANOS);
            try (AeronReceiver receiver = AeronReceiver.builder(link, data, DATA, sink, new Bad())
                    .monitor(monitor)
                    .lifeSigns(new LifeSigns(fill, transport, SystemNanoClock.INSTANCE, STREAM, id, SIGN_NANOS))
                    .build()) {
                while (!ended) {
                    int work = link.doWork() + receiver.doWork() + handleWhatIsDue(poller);
                    if (!told && receiver.isConnected()) {
                        told = true;
                        System.out.println(READY);
                    }
                    idle.idle(work);
                }
                Ledger.Result result = ledger.result();
                System.out.println(String.join(
                        " ",
                        RESULT,
                        Long.toString(result.messages()),
                        result.digest(),
                        result.records(),
                        Long.toString(receiver.missing() + bad),
                        Long.toString(receiver.held()),
                        Long.toString(monitor.sentNaks())));
            }
        } finally {
            ring.close();
        }
    }

    /** A subscriber that takes its time handles no more than it has had time for. */
    private int handleWhatIsDue(EventPoller<Update> poller) {
        if (nanosEach == 0) {
            return poller.poll(handler, BATCH);
        }
        long now = System.nanoTime();
        freeNanos = Math.max(freeNanos, now - CATCH_UP_NANOS);
        int due = (int) Math.min(BATCH, (now - freeNanos) / nanosEach);
        int handled = due == 0 ? 0 : poller.poll(handler, due);
        freeNanos += handled * nanosEach;
        return handled;
    }

    private void onUpdate(Update update) {
        if (update.market.kind() == EventKind.END) {
            ended = true;
        } else {
            ledger.on(update);
        }
    }

    /** Counts messages that cannot be read: the result is wrong then. */
    private final class Bad implements ReceiverListener {
        @Override
        public void onBadMessage(int sessionId, long number, Exception failure) {
            bad++;
            failure.printStackTrace();
        }
    }
}
