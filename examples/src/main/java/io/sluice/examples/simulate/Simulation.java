package io.sluice.examples.simulate;

import io.sluice.backpressure.nak.FillMonitor;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.Nak;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.NakSuppression;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.backpressure.nak.SlowReceiverHandler;
import io.sluice.backpressure.rate.RateLimiter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Senders, links and receivers in virtual time. The parts under test are the shipped ones: {@link NakController},
 * {@link RateLimiter}, {@link FillMonitor} and the {@link Nak} codec; clock, links, queues and service are simulated.
 *
 * <p>Time goes on in ticks. In each one, in this order: arrived parcels are put into queues or delivered to controllers; receivers
 * handle messages, and their monitors look; controllers work; senders send. A loop therefore takes up to two ticks longer than its
 * delay. Everything depends on the settings and the seed alone; the trace hash says so.
 *
 * <p>Called by: one thread.
 */
public final class Simulation {
    private static final double NANOS = 1e9;

    private final SimulationSettings settings;
    private final SplittableRandom random;
    private final long tick;
    private final Sender[] senders;
    private final Receiver[] receivers;
    private final PriorityQueue<Parcel> network =
            new PriorityQueue<>((a, b) -> a.due != b.due ? Long.compare(a.due, b.due) : Long.compare(a.order, b.order));
    private final Trace trace;
    private long now;
    private long orders;

    private Simulation(SimulationSettings settings) {
        this.settings = settings;
        random = new SplittableRandom(settings.seed);
        tick = settings.tickNanos();
        senders = new Sender[settings.senders.size()];
        receivers = new Receiver[settings.receivers.size()];
        for (int i = 0; i < senders.length; i++) {
            senders[i] = new Sender(i, settings.senders.get(i));
        }
        for (int i = 0; i < receivers.length; i++) {
            receivers[i] = new Receiver(i, settings.receivers.get(i));
        }
        trace = new Trace(settings, senders.length, receivers.length);
    }

    /**
     * Runs a simulation to its end.
     *
     * @param settings what to simulate
     * @return what happened
     */
    public static Trace run(SimulationSettings settings) {
        return new Simulation(settings).run();
    }

    private Trace run() {
        for (; now < settings.durationNanos; now += tick) {
            while (true) {
                Parcel parcel = network.peek();
                if (parcel == null || parcel.due > now) {
                    break;
                }
                network.poll();
                parcel.arrive();
            }
            for (Receiver receiver : receivers) {
                receiver.work();
            }
            for (Sender sender : senders) {
                sender.work();
            }
            sample();
        }
        return trace;
    }

    private void sample() {
        for (Sender sender : senders) {
            trace.sender(
                    sender.index,
                    sender.controller.rate(),
                    sender.sentNow * NANOS / tick,
                    sender.controller.engagements(),
                    sender.controller.releases(),
                    sender.controller.receivedNaks());
        }
        for (Receiver receiver : receivers) {
            trace.receiver(
                    receiver.index,
                    receiver.fill,
                    receiver.settings.buffer(),
                    receiver.dropped,
                    receiver.naksSent(),
                    receiver.handledNow,
                    receiver.couldNow);
        }
        trace.endTick(now);
    }

    private long delay(long oneWay) {
        return oneWay + (settings.jitterNanos == 0 ? 0 : random.nextLong(settings.jitterNanos + 1));
    }

    /* Something on a link. */
    private abstract class Parcel {
        final long due;
        final long order = orders++;

        Parcel(long due) {
            this.due = due;
        }

        abstract void arrive();
    }

    private final class Data extends Parcel {
        final Receiver receiver;
        final int sender;
        final long from;
        final long count;

        Data(long due, Receiver receiver, int sender, long from, long count) {
            super(due);
            this.receiver = receiver;
            this.sender = sender;
            this.from = from;
            this.count = count;
        }

        @Override
        void arrive() {
            receiver.take(sender, from + count, count);
        }
    }

    private final class NakPacket extends Parcel {
        final Sender sender;
        final ByteBuffer bytes;

        NakPacket(long due, Sender sender, ByteBuffer bytes) {
            super(due);
            this.sender = sender;
            this.bytes = bytes;
        }

        @Override
        void arrive() {
            sender.inbox.add(bytes);
            if (settings.backOffNanos > 0) {
                for (Receiver receiver : receivers) {
                    receiver.overhear(sender.index, bytes);
                }
            }
        }
    }

    /* The echo that a sender sends back to all receivers. */
    private final class Echo extends Parcel {
        final int sender;
        final ByteBuffer bytes;

        Echo(long due, int sender, ByteBuffer bytes) {
            super(due);
            this.sender = sender;
            this.bytes = bytes;
        }

        @Override
        void arrive() {
            for (Receiver receiver : receivers) {
                receiver.overhear(sender, bytes);
            }
        }
    }

    private final class Sender implements NakTransport {
        final int index;
        final SimulationSettings.SenderSettings settings;
        final RateLimiter limiter;
        final NakController controller;
        final ArrayDeque<ByteBuffer> inbox = new ArrayDeque<>();
        final Nak nak = new Nak();
        long sent;
        long sentNow;
        double credit;

        Sender(int index, SimulationSettings.SenderSettings settings) {
            this.index = index;
            this.settings = settings;
            limiter = RateLimiter.singleWriter(() -> now, 1 << 22);
            NakController.Builder builder = NakController.builder(this, limiter, () -> sent, () -> now)
                    .rateControl(Simulation.this.settings.rateControl)
                    .refreshNanos(Math.max(1_000, Simulation.this.settings.refreshNanos));
            if (Simulation.this.settings.leaveBehindNanos > 0) {
                builder.onSlowReceiver(Simulation.this.settings.leaveBehindNanos, (receiver, rate, nanos) -> {
                    trace.slowReceiver(receiver, now);
                    return SlowReceiverHandler.Decision.LEAVE_BEHIND;
                });
            }
            controller = builder.build();
            if (settings.startLimit() > 0) {
                controller.startLimited(settings.startLimit());
            }
        }

        void work() {
            controller.doWork();
            credit += settings.demand().at(now) * tick / NANOS;
            long want = (long) credit;
            credit -= want; // what is not sent now is not asked for again: the source was slowed down
            sentNow = 0;
            int most = limiter.maxAcquire();
            double rate = limiter.rate();
            if (rate < Double.POSITIVE_INFINITY) {
                // No catching up after an idle tick: as many as a tick earns, and one message.
                most = (int) Math.min(most, 1 + (long) (1.5 * rate * tick / NANOS));
            }
            long allowed = rate == Double.POSITIVE_INFINITY ? want : Math.min(want, most);
            while (allowed > 0) {
                int n = (int) Math.min(allowed, limiter.maxAcquire());
                while (n > 0 && !limiter.tryAcquire(n)) {
                    n /= 2;
                }
                if (n == 0) {
                    break;
                }
                sentNow += n;
                allowed -= n;
            }
            if (sentNow > 0) {
                for (Receiver receiver : receivers) {
                    if (Simulation.this.settings.dataLoss > 0
                            && random.nextDouble() < Simulation.this.settings.dataLoss) {
                        continue;
                    }
                    network.add(new Data(
                            now + delay(Simulation.this.settings.loopNanos / 2), receiver, index, sent, sentNow));
                }
                sent += sentNow;
            }
        }

        @Override
        public boolean isGroup() {
            return Simulation.this.settings.backOffNanos > 0;
        }

        @Override
        public boolean send(Nak nak) {
            ByteBuffer bytes = ByteBuffer.allocate(Nak.LENGTH);
            nak.encode(bytes, 0);
            network.add(new Echo(now + delay(Simulation.this.settings.loopNanos / 2), index, bytes));
            return true;
        }

        @Override
        public int receive(NakHandler handler, int limit) {
            int n = 0;
            for (; n < limit && !inbox.isEmpty(); n++) {
                ByteBuffer packet = inbox.remove();
                if (nak.decode(packet, 0, packet.limit(), index) == Nak.DecodeResult.ACCEPTED) {
                    handler.onNak(nak);
                }
            }
            return n;
        }
    }

    private final class Receiver {
        final int index;
        final SimulationSettings.ReceiverSettings settings;
        final FillMonitor[] monitors;
        final NakSuppression[] suppressions;
        final Uplink[] uplinks;
        final long[] newest;
        long fill;
        long consumed;
        long dropped;
        long handledNow;
        double couldNow;
        double credit;
        boolean frozen;

        Receiver(int index, SimulationSettings.ReceiverSettings settings) {
            this.index = index;
            this.settings = settings;
            newest = new long[senders.length];
            monitors = new FillMonitor[senders.length];
            suppressions = new NakSuppression[settings().backOffNanos > 0 ? senders.length : 0];
            uplinks = new Uplink[senders.length];
            for (int s = 0; s < monitors.length; s++) {
                uplinks[s] = new Uplink(s);
                if (suppressions.length > 0) {
                    suppressions[s] = new NakSuppression(
                            uplinks[s],
                            () -> now,
                            index + 1,
                            Simulation.this.receivers.length,
                            settings().backOffNanos,
                            random.nextLong());
                }
                monitors[s] = new FillMonitor(
                        new Source(s),
                        suppressions.length > 0 ? suppressions[s] : uplinks[s],
                        () -> now,
                        s,
                        index + 1,
                        settings().refreshNanos);
                monitors[s].senders(senders.length);
            }
        }

        void take(int sender, long position, long count) {
            double alive = settings.alive().at(now);
            if (alive < 0) {
                return;
            }
            newest[sender] = Math.max(newest[sender], position);
            long room = settings.buffer() - fill;
            long in = Math.min(count, room);
            fill += in;
            dropped += count - in;
            if (in > 0 || count > in) {
                poll();
            }
        }

        void work() {
            double alive = settings.alive().at(now);
            frozen = alive <= 0;
            handledNow = 0;
            couldNow = 0;
            if (frozen) {
                return;
            }
            double noise = Simulation.this.settings.serviceNoise;
            couldNow = settings.service().at(now) * tick / NANOS * (1 + noise * (2 * random.nextDouble() - 1));
            credit += couldNow;
            handledNow = Math.min(fill, (long) credit);
            credit = fill == handledNow ? Math.min(1, credit - handledNow) : credit - handledNow;
            fill -= handledNow;
            consumed += handledNow;
            poll();
        }

        void poll() {
            if (frozen) {
                return;
            }
            for (FillMonitor monitor : monitors) {
                monitor.poll();
            }
            for (int s = 0; s < suppressions.length; s++) {
                suppressions[s].poll();
            }
        }

        private SimulationSettings settings() {
            return Simulation.this.settings;
        }

        void overhear(int sender, ByteBuffer bytes) {
            Nak nak = new Nak();
            if (nak.decode(bytes, 0, bytes.limit(), sender) == Nak.DecodeResult.ACCEPTED) {
                uplinks[sender].heard = nak;
                suppressions[sender].receive(handled -> {}, 1);
            }
        }

        long naksSent() {
            long sum = 0;
            for (FillMonitor monitor : monitors) {
                sum += monitor.sentNaks();
            }
            return sum;
        }

        private final class Source implements FillSource {
            private final int sender;

            Source(int sender) {
                this.sender = sender;
            }

            @Override
            public long capacity() {
                return settings.buffer();
            }

            @Override
            public long fill() {
                return fill;
            }

            @Override
            public long consumedPosition() {
                return consumed;
            }

            @Override
            public long newestPosition() {
                return newest[sender];
            }
        }

        private final class Uplink implements NakTransport {
            private final int sender;
            private @Nullable Nak heard;

            Uplink(int sender) {
                this.sender = sender;
            }

            @Override
            public boolean send(Nak nak) {
                trace.nak(now, index, sender, nak.level());
                SimulationSettings all = Simulation.this.settings;
                if (!all.naks || (all.nakLoss > 0 && random.nextDouble() < all.nakLoss)) {
                    return true;
                }
                long late = all.nakReorder > 0 && random.nextDouble() < all.nakReorder
                        ? random.nextLong(2 * all.refreshNanos)
                        : 0;
                ByteBuffer bytes = ByteBuffer.allocate(Nak.LENGTH);
                nak.encode(bytes, 0);
                network.add(
                        new NakPacket(now + delay(all.loopNanos - all.loopNanos / 2) + late, senders[sender], bytes));
                return true;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                if (heard == null) {
                    return 0;
                }
                Nak other = heard;
                heard = null;
                handler.onNak(other);
                return 1;
            }
        }
    }
}
