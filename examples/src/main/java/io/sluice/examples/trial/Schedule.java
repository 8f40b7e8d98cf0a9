package io.sluice.examples.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * The faults of receivers, and their times: the same for the same arguments.
 *
 * @param events in the order of time
 */
record Schedule(List<Event> events) {
    /** The kinds of faults. */
    enum Kind {
        /** It handles an eighth of what is sent. */
        SLOW,
        /** It handles nothing; its NAK side runs. */
        PAUSE,
        /** SIGSTOP, then SIGCONT: its NAK side stands still, too. */
        FREEZE,
        /** SIGKILL. */
        KILL
    }

    /**
     * One fault.
     *
     * @param kind what
     * @param receiver whom, from 0
     * @param at when, nanoseconds from the start
     * @param nanos for how long
     */
    record Event(Kind kind, int receiver, long at, long nanos) {}

    /** One receiver is replaced whenever it is killed; of several one is killed, once and for all. */
    static Schedule of(long seed, int receivers, long nanos) {
        SplittableRandom random = new SplittableRandom(seed);
        int count = (int) Math.max(4, Math.round(nanos * 24 / 60e9));
        List<Kind> kinds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Kind kind = Kind.values()[i % 4];
            kinds.add(kind == Kind.KILL && receivers > 1 ? Kind.SLOW : kind);
        }
        Collections.shuffle(kinds, new Random(random.nextLong()));
        int killed = random.nextInt(receivers);
        int kill = receivers == 1 ? -1 : count / 2;
        long slot = nanos / count;
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Kind kind = i == kill ? Kind.KILL : kinds.get(i);
            int whom = random.nextInt(receivers);
            if (i == kill) {
                whom = killed;
            } else if (kill >= 0 && i > kill && whom == killed) {
                whom = (whom + 1) % receivers;
            }
            long at = i * slot + random.nextLong(slot / 4);
            long lasts = switch (kind) {
                case SLOW -> slot / 5 + random.nextLong(slot / 5);
                case PAUSE -> slot / 10 + random.nextLong(slot / 10);
                case FREEZE -> slot / 20 + random.nextLong(slot / 10);
                case KILL -> 0;
            };
            events.add(new Event(kind, whom, at, lasts));
        }
        return new Schedule(List.copyOf(events));
    }
}
