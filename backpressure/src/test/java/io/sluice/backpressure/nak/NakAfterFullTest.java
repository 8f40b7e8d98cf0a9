package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.VirtualClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A receiver that was silenced, and then said that it is full, has said all that there is to say. */
class NakAfterFullTest {
    private static final long T = 1_000_000;

    private final VirtualClock clock = new VirtualClock(0);
    private final List<Integer> sent = new ArrayList<>();
    private final ArrayDeque<Nak> incoming = new ArrayDeque<>();
    private final NakSuppression suppression = new NakSuppression(
            new NakTransport() {
                @Override
                public boolean send(Nak nak) {
                    return sent.add(nak.level());
                }

                @Override
                public int receive(NakHandler handler, int limit) {
                    handler.onNak(incoming.remove());
                    return 1;
                }
            },
            clock,
            1,
            1000,
            T,
            42);

    private static Nak nak(long receiver, int level) {
        return new Nak().set(1, receiver, 1000, level * 10L, level, 0, 0, 0, 1);
    }

    private void hear(Nak nak) {
        incoming.add(nak);
        suppression.receive(other -> {}, 1);
    }

    @Test
    void whatWasSilencedBeforeIsNotSaidAfterItWhoeverIsEchoedThen() {
        suppression.send(nak(1, 50));
        hear(nak(2, 87)); // silences it
        assertThat(suppression.suppressedNaks()).isEqualTo(1);
        suppression.send(nak(1, 100)); // must not wait
        hear(nak(2, 87).asEcho()); // the sender does not act on what the other one said
        clock.now += T;
        assertThat(suppression.poll()).isZero();
        assertThat(sent).containsExactly(100);
        assertThat(suppression.suppressedNaks()).as("it was never sent").isEqualTo(1);
    }
}
