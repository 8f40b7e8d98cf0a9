package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.NAKS;
import static io.sluice.aeron.Harness.NAK_STREAM;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.driver.ThreadingMode;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.SilentReceiverHandler;
import io.sluice.backpressure.rate.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Receivers in processes of their own, which are stopped by a signal, go on, end, and are killed. */
@Tag("concurrency")
@DisabledOnOs(OS.WINDOWS)
class StoppedReceiverTest {
    /** Longer than a busy machine lets a process wait. */
    private static final long AFTER = TimeUnit.MILLISECONDS.toNanos(2_500);

    private final List<String> told = new ArrayList<>();

    private final class Teller implements SilentReceiverHandler {
        @Override
        public void onSilent(long receiver, long position, long nanos) {
            assertThat(nanos).isGreaterThanOrEqualTo(AFTER);
            assertThat(position).as("it had handled something").isPositive();
            told.add("silent " + receiver);
        }

        @Override
        public void onReturn(long receiver, long position, long nanos) {
            assertThat(nanos).isGreaterThanOrEqualTo(AFTER);
            told.add("back " + receiver);
        }
    }

    @Test
    void theOneThatIsStoppedIsNamedAndSoIsItsReturnAndItsDeath() throws Exception {
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        AeronLink link = AeronLink.embedded(errors::add)
                .threads(ThreadingMode.SHARED)
                .driver(context -> {
                    Harness.small(context);
                    context.clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(12)); // a stopped client is kept
                })
                .start();
        try (Harness harness = new Harness(link);
                Child stopped = new Child(ReceiverChild.class, link.directory(), 7);
                Child runs = new Child(ReceiverChild.class, link.directory(), 8)) {
            Harness.Out out = harness
            .new Out(64, AeronSender.<long[]>builder(link, IPC, STREAM, ENCODER).build());
            NakController controller = NakController.builder(
                            AeronNakTransport.atSender(link, IPC, NAKS, NAK_STREAM, out.sender),
                            RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 64),
                            out.sender::position,
                            SystemNanoClock.INSTANCE)
                    .onSilentReceiver(AFTER, new Teller())
                    .build();
            harness.agent(controller);
            long[] published = {0};
            harness.runUntil(
                    () -> {
                        if (out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, published[0] + 1) >= 0) {
                            published[0]++;
                        }
                        return stopped.last("last ") > 100 && runs.last("last ") > 100;
                    },
                    () -> stopped.lines + " " + runs.lines);
            long heard = controller.receivedSigns();
            harness.runUntil(() -> controller.receivedSigns() > heard + 10);
            assertThat(told).isEmpty();

            stopped.stop();
            harness.runUntil(() -> !told.isEmpty());
            assertThat(told).containsExactly("silent 7");
            assertThat(controller.silentReceivers()).isEqualTo(1);

            stopped.goOn();
            harness.runUntil(() -> told.size() > 1);
            assertThat(told).containsExactly("silent 7", "back 7");

            assertThat(runs.end()).as("it says farewell").isZero();
            stopped.kill();
            harness.runUntil(() -> told.size() > 2);
            long since = System.nanoTime();
            harness.runUntil(() -> System.nanoTime() - since > AFTER);
            assertThat(told).containsExactly("silent 7", "back 7", "silent 7");
            assertThat(controller.silences()).isEqualTo(2);
            assertThat(harness.errors).isEmpty();
            assertThat(errors).isEmpty();
        }
    }
}
