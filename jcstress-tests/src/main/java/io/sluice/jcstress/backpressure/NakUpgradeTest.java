package io.sluice.jcstress.backpressure;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.backpressure.nak.Nak;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.backpressure.nak.RingNakTransport;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.jcstress.Proof;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * Two receivers speak at once, one half full, one full. The sender pauses in whichever order their NAKs arrive within a
 * window: the stronger NAK upgrades the cut of the weaker one, and is not downgraded by it. The results are the order in
 * which the receivers were heard, the limit, and how many NAKs were acted upon or passed over.
 */
@JCStressTest
@Outcome(
        id = {"1122, 0, 4", "2211, 0, 4"},
        expect = ACCEPTABLE,
        desc = "one after the other")
@Outcome(
        id = {"1212, 0, 4", "2121, 0, 4", "1221, 0, 4", "2112, 0, 4"},
        expect = ACCEPTABLE,
        desc = "they took turns")
@Outcome(expect = FORBIDDEN, desc = "a NAK was lost, or the full receiver does not govern")
@Proof(
        claim = "within a window the strongest NAK governs, in whatever order they arrive",
        overlap = {"1212, 0, 4", "2121, 0, 4"},
        twins = {"nak-upgrade"})
@State
public class NakUpgradeTest {
    private static final int STREAM = 1;
    private static final int CAPACITY = 8;

    private final List<RingNakTransport> ends = RingNakTransport.group(STREAM, 3, 4);
    private final RateLimiter limiter = RateLimiter.singleWriter(() -> 0, 1);
    private final Nak weak = new Nak();
    private final Nak strong = new Nak();
    private long heard;

    /** For jcstress. */
    public NakUpgradeTest() {}

    /**
     * All sent messages have arrived; those that fill the queue are not handled. So a half full
     * receiver does not stop the sender by itself.
     */
    private static void say(RingNakTransport end, Nak nak, int receiver, int level, int time) {
        long fill = (long) CAPACITY * level / 100;
        end.send(nak.set(STREAM, receiver, CAPACITY, fill, level, CAPACITY - fill, CAPACITY, time, 1));
    }

    /** The receiver that is half full. */
    @Actor
    public void half() {
        say(ends.get(1), weak, 1, 50, 1);
        say(ends.get(1), weak, 1, 50, 2);
    }

    /** The receiver that is full. */
    @Actor
    public void full() {
        say(ends.get(2), strong, 2, 100, 1);
        say(ends.get(2), strong, 2, 100, 2);
    }

    /**
     * The sender hears them.
     *
     * @param r the result
     */
    @Arbiter
    public void sender(JJJ_Result r) {
        NakTransport listening = new NakTransport() {
            @Override
            public boolean send(Nak nak) {
                return false;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                return ends.get(0)
                        .receive(
                                nak -> {
                                    heard = heard * 10 + nak.receiver();
                                    handler.onNak(nak);
                                },
                                limit);
            }
        };
        NakController controller = NakController.builder(listening, limiter, () -> CAPACITY, () -> 0)
                .build();
        controller.doWork();
        r.r1 = heard;
        r.r2 = (long) limiter.rate();
        r.r3 = controller.receivedNaks();
    }
}
