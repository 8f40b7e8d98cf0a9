package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.Allocated;
import io.sluice.testing.ChildJvm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RingNakTransportTest {
    private static final long STREAM = 9;

    private static Nak nak(long stream, long receiver, long consumed) {
        return new Nak().set(stream, receiver, 1000, 750, 75, consumed, consumed + 750, 5, 2);
    }

    private static List<String> hear(RingNakTransport end) {
        List<String> heard = new ArrayList<>();
        end.receive(nak -> heard.add(nak.toString()), 100);
        return heard;
    }

    @Test
    void whatOneEndSaysAllOthersHearInFull() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 3, 4);
        assertThat(ends.get(1).send(nak(STREAM, 7, 1))).isTrue();
        assertThat(hear(ends.get(0))).containsExactly(nak(STREAM, 7, 1).toString());
        assertThat(hear(ends.get(2))).containsExactly(nak(STREAM, 7, 1).toString());
        assertThat(hear(ends.get(1))).isEmpty();
    }

    @Test
    void theLimitBoundsWhatIsLookedAtAndAnotherStreamIsIgnoredAndCounted() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 8);
        RingNakTransport sender = ends.get(0);
        for (int i = 0; i < 6; i++) {
            ends.get(1).send(nak(STREAM + (i & 1), i, i));
        }
        List<Long> heard = new ArrayList<>();
        assertThat(sender.receive(nak -> heard.add(nak.receiver()), 4)).isEqualTo(4);
        assertThat(heard).containsExactly(0L, 2L);
        assertThat(sender.receive(nak -> heard.add(nak.receiver()), 4)).isEqualTo(2);
        assertThat(sender.otherStreamNaks()).isEqualTo(3);
    }

    @Test
    void anEndThatDoesNotListenLosesAndStopsNobody() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 3, 2);
        RingNakTransport receiver = ends.get(2);
        for (int i = 0; i < 10; i++) {
            assertThat(receiver.send(nak(STREAM, 1, i))).isTrue();
            assertThat(hear(ends.get(0))).hasSize(1);
        }
        assertThat(receiver.overruns()).isEqualTo(8); // of the end that did not listen
        assertThat(hear(ends.get(1))).hasSize(2);
        RingNakTransport alone = RingNakTransport.group(STREAM, 2, 1).get(1);
        assertThat(alone.send(nak(STREAM, 1, 1))).isTrue();
        assertThat(alone.send(nak(STREAM, 1, 2))).isFalse(); // its monitor says it again
        assertThat(alone.overruns()).isEqualTo(1);
    }

    @Test
    void aClosedEndIsPassedOver() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 3, 2);
        ends.get(1).close();
        ends.get(1).close();
        for (int i = 0; i < 5; i++) {
            assertThat(ends.get(0).send(nak(STREAM, 1, i))).isTrue();
            assertThat(hear(ends.get(2))).hasSize(1);
        }
        assertThat(ends.get(0).overruns()).isZero();
        assertThat(ends.get(1).send(nak(STREAM, 1, 1))).isFalse();
        assertThat(hear(ends.get(1))).isEmpty();
        ends.get(2).close();
        assertThat(ends.get(0).send(nak(STREAM, 1, 1))).isFalse();
    }

    /** As at the end of any receiver of a group: it has NAKs of the others, and nothing is lost with them. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            List<RingNakTransport> ends = RingNakTransport.group(STREAM, 3, 4);
            ends.get(1).send(nak(STREAM, 7, 1));
            int heard = hear(ends.get(0)).size();
            ends.forEach(RingNakTransport::close);
            System.err.println(heard + " heard, all closed");
        }
    }

    /** In a JVM of its own, whose log goes to its console. */
    @Test
    @Tag("concurrency")
    void anEndThatIsClosedWithNaksThatNobodyWantsAnyMoreLogsNoWarning() throws Exception {
        assertThat(ChildJvm.run(Program.class, List.of()))
                .contains("1 heard, all closed")
                .doesNotContain("unhandled");
    }

    @Test
    void aHandlerThatThrowsLosesThatNakOnly() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 4);
        ends.get(1).send(nak(STREAM, 1, 1));
        ends.get(1).send(nak(STREAM, 2, 1));
        assertThatThrownBy(() -> ends.get(0)
                        .receive(
                                nak -> {
                                    throw new IllegalStateException("mine");
                                },
                                10))
                .hasMessage("mine");
        assertThat(hear(ends.get(0))).containsExactly(nak(STREAM, 2, 1).toString());
    }

    /** As from Kotlin, Scala, or a sneaky throw. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> X unchecked(Throwable checked) throws X {
        throw (X) checked;
    }

    @Test
    void aCheckedExceptionOfAHandlerLosesThatNakOnlyToo() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 4);
        ends.get(1).send(nak(STREAM, 1, 1));
        ends.get(1).send(nak(STREAM, 2, 1));
        assertThatThrownBy(() -> ends.get(0)
                        .receive(
                                nak -> {
                                    throw RingNakTransportTest.<RuntimeException>unchecked(new IOException("mine"));
                                },
                                10))
                .isInstanceOf(IOException.class)
                .hasMessage("mine");
        assertThat(hear(ends.get(0))).containsExactly(nak(STREAM, 2, 1).toString());
    }

    @Test
    void anEndThatItsHandlerClosesOrReceivesFromIsRefusedAndIsAsBefore() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 4);
        RingNakTransport end = ends.get(0);
        ends.get(1).send(nak(STREAM, 1, 1));
        ends.get(1).send(nak(STREAM, 2, 1));
        List<String> heard = new ArrayList<>();
        end.receive(
                nak -> {
                    heard.add(nak.toString());
                    assertThatThrownBy(() -> end.receive(other -> heard.add("within"), 1))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage(
                                    "receive must be called while no receive of this end is under way, but one was");
                    assertThatThrownBy(end::close)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage("close must be called while no receive of this end is under way, but one was");
                },
                10);
        assertThat(heard)
                .containsExactly(nak(STREAM, 1, 1).toString(), nak(STREAM, 2, 1).toString());
        assertThat(end.send(nak(STREAM, 3, 1))).isTrue();
        assertThat(hear(ends.get(1))).containsExactly(nak(STREAM, 3, 1).toString());
        end.close();
        assertThat(end.send(nak(STREAM, 4, 1))).isFalse();
    }

    @Test
    void badSettingsAreRefused() {
        assertThatThrownBy(() -> RingNakTransport.group(1, 1, 2)).hasMessage("ends must be from 2 to 1024, but was 1");
        assertThatThrownBy(() -> RingNakTransport.group(1, 1025, 2))
                .hasMessage("ends must be from 2 to 1024, but was 1025");
        assertThatThrownBy(() -> RingNakTransport.group(1, 2, 3))
                .hasMessage("capacity must be a power of two from 1 to 1073741824, but was 3");
    }

    /** The whole loop within one process: a monitor speaks, a controller on another thread acts. */
    @Test
    @Tag("concurrency")
    @Timeout(60)
    void carriesTheWholeLoopBetweenThreads() throws InterruptedException {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 64);
        int naks = 20_000;
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<String> wrong = new AtomicReference<>("");
        Thread receiver = new Thread(() -> {
            Nak nak = new Nak();
            for (int i = 1; i <= naks; i++) {
                long value = i * 0x9E3779B97F4A7C15L;
                nak.set(STREAM, value, i, i / 2, 1 + i % 100, value, value, value, i);
                while (!ends.get(1).send(nak)) {
                    Thread.onSpinWait();
                }
            }
            done.set(true);
        });
        receiver.start();
        int[] last = {0};
        while (last[0] < naks) {
            ends.get(0)
                    .receive(
                            nak -> {
                                int i = nak.senders();
                                long value = i * 0x9E3779B97F4A7C15L;
                                if (i != last[0] + 1
                                        || nak.receiver() != value
                                        || nak.capacity() != i
                                        || nak.fill() != i / 2
                                        || nak.level() != 1 + i % 100
                                        || nak.consumedPosition() != value
                                        || nak.newestPosition() != value
                                        || nak.timeNanos() != value) {
                                    wrong.set("after " + last[0] + " came " + nak);
                                }
                                last[0] = i;
                            },
                            16);
            Thread.onSpinWait();
        }
        receiver.join();
        assertThat(done).isTrue();
        assertThat(wrong.get()).isEmpty();
    }

    @Test
    void nothingIsAllocated() {
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 4);
        Nak nak = nak(STREAM, 1, 1);
        long[] heard = {0};
        NakTransport.NakHandler handler = one -> heard[0]++;
        long least = Allocated.least(50, () -> {
            for (int i = 0; i < 10_000; i++) {
                ends.get(1).send(nak);
                ends.get(0).receive(handler, 4);
            }
        });
        assertThat(heard[0]).isPositive();
        assertThat(least).isZero();
    }
}
