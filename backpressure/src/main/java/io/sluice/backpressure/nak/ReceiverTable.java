package io.sluice.backpressure.nak;

/*
 * The few receivers that sent NAKs last, for differences between two NAKs of the same receiver. The size is fixed: a further receiver
 * takes the row of the one not heard of for longest, which costs an estimate and nothing else. One more row stands for all receivers
 * together. Owned by the controller's thread.
 */
final class ReceiverTable {
    static final int SIZE = 8;

    /** The level of a receiver that has no room, in percent. */
    static final int FULL = 100;

    private final Row[] rows = new Row[SIZE];
    private final Row group = new Row();
    private final Nak groupNak = new Nak();

    ReceiverTable() {
        for (int i = 0; i < SIZE; i++) {
            rows[i] = new Row();
        }
    }

    /* The values of a receiver's last NAK, and the estimates. Rates are messages a second, negative if unknown. */
    static final class Row {
        boolean used;
        long receiver;
        int level; // of the last NAK that counted
        boolean newestMoved; // the newest position is further than in the NAK before
        double serviceRate = -1;
        double longServiceRate = -1;
        double arrivalRate = -1;

        private long heardAt; // by the sender's time
        private long saidAt; // by the receiver's clock
        private long consumed;
        private long fill;
        private long newest;
        private long baseTime; // where the longer baseline of the service rate begins
        private long baseConsumed;

        /**
         * Takes a NAK in.
         *
         * @param now the sender's time
         * @param epoch nanoseconds
         * @return false if the NAK is older than one that was heard before
         */
        boolean update(Nak nak, long now, long epoch) {
            if (!used || receiver != nak.receiver()) {
                start(nak, now);
                return true;
            }
            long elapsed = nak.timeNanos() - saidAt;
            long handled = nak.consumedPosition() - consumed;
            long quiet = now - heardAt;
            if (elapsed <= 0 || handled < 0) {
                if (quiet <= 4 * epoch) {
                    return false;
                }
                start(nak, now); // its clock or its position was set back
                return true;
            }
            newestMoved = nak.newestPosition() - newest > 0;
            if (quiet > 4 * epoch || elapsed > 8 * epoch) {
                serviceRate = -1;
                longServiceRate = handled * 1e9 / elapsed;
                arrivalRate = -1;
                beginBaseline(nak);
            } else if (elapsed >= epoch / 4) {
                estimate(nak, elapsed, handled, epoch);
            } else {
                heardAt = now; // too soon after the last NAK for a difference: the older one stays
                newest = nak.newestPosition();
                return true;
            }
            keep(nak, now);
            return true;
        }

        private void start(Nak nak, long now) {
            used = true;
            receiver = nak.receiver();
            serviceRate = -1;
            longServiceRate = -1;
            arrivalRate = -1;
            newestMoved = true;
            beginBaseline(nak);
            keep(nak, now);
        }

        private void estimate(Nak nak, long elapsed, long handled, long epoch) {
            double overBaseline = (nak.consumedPosition() - baseConsumed) * 1e9 / (nak.timeNanos() - baseTime);
            boolean steady = Math.abs(overBaseline * elapsed / 1e9 - handled) <= 1.5 + 0.05 * handled;
            if (steady) {
                serviceRate = overBaseline;
            } else { // the rate has changed: the baseline begins at the last NAK
                serviceRate = handled * 1e9 / elapsed;
                baseTime = saidAt;
                baseConsumed = consumed;
            }
            if (nak.timeNanos() - baseTime > 16 * epoch) {
                beginBaseline(nak);
            }
            longServiceRate = serviceRate;
            long arrived = Math.max(0, handled + nak.fill() - fill);
            arrivalRate = arrived * 1e9 / elapsed;
        }

        private void beginBaseline(Nak nak) {
            baseTime = nak.timeNanos();
            baseConsumed = nak.consumedPosition();
        }

        private void keep(Nak nak, long now) {
            heardAt = now;
            saidAt = nak.timeNanos();
            consumed = nak.consumedPosition();
            fill = nak.fill();
            newest = nak.newestPosition();
        }
    }

    /** The row of a receiver, or the one to be overwritten for it. */
    Row row(long receiver) {
        Row oldest = rows[0];
        for (Row row : rows) {
            if (row.used && row.receiver == receiver) {
                return row;
            }
            boolean better = !row.used || (oldest.used && row.heardAt - oldest.heardAt < 0);
            if (better && oldest.used) {
                oldest = row;
            }
        }
        return oldest;
    }

    /** The same estimates over the NAKs of all receivers. */
    Row group() {
        return group;
    }

    /**
     * Takes a NAK into the group's row, by the time of its arrival: the positions of all receivers are positions of this sender. A
     * receiver that is behind the others changes nothing, unless those ahead have been silent for some epochs.
     */
    void updateGroup(Nak nak, long now, long epoch) {
        group.update(groupNak.copy(nak).saidBy(0, now), now, epoch);
    }

    /** Whether another receiver than this one has said within the last {@code nanos} that it is full, and nothing since. */
    boolean isAnotherFull(long receiver, long now, long nanos) {
        for (Row row : rows) {
            if (row.used && row.receiver != receiver && row.level >= FULL && now - row.heardAt < nanos) {
                return true;
            }
        }
        return false;
    }

    /** Forgets the level of a receiver, whose NAKs do not count any more. */
    void forgetLevel(long receiver) {
        for (Row row : rows) {
            if (row.used && row.receiver == receiver) {
                row.level = 0;
            }
        }
    }
}
