package io.sluice.perf.aeron;

import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.ConductorServiceTimeoutException;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronNakTransport;
import io.sluice.aeron.AeronReceiver;
import io.sluice.aeron.ReceiverListener;
import io.sluice.aeron.RingSink;
import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.perf.compare.StoppedProcess;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A subscriber in a process of its own, with a driver of its own. Its arguments are the channel, the channel of the signs of life, and its
 * number. It prints each 100 ms how many events it has handled and missed.
 */
final class CountingSubscriber {
    static final String COUNT = "count";
    private static final long TELL_NANOS = 100_000_000;
    private static final long SIGN_NANOS = 50_000_000;

    private CountingSubscriber() {}

    public static void main(String[] arguments) {
        StoppedProcess.endWithParent();
        RingBuffer<long[]> ring = SluiceRing.ring(() -> new long[1], SluiceRing.Setup.spinning(true, 4_096));
        EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        long[] handled = {0};
        PollHandler<long[], RuntimeException> counts = (event, sequence, endOfBatch) -> handled[0]++;
        IdleStrategy idle = new BackoffIdleStrategy(1, 1, 100_000, 1_000_000);
        RingSink<long[]> sink = RingSink.waiting(
                ring.producer(), (event, buffer, offset, length, number) -> event[0] = buffer.getLong(offset));
        try (AeronLink link = AeronLink.embedded(failure -> tell(arguments[2], failure))
                        .threads(ThreadingMode.SHARED)
                        .driver(context ->
                                context.sharedIdleStrategy(new BackoffIdleStrategy(1, 1, 100_000, 1_000_000)))
                        .start();
                AeronNakTransport signs =
                        AeronNakTransport.atReceiver(link, arguments[1], Links.SIGNS, Links.SIGNS_OF);
                AeronReceiver receiver = AeronReceiver.builder(link, arguments[0], Links.STREAM, sink, new Bad())
                        .lifeSigns(new LifeSigns(
                                sink.fillSource(ring, poller.consumer()),
                                signs,
                                SystemNanoClock.INSTANCE,
                                Links.SIGNS_OF,
                                Long.parseLong(arguments[2]),
                                SIGN_NANOS))
                        .build()) {
            long told = System.nanoTime();
            while (true) {
                int work = link.doWork() + receiver.doWork() + poller.poll(counts, Integer.MAX_VALUE);
                if (System.nanoTime() - told > TELL_NANOS && receiver.isConnected()) {
                    told = System.nanoTime();
                    System.out.println(COUNT + " " + handled[0] + " " + receiver.missing());
                }
                idle.idle(work);
            }
        }
    }

    /**
     * Prints a failure as one line, without a stack trace. A subscriber that goes on after a stop has lost its client of the driver, and
     * gets another; the two exceptions of that loss are not printed.
     */
    private static void tell(String number, Throwable failure) {
        if (!(failure instanceof ConductorServiceTimeoutException) && !(failure instanceof AgentTerminationException)) {
            System.err.println("subscriber " + number + ": " + failure);
        }
    }

    private static final class Bad implements ReceiverListener {
        @Override
        public void onBadMessage(int sessionId, long number, Exception failure) {
            failure.printStackTrace();
        }
    }
}
