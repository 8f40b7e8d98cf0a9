package io.sluice.backpressure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.nak.FillMonitor;
import io.sluice.backpressure.nak.FillSource;
import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.backpressure.nak.Nak;
import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.NakTransport;
import io.sluice.backpressure.rate.RateLimiter;
import java.nio.ByteBuffer;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;

/** What is called for each message, and for each NAK, allocates nothing. */
class AllocationTest {
    private static final int RUNS = 50;
    private static final int CALLS = 5_000;

    private final VirtualClock clock = new VirtualClock(0);
    private long sum;

    private void allocatesNothing(Runnable call) {
        assertThat(Allocated.least(RUNS, () -> {
                    for (int i = 0; i < CALLS; i++) {
                        call.run();
                    }
                }))
                .isZero();
    }

    @Test
    void theCounterSeesAnAllocation() {
        assertThat(Allocated.least(3, () -> sum += new long[100].length)).isPositive();
    }

    @Test
    void limitersLimitedAndNot() {
        for (RateLimiter limiter :
                new RateLimiter[] {RateLimiter.singleWriter(clock, 64), RateLimiter.multiWriter(clock, 64)}) {
            allocatesNothing(() -> sum += limiter.tryAcquire(1) ? 1 : 0);
            limiter.setRate(1e8);
            allocatesNothing(() -> {
                clock.now += 7;
                sum += limiter.tryAcquire(1) ? limiter.nanosUntil(3) : 0;
                sum += limiter.acquire(1, 0, NoOpIdleStrategy.INSTANCE) ? 1 : 0;
            });
        }
        assertThat(sum).isPositive();
    }

    @Test
    void naksFromTheMonitorOverTheWireToTheController() {
        ByteBuffer wire = ByteBuffer.allocateDirect(Nak.LENGTH);
        Nak arrived = new Nak();
        boolean[] there = {false};
        NakTransport transport = new NakTransport() {
            @Override
            public boolean send(Nak nak) {
                nak.encode(wire, 0);
                there[0] = true;
                return true;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                if (!there[0] || arrived.decode(wire, 0, Nak.LENGTH, 1) != Nak.DecodeResult.ACCEPTED) {
                    return 0;
                }
                there[0] = false;
                handler.onNak(arrived);
                return 1;
            }
        };
        FillSource source = new FillSource() {
            @Override
            public long capacity() {
                return 100;
            }

            @Override
            public long fill() {
                return clock.now / 1_000_000 % 100; // up and down through all levels
            }

            @Override
            public long consumedPosition() {
                return clock.now / 1_000;
            }

            @Override
            public long newestPosition() {
                return clock.now / 1_000 + fill();
            }
        };
        RateLimiter limiter = RateLimiter.singleWriter(clock, 64);
        FillMonitor monitor = new FillMonitor(source, transport, clock, 1, 1, 1_000_000);
        LifeSigns signs = new LifeSigns(source, transport, clock, 1, 1, 5_000_000);
        long[] silences = {0};
        NakController controller = NakController.builder(transport, limiter, source::newestPosition, clock)
                .onSilentReceiver(2_000_000, (receiver, position, nanos) -> silences[0]++) // again and again
                .build();
        allocatesNothing(() -> {
            clock.now += 250_000;
            monitor.poll();
            controller.doWork();
            signs.poll();
            controller.doWork();
        });
        assertThat(silences[0]).isPositive();
        assertThat(controller.receivedSigns()).isPositive();
        assertThat(controller.receivedNaks()).isPositive();
        assertThat(controller.engagements()).isPositive();
    }
}
