package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.Sequences;

/** Barriers behind sequences: the cursor of a ring with a single producer, or the progress of upstream consumers. */
final class Barriers {
    private Barriers() {}

    static SequenceBarrier behind(SequenceView[] upstream) {
        if (upstream.length == 1) {
            return upstream[0] instanceof Sequence one ? new BehindOne(one) : new BehindView(upstream[0]);
        }
        return new BehindAll(upstream.clone());
    }

    /** One of our own sequences, read without a virtual call. */
    private static final class BehindOne implements SequenceBarrier {
        private final Sequence upstream;

        BehindOne(Sequence upstream) {
            this.upstream = upstream;
        }

        @Override
        public long available(long next) {
            return upstream.getAcquire(); // acquire: pairs with the release of the publication or progress
        }
    }

    private static final class BehindView implements SequenceBarrier {
        private final SequenceView upstream;

        BehindView(SequenceView upstream) {
            this.upstream = upstream;
        }

        @Override
        public long available(long next) {
            return upstream.get(); // acquire, by the contract of SequenceView
        }
    }

    /** The slowest of several; remembers the minimum, so that they are read again only once it is reached. */
    private static final class BehindAll implements SequenceBarrier {
        private final SequenceView[] upstream;

        // the consumer's thread only
        private long seen = Sequence.INITIAL;

        BehindAll(SequenceView[] upstream) {
            this.upstream = upstream;
        }

        @Override
        public long available(long next) {
            if (seen < next) {
                seen = Sequences.minimum(upstream, Long.MAX_VALUE); // acquire inside
            }
            return seen;
        }
    }
}
