package io.sluice.perf.ordered;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The work of one worker with a lane until its time is over. */
@FunctionalInterface
interface Workload {
    /**
     * Works.
     *
     * @param lane takes tickets and items
     * @param items of twice the window, for the tickets modulo their number
     * @param worker which one, from 0 on
     * @param until a value of {@link System#nanoTime()}
     * @return how many items this worker has completed
     * @throws InterruptedException if interrupted while it waits for a ticket
     */
    long run(Lane lane, Item[] items, int worker, long until) throws InterruptedException;

    /** One item after the other, each in its turn. For one worker. */
    static Workload inOrder() {
        return (lane, items, worker, until) -> {
            int mask = items.length - 1;
            long done = 0;
            do {
                for (int i = 0; i < 1_000; i++) {
                    long ticket = lane.take(1);
                    lane.complete(ticket, items[(int) ticket & mask].fill(ticket));
                }
                done += 1_000;
            } while (System.nanoTime() - until < 0);
            return done;
        };
    }

    /** Tickets by the handful, each handful completed in an order of its own. */
    static Workload randomOrder() {
        return (lane, items, worker, until) -> {
            int mask = items.length - 1;
            byte[] orders = Orders.of(worker);
            long done = 0;
            do {
                for (int at = 0; at < orders.length; at += Orders.HANDFUL) {
                    long first = lane.take(Orders.HANDFUL);
                    for (int i = 0; i < Orders.HANDFUL; i++) {
                        long ticket = first + orders[at + i];
                        lane.complete(ticket, items[(int) ticket & mask].fill(ticket));
                    }
                }
                done += orders.length;
            } while (System.nanoTime() - until < 0);
            return done;
        };
    }

    /** One ticket, then work of a random length, then its completion. */
    static Workload working(long meanNanos) {
        return (lane, items, worker, until) -> {
            int mask = items.length - 1;
            SplittableRandom random = new SplittableRandom(worker);
            long done = 0;
            long now;
            do {
                long ticket = lane.take(1);
                now = work(random, meanNanos);
                lane.complete(ticket, items[(int) ticket & mask].fill(ticket));
                done++;
            } while (now - until < 0);
            return done;
        };
    }

    /** Works for half to one and a half of a time; gives the time then. */
    static long work(RandomGenerator random, long meanNanos) {
        long end = System.nanoTime() + meanNanos / 2 + random.nextLong(meanNanos);
        long now;
        do {
            now = System.nanoTime();
        } while (now - end < 0);
        return now;
    }
}
