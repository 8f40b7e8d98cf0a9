package io.sluice.examples.simulate;

import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.RateControl;
import java.util.ArrayList;
import java.util.List;

/** Settings of a simulation: public fields, set before {@link Simulation#run}. */
public final class SimulationSettings {
    /** A number that changes over time. */
    @FunctionalInterface
    public interface Curve {
        /**
         * The value at a time.
         *
         * @param nanos virtual time
         * @return the value
         */
        double at(long nanos);
    }

    record SenderSettings(Curve demand, double startLimit) {}

    record ReceiverSettings(long buffer, Curve service, Curve alive) {}

    /** The rate control. */
    public RateControl rateControl = RateControl.ADAPTIVE;
    /** The seed of everything random. */
    public long seed = 1;
    /** One-way data delay plus one-way NAK delay. */
    public long loopNanos = 1_000_000;
    /** Refresh time of monitors. */
    public long refreshNanos = 1_000_000;
    /** Each message parcel and NAK is delayed by up to this much more. */
    public long jitterNanos;
    /** The part of NAKs lost, 0 to 1. */
    public double nakLoss;
    /** The part of NAKs that are late by up to two refresh times, and so overtaken. */
    public double nakReorder;
    /** The part of data parcels lost on the link, 0 to 1. */
    public double dataLoss;
    /** Ticks in an epoch. */
    public int ticksPerEpoch = 64;
    /** How long. */
    public long durationNanos;
    /** Service times vary by up to this part from tick to tick, 0 to 1. */
    public double serviceNoise = 0.05;
    /** The longest back-off of receivers that overhear each other's NAKs, 0 if they do not. */
    public long backOffNanos;
    /** Whether NAKs reach the senders; without them it is the twin run that shows what they are good for. */
    public boolean naks = true;
    /**
     * How long a receiver may govern the rate before senders leave it behind, see {@link
     * NakController.Builder#onSlowReceiver}; 0 for no policy.
     */
    public long leaveBehindNanos;

    final List<SenderSettings> senders = new ArrayList<>();
    final List<ReceiverSettings> receivers = new ArrayList<>();

    /** Creates settings without senders and receivers. */
    public SimulationSettings() {}

    /**
     * Adds a sender.
     *
     * @param demand what it wants to send, messages a second
     * @param startLimit its limit at the start, 0 for none
     * @return this
     */
    public SimulationSettings sender(Curve demand, double startLimit) {
        senders.add(new SenderSettings(demand, startLimit));
        return this;
    }

    /**
     * Adds a receiver.
     *
     * @param buffer messages it can hold
     * @param service messages a second that it handles
     * @return this
     */
    public SimulationSettings receiver(long buffer, Curve service) {
        return receiver(buffer, service, nanos -> 1);
    }

    /**
     * Adds a receiver.
     *
     * @param buffer messages it can hold
     * @param service messages a second that it handles
     * @param alive 1 while it is there, 0 while it is frozen, its NAK side too, below 0 when it has gone for good
     * @return this
     */
    public SimulationSettings receiver(long buffer, Curve service, Curve alive) {
        receivers.add(new ReceiverSettings(buffer, service, alive));
        return this;
    }

    /**
     * The unit of a rate control's time.
     *
     * @return nanoseconds: the loop delay or the refresh time, whichever is longer
     */
    public long epochNanos() {
        return Math.max(loopNanos, refreshNanos);
    }

    /**
     * One step of the virtual time.
     *
     * @return nanoseconds
     */
    public long tickNanos() {
        long tick = epochNanos() / ticksPerEpoch;
        return Math.max(1, loopNanos > 0 ? Math.min(tick, Math.max(loopNanos / 4, 1_000)) : tick);
    }
}
