package io.sluice.perf.latency;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Target;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Contestants of the same kind of ring: for one producer, or for several, of whom one is at work. */
enum Family {
    /** For one producer. */
    SINGLE("", "sluice", "lmax"),
    /** For several producers. */
    MULTI("-multi", "sluice-multi", "lmax-multi");

    /** The end of the ids of its rows. */
    final String suffix;

    final String sluice;
    final String lmax;

    Family(String suffix, String sluice, String lmax) {
        this.suffix = suffix;
        this.sluice = sluice;
        this.lmax = lmax;
    }

    /** The peers that move objects. */
    List<String> peers() {
        return this == SINGLE
                ? List.of("lmax", "jctools-spsc", "agrona-queue")
                : List.of("lmax-multi", "jctools-mpsc", "agrona-nqueue");
    }

    /** Its name, for people. */
    String words() {
        return this == SINGLE ? "rings for one producer" : "rings for several producers, one at work";
    }

    /** All contestants, at an even load. */
    List<Entry> all(Function<Lane.Transport, Contestant> work) {
        return this == SINGLE ? Entries.spinningBothWays(work) : Entries.multi(work);
    }

    /** The contestants that move objects. */
    List<Entry> objects(Function<Lane.Transport, Contestant> work) {
        return this == SINGLE ? Entries.objects(work) : Entries.multi(work);
    }

    /** The same and the bound of rings. */
    List<Entry> objectsAndBound(Function<Lane.Transport, Contestant> work) {
        return Entries.andBound(objects(work), work);
    }

    /** A target to the best peer of those whose median is at most so much. */
    Stream<Target> toBest(Figure figure, double must, double stretch, double most) {
        return Target.atMost(sluice, lmax, must, stretch).on(figure).toBestOf(new Target.Field(peers(), most)).stream();
    }
}
