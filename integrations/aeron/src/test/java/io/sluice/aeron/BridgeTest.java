package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.driver.ThreadingMode;
import io.sluice.core.Runner;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From ring to ring, when all goes well. */
@Tag("once")
class BridgeTest {

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp", "concurrent", "mdc"})
    void everyEventArrivesOnceAndInOrder(String by) throws Exception {
        arrivesOnceAndInOrder(by);
    }

    /** A method of its own, so that this one alone may be skipped. */
    @Test
    void everyEventArrivesOnceAndInOrderByMulticast() throws Exception {
        Harness.assumeMulticast();
        arrivesOnceAndInOrder("multicast");
    }

    private static void arrivesOnceAndInOrder(String by) throws Exception {
        try (Harness harness = new Harness()) {
            String in = switch (by) {
                case "udp", "mdc" -> Harness.udp();
                case "multicast" -> Harness.multicast();
                default -> IPC;
            };
            String out = in;
            if (by.equals("mdc")) {
                String endpoint = in.substring(in.indexOf("127"), in.indexOf('|'));
                out = "aeron:udp?control-mode=dynamic|control=" + endpoint + "|term-length=64k";
                in = "aeron:udp?control-mode=dynamic|control=" + endpoint + "|endpoint=127.0.0.1:0";
            }
            AeronSender.Builder<long[]> builder = AeronSender.builder(harness.link, out, STREAM, ENCODER);
            Harness.Out sender =
                    harness.new Out(64, (by.equals("concurrent") ? builder.concurrent() : builder).build());
            Harness.In receiver = harness.new In(32);
            Heard heard = new Heard();
            AeronReceiver agent =
                    harness.receiver(AeronReceiver.builder(harness.link, in, STREAM, receiver.sink(), heard)
                            .build());
            harness.runUntil(() -> sender.sender.open() && agent.isConnected());
            sender.publish(1, 10_000);
            harness.runUntil(() -> receiver.values.size() >= 10_000);
            assertThat(receiver.values).isEqualTo(numbers(1, 10_000));
            assertThat(sender.sender.count(SendResult.SENT)).isEqualTo(10_000);
            assertThat(agent.received()).isEqualTo(10_000);
            assertThat(agent.missing() + agent.repeated() + agent.bad()).isZero();
            assertThat(heard.session).isEqualTo(sender.sender.sessionId());
            assertThat(heard.all.get(0)).startsWith("available ");
            if (!by.equals("concurrent")) {
                assertThat(heard.all).hasSize(2).element(1).isEqualTo("first 1");
                assertThat(sender.sender.position()).isEqualTo(10_000);
            }
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void aWholeRotationOfTheLogIsAnswersOfAdminActionThatLoseNothing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out sender = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .build());
            Harness.In receiver = harness.new In(64);
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, receiver.sink(), new Heard())
                    .build());
            sender.publish(1, 20_000);
            harness.runUntil(() -> receiver.values.size() >= 20_000);
            assertThat(receiver.values).isEqualTo(numbers(1, 20_000));
            assertThat(sender.sender.count(SendResult.ADMIN_ACTION)).isPositive();
            assertThat(sender.sender.dropped()).isZero();
        }
    }

    /** Messages from nothing to the longest that Aeron sends, 8,192 bytes with terms of 64 KiB, with frames of 1,408 bytes by UDP. */
    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void messagesMayBeLongerThanAFrame(String by) throws Exception {
        int[] lengths = {8, 1_375, 1_376, 1_377, 0, 4_096, 8_192, 9, 5_000};
        try (Harness harness = new Harness()) {
            String channel = by.equals("udp") ? Harness.udp() : IPC + "|mtu=1408";
            Harness.Out sender = harness
            .new Out(
                    16,
                    AeronSender.builder(harness.link, channel, STREAM, new Lengths(lengths))
                            .build());
            Harness.In receiver = harness.new In(2);
            MessageDecoder<long[]> decoder = (event, buffer, offset, length, number) -> {
                event[0] = length;
                for (int i = 8; i < length; i++) {
                    assertThat(buffer.getByte(offset + i)).isEqualTo((byte) i);
                }
            };
            AeronReceiver agent = harness.receiver(AeronReceiver.builder(
                            harness.link, channel, STREAM, RingSink.waiting(receiver.producer, decoder), new Heard())
                    .build());
            harness.runUntil(() -> sender.sender.open() && agent.isConnected());
            for (int round = 0; round < 20; round++) {
                sender.publish(0, lengths.length - 1);
            }
            harness.runUntil(() -> receiver.values.size() >= 160);
            harness.steps(100);
            assertThat(receiver.values).hasSize(160);
            for (int i = 0; i < 160; i++) {
                int at = i % 8;
                assertThat(receiver.values.get(i)).isEqualTo(lengths[at < 4 ? at : at + 1]);
            }
            assertThat(agent.missing() + agent.bad())
                    .as("an event without a message takes no number")
                    .isZero();
        }
    }

    /** An event is an index into the lengths. */
    private static final class Lengths implements EventEncoder<long[]> {
        private final int[] lengths;

        Lengths(int... lengths) {
            this.lengths = lengths;
        }

        @Override
        public int length(long[] event) {
            return lengths[(int) event[0]];
        }

        @Override
        public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) {
            for (int i = 0; i < length; i++) {
                buffer.putByte(offset + i, (byte) i);
            }
        }
    }

    @Test
    void whatIsAbortedOnTheRingTakesNoNumber() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out sender = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .build());
            Harness.In receiver = harness.new In(16);
            AeronReceiver agent =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, receiver.sink(), new Heard())
                            .build());
            sender.publish(1, 3);
            long claimed = sender.producer.next();
            sender.producer.abort(claimed, claimed);
            sender.publish(4, 6);
            harness.runUntil(() -> receiver.values.size() >= 6);
            assertThat(receiver.values).isEqualTo(numbers(1, 6));
            assertThat(agent.missing()).isZero();
        }
    }

    @Test
    void severalSendersShareAConcurrentPublication() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out one = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .concurrent()
                            .build());
            Harness.Out two = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .concurrent()
                            .build());
            Harness.In receiver = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver agent =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, receiver.sink(), heard)
                            .build());
            for (int i = 0; i < 500; i++) {
                one.publish(i, i);
                two.publish(1_000 + i, 1_000 + i);
            }
            harness.runUntil(() -> receiver.values.size() >= 1_000);
            assertThat(receiver.values.stream().filter(value -> value < 1_000)).isEqualTo(numbers(0, 499));
            assertThat(receiver.values.stream().filter(value -> value >= 1_000)).isEqualTo(numbers(1_000, 1_499));
            assertThat(one.sender.sessionId()).isEqualTo(two.sender.sessionId());
            assertThat(agent.missing() + agent.repeated()).isZero();
            assertThat(heard.all).containsExactly("available aeron:ipc");
        }
    }

    /** The driver's threads and those that the application starts: there is no other one, and none stays. */
    @ParameterizedTest
    @CsvSource({"SHARED, ipc", "SHARED, udp", "SHARED_NETWORK, udp", "DEDICATED, udp"})
    void senderAndReceiverRunOnThreadsOfTheirOwn(ThreadingMode mode, String by) throws Exception {
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        Set<Thread> before = Threads.ofPrograms();
        String channel = by.equals("udp") ? Harness.udp() : IPC;
        try (AeronLink link = AeronLink.embedded(errors::add)
                .threads(mode)
                .driver(Harness::small)
                .start()) {
            List<String> driver = Threads.namesBeside(before, link);
            assertThat(driver)
                    .isEqualTo(
                            switch (mode) {
                                case SHARED -> List.of("[sender,receiver,driver-conductor]", LOOKS_UP);
                                case SHARED_NETWORK -> List.of("[sender,receiver]", LOOKS_UP, "driver-conductor");
                                default -> List.of(LOOKS_UP, "driver-conductor", "receiver", "sender");
                            });
            RingBuffer<long[]> from = RingBufferBuilder.of(() -> new long[1])
                    .capacity(1_024)
                    .singleProducer()
                    .build();
            RingBuffer<long[]> to = RingBufferBuilder.of(() -> new long[1])
                    .capacity(1_024)
                    .singleProducer()
                    .build();
            AeronSender<long[]> sender =
                    AeronSender.<long[]>builder(link, channel, STREAM, ENCODER).build();
            Pipeline<long[]> out = Pipeline.on(from);
            out.handleEventsWith(out.batchConsumer("out", sender));
            Pipeline<long[]> in = Pipeline.on(to);
            long[] sum = new long[2];
            in.handleEventsWith(in.consumer("in", (event, sequence, endOfBatch) -> {
                assertThat(event[0]).isEqualTo(sum[0] + 1);
                sum[0] = event[0];
            }));
            out.start();
            in.start();
            AeronReceiver receiver = AeronReceiver.builder(
                            link, channel, STREAM, RingSink.waiting(to.producer(), Harness.DECODER), new Heard())
                    .build();
            Runner runner = new Runner("aeron", new BackoffIdleStrategy(), errors::add, List.of(receiver, link));
            Thread thread = new Thread(runner, "aeron");
            thread.start();
            Producer<long[]> producer = from.producer();
            for (long value = 1; value <= 200_000; value++) {
                producer.publishEvent((event, sequence, v) -> event[0] = v, value);
            }
            assertThat(Threads.namesBeside(before, link))
                    .as("nobody else has started one")
                    .isEqualTo(Stream.concat(driver.stream(), Stream.of("aeron", "sluice-in", "sluice-out"))
                            .sorted()
                            .toList());
            producer.close();
            assertThat(from.drain(30_000_000_000L).isNone()).isTrue();
            assertThat(in.awaitHandled(199_999, 30_000_000_000L)).isTrue();
            to.close();
            sender.close();
            runner.stop();
            thread.join(30_000);
            assertThat(thread.isAlive()).isFalse();
            assertThat(sum[0]).isEqualTo(200_000);
            assertThat(link.isClosed()).as("closed with its runner").isTrue();
            assertThat(errors).isEmpty();
            from.close();
            Threads.awaitNoneBeside(before, link);
        }
    }

    /** Also for the names of hosts, which Aeron's drivers look up on a thread of its own unless told otherwise. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost"})
    void aDriverWithoutThreadsHasNone(String host) throws Exception {
        Set<Thread> before = Threads.ofPrograms();
        try (Harness harness = new Harness()) {
            String channel = Harness.udp().replace("127.0.0.1", host);
            Harness.Out sender = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, channel, STREAM, ENCODER)
                            .build());
            Harness.In receiver = harness.new In(64);
            harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, receiver.sink(), new Heard())
                    .build());
            sender.publish(1, 1_000);
            harness.runUntil(() -> receiver.values.size() >= 1_000);
            assertThat(receiver.values).isEqualTo(numbers(1, 1_000));
            assertThat(harness.errors).isEmpty();
            assertThat(Threads.namesBeside(before, harness.link)).isEmpty();
        }
    }

    /** Aeron's thread that looks up names, beside those of which the mode speaks. */
    private static final String LOOKS_UP = "aeron-executor";

    /** The living threads, without those of the JVM. */
    private static final class Threads {
        static Set<Thread> ofPrograms() {
            ThreadGroup programs = Thread.currentThread().getThreadGroup();
            return Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getThreadGroup() == programs) // no group: it has just ended
                    .collect(Collectors.toSet());
        }

        /** One that has been told to end may take a moment. */
        static void awaitNoneBeside(Set<Thread> before, AeronLink link) {
            long limit = System.nanoTime() + 30_000_000_000L;
            while (!namesBeside(before, link).isEmpty() && System.nanoTime() < limit) {
                Thread.onSpinWait();
            }
            assertThat(namesBeside(before, link)).as("none is left").isEmpty();
        }

        /** The names of those that have come since, without the directory of the link's driver. */
        static List<String> namesBeside(Set<Thread> before, AeronLink link) {
            return ofPrograms().stream()
                    .filter(thread -> !before.contains(thread))
                    .map(thread -> thread.getName().replace(link.directory() + " ", ""))
                    .sorted()
                    .toList();
        }
    }
}
