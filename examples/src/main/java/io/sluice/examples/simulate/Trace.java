package io.sluice.examples.simulate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The record of a simulation: a row a tick, the NAKs, and a hash of it all. Times are in ticks
 * times the tick length. Called by: one thread.
 */
public final class Trace {
    private static final long FNV_PRIME = 0x100000001b3L;

    private final long tickNanos;
    private final int senderCount;
    private final int receiverCount;
    private final double[][] limit;
    private final double[][] sending;
    private final double[][] fill;
    private final double[][] handled;
    private final double[][] could;
    private final long[][] dropped;
    private final List<SentNak> naks = new ArrayList<>();
    private final List<Slow> slow = new ArrayList<>();
    private final long[] engagements;
    private final long[] releases;
    private int ticks;
    private long hash = 0xcbf29ce484222325L;

    /**
     * A NAK that was sent.
     *
     * @param nanos when
     * @param receiver by whom, from 0
     * @param sender to whom, from 0
     * @param level percent
     */
    public record SentNak(long nanos, int receiver, int sender, int level) {}

    /**
     * A receiver that was reported as slow.
     *
     * @param receiver its id, from 1
     * @param nanos when
     */
    public record Slow(long receiver, long nanos) {}

    Trace(SimulationSettings settings, int senders, int receivers) {
        tickNanos = settings.tickNanos();
        senderCount = senders;
        receiverCount = receivers;
        int rows = (int) (settings.durationNanos / tickNanos + 1);
        limit = new double[senders][rows];
        sending = new double[senders][rows];
        fill = new double[receivers][rows];
        handled = new double[receivers][rows];
        could = new double[receivers][rows];
        dropped = new long[receivers][rows];
        engagements = new long[senders];
        releases = new long[senders];
    }

    void sender(int sender, double rate, double sent, long engaged, long released, long heard) {
        limit[sender][ticks] = rate;
        sending[sender][ticks] = sent;
        engagements[sender] = engaged;
        releases[sender] = released;
        mix(Double.doubleToLongBits(rate));
        mix(Double.doubleToLongBits(sent));
        mix(heard);
    }

    void receiver(int receiver, long messages, long buffer, long drops, long nakCount, long done, double possible) {
        fill[receiver][ticks] = (double) messages / buffer;
        handled[receiver][ticks] = done;
        could[receiver][ticks] = possible;
        dropped[receiver][ticks] = drops;
        mix(messages);
        mix(drops);
        mix(nakCount);
    }

    void endTick(long now) {
        ticks++;
        mix(now);
    }

    void nak(long nanos, int receiver, int sender, int level) {
        naks.add(new SentNak(nanos, receiver, sender, level));
    }

    void slowReceiver(long receiver, long nanos) {
        slow.add(new Slow(receiver, nanos));
    }

    private void mix(long value) {
        long rest = value;
        for (int i = 0; i < 8; i++) {
            hash = (hash ^ (rest & 0xff)) * FNV_PRIME;
            rest >>>= 8;
        }
    }

    /**
     * The hash of every tick (FNV-1a, 64 bits).
     *
     * @return the same for the same settings and seed
     */
    public long hash() {
        return hash;
    }

    /**
     * The length of a tick.
     *
     * @return nanoseconds
     */
    public long tickNanos() {
        return tickNanos;
    }

    /**
     * How many ticks there were.
     *
     * @return ticks
     */
    public int ticks() {
        return ticks;
    }

    /**
     * How many senders there were.
     *
     * @return senders
     */
    public int senders() {
        return senderCount;
    }

    /**
     * How many receivers there were.
     *
     * @return receivers
     */
    public int receivers() {
        return receiverCount;
    }

    /**
     * A sender's limit.
     *
     * @param sender from 0
     * @param tick which
     * @return messages a second, positive infinity for none
     */
    public double limit(int sender, int tick) {
        return limit[sender][tick];
    }

    /**
     * The rate at which a sender sent.
     *
     * @param sender from 0
     * @param from first tick
     * @param to tick after the last
     * @return messages a second, on average
     */
    public double sending(int sender, int from, int to) {
        return Arrays.stream(sending[sender], from, to).average().orElse(0);
    }

    /**
     * A receiver's fill.
     *
     * @param receiver from 0
     * @param tick which
     * @return 0 to 1
     */
    public double fill(int receiver, int tick) {
        return fill[receiver][tick];
    }

    /**
     * A percentile of a receiver's fill.
     *
     * @param receiver from 0
     * @param from first tick
     * @param to tick after the last
     * @param percentile 0 to 100
     * @return 0 to 1
     */
    public double fillPercentile(int receiver, int from, int to, double percentile) {
        double[] sorted = Arrays.copyOfRange(fill[receiver], from, to);
        Arrays.sort(sorted);
        int index = (int) Math.ceil(percentile / 100 * sorted.length) - 1;
        return sorted[Math.max(0, Math.min(sorted.length - 1, index))];
    }

    /**
     * The part of its time that a receiver was busy.
     *
     * @param receiver from 0
     * @param from first tick
     * @param to tick after the last
     * @return 0 to about 1
     */
    public double busy(int receiver, int from, int to) {
        double done = Arrays.stream(handled[receiver], from, to).sum();
        double possible = Arrays.stream(could[receiver], from, to).sum();
        return possible == 0 ? 1 : done / possible;
    }

    /**
     * Messages a receiver has dropped because it was full.
     *
     * @param receiver from 0
     * @param tick until the end of which
     * @return messages
     */
    public long dropped(int receiver, int tick) {
        return dropped[receiver][tick];
    }

    /**
     * Messages dropped by all receivers.
     *
     * @return messages
     */
    public long dropped() {
        long sum = 0;
        for (long[] drops : dropped) {
            sum += ticks == 0 ? 0 : drops[ticks - 1];
        }
        return sum;
    }

    /**
     * Every NAK that was sent, in the order of time.
     *
     * @return the list, read-only
     */
    public List<SentNak> naks() {
        return List.copyOf(naks);
    }

    /**
     * Every report of a slow receiver, in the order of time.
     *
     * @return the list, read-only
     */
    public List<Slow> slowReceivers() {
        return List.copyOf(slow);
    }

    /**
     * How often a sender's limiter was engaged.
     *
     * @param sender from 0
     * @return how often
     */
    public long engagements(int sender) {
        return engagements[sender];
    }

    /**
     * How often a sender's limiter was released.
     *
     * @param sender from 0
     * @return how often
     */
    public long releases(int sender) {
        return releases[sender];
    }

    /**
     * The tick of a time.
     *
     * @param nanos virtual time
     * @return the tick, no more than the last
     */
    public int tick(long nanos) {
        return (int) Math.max(0, Math.min(ticks - 1, nanos / tickNanos));
    }
}
