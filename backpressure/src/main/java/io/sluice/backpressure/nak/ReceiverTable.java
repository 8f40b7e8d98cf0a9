package io.sluice.backpressure.nak;

/*
 * The few receivers that spoke last, for differences between two NAKs of the same one. The size is fixed: with more receivers
 * than that, the one not heard of for longest is forgotten, which costs an estimate and nothing else. Owned by the
 * controller's thread.
 */
final class ReceiverTable {
    static final int SIZE = 8;

    private final Row[] rows = new Row[SIZE];

    ReceiverTable() {
        for (int i = 0; i < SIZE; i++) {
            rows[i] = new Row();
        }
    }

    /* What the last NAK of a receiver said, and the estimates. Rates are messages a second, negative if unknown. */
    static final class Row {
        boolean used;
        long receiver;
        long heard;
        long time;
        long consumed;
        long fill;
        long newest;
        int level; // of the last NAK that counted
        boolean moved; // newest is further than at the NAK before
        double service = -1;
        double longService = -1;
        double arrival = -1;

        private long anchorTime;
        private long anchorConsumed;

        /**
         * Takes a NAK in.
         *
         * @param now the controller's time
         * @param epoch nanoseconds
         * @return false if the NAK is older than one that was heard before
         */
        boolean update(Nak nak, long now, long epoch) {
            long elapsed = nak.time() - time;
            long quiet = now - heard;
            if (!used || receiver != nak.receiver()) {
                start(nak, now);
                return true;
            }
            if (elapsed <= 0 || nak.consumed() - consumed < 0) {
                if (quiet <= 4 * epoch) {
                    return false;
                }
                start(nak, now); // its clock or its position was set back
                return true;
            }
            long handled = nak.consumed() - consumed;
            double perSecond = handled * 1e9 / elapsed;
            moved = nak.newest() - newest > 0;
            if (quiet > 4 * epoch || elapsed > 8 * epoch) {
                service = -1;
                longService = perSecond;
                arrival = -1;
                anchor(nak);
            } else if (elapsed >= epoch / 4) {
                double anchored = (nak.consumed() - anchorConsumed) * 1e9 / (nak.time() - anchorTime);
                boolean steady = Math.abs(anchored * elapsed / 1e9 - handled) <= 1.5 + 0.05 * handled;
                if (steady) {
                    service = anchored; // the longer baseline, while it agrees
                } else {
                    service = perSecond;
                    anchorTime = time;
                    anchorConsumed = consumed;
                }
                if (nak.time() - anchorTime > 16 * epoch) {
                    anchor(nak);
                }
                longService = service;
                long arrived = Math.max(0, handled + nak.fill() - fill);
                arrival = arrived * 1e9 / elapsed;
            } else {
                heard = now; // too soon after the last one for a difference: the older one stays
                newest = nak.newest();
                return true;
            }
            keep(nak, now);
            return true;
        }

        private void start(Nak nak, long now) {
            used = true;
            receiver = nak.receiver();
            service = -1;
            longService = -1;
            arrival = -1;
            moved = true;
            anchor(nak);
            keep(nak, now);
        }

        private void anchor(Nak nak) {
            anchorTime = nak.time();
            anchorConsumed = nak.consumed();
        }

        private void keep(Nak nak, long now) {
            heard = now;
            time = nak.time();
            consumed = nak.consumed();
            fill = nak.fill();
            newest = nak.newest();
        }
    }

    /** Whether another receiver than this one has said within the last {@code nanos} that it is full, and nothing since. */
    boolean isAnotherFull(long receiver, long now, long nanos) {
        for (Row row : rows) {
            if (row.used && row.receiver != receiver && row.level >= 100 && now - row.heard < nanos) {
                return true;
            }
        }
        return false;
    }

    /** Forgets that a receiver was full: what it says does not count any more. */
    void heedNoMore(long receiver) {
        for (Row row : rows) {
            if (row.used && row.receiver == receiver) {
                row.level = 0;
            }
        }
    }

    /** The row of a receiver, or the one to be overwritten for it. */
    Row row(long receiver) {
        Row oldest = rows[0];
        for (Row row : rows) {
            if (row.used && row.receiver == receiver) {
                return row;
            }
            if (!row.used || (oldest.used && row.heard - oldest.heard < 0)) {
                if (oldest.used) {
                    oldest = row;
                }
            }
        }
        return oldest;
    }
}
