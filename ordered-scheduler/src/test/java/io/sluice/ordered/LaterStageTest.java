package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.testing.ChildJvm;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a later stage may be: unchecked, or one that could not be built. */
@Timeout(110)
class LaterStageTest {
    /** The first stage fails a ticket in the second at the moment at which another thread completes it there. */
    @Test
    @Tag("concurrency")
    void anUncheckedLaterStageHandlesEachTicketOnce() throws Exception {
        int count = 200_000;
        AtomicLong handed = new AtomicLong(-1);
        AtomicLong next = new AtomicLong();
        AtomicInteger paces = new AtomicInteger();
        AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
        var boom = new IllegalStateException("planned");
        boom.setStackTrace(new StackTraceElement[0]);
        var one = OrderedScheduler.<String>builder((ticket, value) -> {
                    handed.set(ticket);
                    for (int i = (int) ticket % 64; i > 0; i--) {
                        paces.lazySet(i);
                    }
                    throw boom;
                })
                .window(16)
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}))
                .build();
        var two = OrderedScheduler.<String>builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) {
                        if (!next.compareAndSet(ticket, ticket + 1)) {
                            fault.compareAndSet(
                                    null, new AssertionError("ticket " + ticket + " twice, or at the wrong time"));
                        }
                    }

                    @Override
                    public void onFailed(long ticket, Throwable cause) {
                        onCompleted(ticket, "failed");
                    }
                })
                .after(one)
                .unchecked()
                .build();
        Thread helper = new Thread(() -> {
            for (long ticket = 0; ticket < count && fault.get() == null; ticket++) {
                while (handed.get() < ticket && fault.get() == null) {
                    Thread.onSpinWait();
                }
                try {
                    two.complete(ticket, "v");
                } catch (RuntimeException refused) {
                    if (!(refused instanceof TicketRefusedException)) { // else the first stage came first
                        fault.compareAndSet(null, refused);
                    }
                }
            }
        });
        helper.start();
        for (int i = 0; i < count && fault.get() == null; i++) {
            long ticket = one.tryNext();
            while (ticket == OrderedScheduler.FULL && fault.get() == null) {
                ticket = one.tryNext();
            }
            if (ticket >= 0) {
                one.complete(ticket, "v");
            }
        }
        helper.join();
        assertThat(fault.get()).isNull();
        assertThat(next.get()).isEqualTo(count);
        // the race is rare: what keeps it from doing harm can be seen
        assertThat(two.delivery.buffer.unchecked)
                .as("takes its turn by a store")
                .isFalse();
    }

    /** The child: the second stage finds no memory for its clocks. */
    static final class Hog {
        private static final int WINDOW = 1 << 20;

        private Hog() {}

        public static void main(String[] arguments) {
            var one = OrderedScheduler.<String>builder((ticket, value) -> {})
                    .window(WINDOW)
                    .build();
            String second = "built";
            try {
                OrderedScheduler.<String>builder((ticket, value) -> {})
                        .after(one)
                        .trackOwners()
                        .build();
            } catch (OutOfMemoryError e) {
                second = "no memory";
            }
            long ticket = 0;
            for (int i = 0; i < WINDOW + 5 && ticket >= 0; i++) {
                ticket = one.tryNext();
                if (ticket >= 0) {
                    one.complete(ticket, "v");
                }
            }
            System.out.println(second + ", at last " + (ticket - WINDOW));
        }
    }

    @Test
    @Tag("once")
    void aLaterStageThatFindsNoMemoryHoldsUpNobody() throws Exception {
        assertThat(ChildJvm.run(Hog.class, List.of("-Xmx40m", "-Xmn2m"))).isEqualTo("no memory, at last 4\n");
    }
}
