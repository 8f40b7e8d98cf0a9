package io.sluice.examples.demo;

import io.sluice.backpressure.nak.UdpNakTransport;
import io.sluice.batching.BatchStatistics;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.batching.DatagramSink;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/**
 * The way from the last stage to a subscriber, by UDP over loopback: a smart-batched publisher, the subscriber, and the way
 * back of its NAKs. Made, finished and closed by the thread of the run.
 */
final class MarketLink implements AutoCloseable {
    private static final int NAK_BUFFER = 1 << 16;

    private final DatagramChannel out;
    private final BatchStatistics statistics = new BatchStatistics();
    private final BatchingHandler<MarketEvent> publisher;
    private final @Nullable UdpNakTransport naksOut;
    private final @Nullable UdpNakTransport naksIn;
    private final Subscriber subscriber;

    /**
     * Opens the sockets and starts the subscriber.
     *
     * @param truth the input at its first message, for the subscriber alone; closed by the caller
     * @param nanosEach how long the subscriber needs for a message at least; 0 for as little as it can
     * @param naks whether the subscriber says so when it cannot keep up
     * @throws IOException if a socket cannot be opened
     */
    MarketLink(FeedReader truth, long nanosEach, boolean naks) throws IOException {
        this(truth, nanosEach, naks, Subscriber.RECEIVE_BUFFER);
    }

    /** Opens the sockets, the subscriber's with a receive buffer of so many bytes, and starts the subscriber. */
    MarketLink(FeedReader truth, long nanosEach, boolean naks, int receiveBuffer) throws IOException {
        DatagramChannel in = null;
        DatagramChannel opened = null;
        UdpNakTransport heard = null;
        UdpNakTransport said = null;
        boolean done = false;
        try {
            in = channel();
            opened = channel();
            // Connected to each other: no other program's datagrams get in.
            in.connect(opened.getLocalAddress());
            opened.connect(in.getLocalAddress());
            if (naks) {
                InetSocketAddress nowhere = (InetSocketAddress) in.getLocalAddress(); // the feed's side only listens
                heard = UdpNakTransport.unicast(loopback(), nowhere, Subscriber.STREAM, NAK_BUFFER);
                said = UdpNakTransport.unicast(loopback(), heard.localAddress(), Subscriber.STREAM, NAK_BUFFER);
            }
            out = opened;
            naksIn = heard;
            naksOut = said;
            Datagram datagram = new Datagram();
            publisher = new BatchingHandler<>(
                    Datagram::encode,
                    new DatagramSink(out),
                    BatchingConfig.defaults()
                            .bufferSize(Datagram.LENGTH)
                            .header(Datagram.HEADER, datagram::encodeHeader)
                            .statistics(statistics));
            subscriber = new Subscriber(in, truth, nanosEach, naksOut, receiveBuffer).start();
            done = true;
        } finally {
            if (!done) {
                closeAll(in, opened, heard, said);
            }
        }
    }

    /** The stage that publishes. */
    BatchingHandler<MarketEvent> publisher() {
        return publisher;
    }

    /** Takes the times of messages on their way to the subscriber. */
    ArrivalClock arrivals() {
        return subscriber.arrivals();
    }

    /** Where NAKs come in, or null if nobody says any. */
    @Nullable
    UdpNakTransport naks() {
        return naksIn;
    }

    /** Waits for the subscriber, after everything has been sent. */
    LinkResult finish(LinkResult.@Nullable Pace pace) throws IOException {
        BatchStatistics.Snapshot sent = statistics.snapshot();
        return new LinkResult(sent, subscriber.finish(sent.messages()), pace);
    }

    @Override
    public void close() throws IOException {
        try {
            subscriber.close();
        } finally {
            closeAll(out, naksIn, naksOut);
        }
    }

    private static DatagramChannel channel() throws IOException {
        DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
        try {
            return channel.bind(loopback());
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static InetSocketAddress loopback() throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
    }

    private static void closeAll(@Nullable AutoCloseable... all) throws IOException {
        IOException failure = null;
        for (AutoCloseable one : all) {
            try {
                if (one != null) {
                    one.close();
                }
            } catch (Exception e) {
                failure = e instanceof IOException io ? io : new IOException(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
