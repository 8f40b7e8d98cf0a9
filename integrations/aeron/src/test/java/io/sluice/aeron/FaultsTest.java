package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.AeronCounters;
import io.aeron.Publication;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.buffer.FileStoreLogFactory;
import io.aeron.driver.buffer.LogFactory;
import io.aeron.driver.buffer.RawLog;
import io.aeron.driver.exceptions.ActiveDriverException;
import io.aeron.driver.ext.DebugReceiveChannelEndpoint;
import io.aeron.driver.ext.RandomLossGenerator;
import io.aeron.driver.status.StreamCounter;
import io.aeron.exceptions.DriverTimeoutException;
import io.aeron.exceptions.RegistrationException;
import io.aeron.exceptions.StorageSpaceException;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.sluice.core.State;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kills, full storage, loss, and drivers that are not there. */
@Tag("concurrency")
class FaultsTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int KILLS = Integer.getInteger("sluice.kills", 50);

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<Throwable> ofLink = new CopyOnWriteArrayList<>();

    FaultsTest() {
        System.out.println("FaultsTest -Dsluice.seed=" + SEED);
    }

    private AeronLink shared() {
        return AeronLink.embedded(ofLink::add)
                .threads(ThreadingMode.SHARED)
                .driver(context -> {
                    Harness.small(context);
                    // longer than a busy machine stands still
                    context.clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(3));
                })
                .start();
    }

    private static AeronLink external(Path directory, List<Throwable> errors) {
        return AeronLink.external(directory, e -> {
                    synchronized (errors) {
                        errors.add(e);
                    }
                })
                .client(context -> context.driverTimeoutMs(3_000).keepAliveIntervalNs(100_000_000))
                .reconnectAfter(Duration.ofMillis(20))
                .start();
    }

    @Test
    void aDriverThatIsKilledComesBackAndTheLinkGoesOn() throws Exception {
        driverKills(2);
    }

    @Test
    @Tag("slow")
    @Timeout(900) // each round waits for a time-out of the driver
    void aDriverThatIsKilledFiftyTimesComesBackEachTime() throws Exception {
        driverKills(KILLS);
    }

    private void driverKills(int rounds) throws Exception {
        Path directory = Harness.freshDirectory();
        List<Throwable> errors = new java.util.ArrayList<>();
        Child driver = new Child(DriverChild.class, directory);
        try {
            await(driver, "ready");
            try (Harness harness = new Harness(external(directory, errors))) {
                Harness.Out out = harness
                .new Out(
                        64,
                        AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                                .build());
                Harness.In in = harness.new In(64);
                AeronReceiver receiver =
                        harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                                .oneSender(1)
                                .build());
                long published = 0;
                for (int round = 1; round <= rounds; round++) {
                    harness.runUntil(() -> out.sender.open() && receiver.isConnected());
                    int more = random.nextInt(1, 3_000);
                    out.publish(published + 1, published + more);
                    published += more;
                    driver.kill();
                    int lost = round;
                    harness.runUntil(() -> !harness.link.isConnected());
                    assertThat(harness.link.reconnects()).isEqualTo(lost - 1);
                    driver = new Child(DriverChild.class, directory);
                    harness.runUntil(() -> harness.link.reconnects() == lost && harness.link.isConnected());
                }
                out.publish(published + 1, published + 100);
                long all = published + 100;
                harness.runUntil(() -> in.values.contains(all));
                assertThat(in.values).as("seed " + SEED).isSorted().doesNotHaveDuplicates();
                assertThat(in.values.size() + receiver.missing())
                        .as("what went with a driver's log is counted")
                        .isEqualTo(all);
                assertThat(receiver.gone()).isEqualTo(rounds);
                assertThat(errors.stream().filter(e -> e instanceof LinkLostException))
                        .hasSize(rounds);
                assertThat(out.sender.dropped()).isZero();
                assertThat(out.ring.state()).isEqualTo(State.RUNNING);
            }
        } finally {
            driver.close();
            org.agrona.IoUtil.delete(directory.toFile(), true);
        }
    }

    private static void await(Child child, String line) {
        long started = System.nanoTime();
        while (!child.said(line)) {
            if (!child.isAlive() || System.nanoTime() - started > TimeUnit.SECONDS.toNanos(30)) {
                throw new AssertionError("no line " + line + ": " + child.lines);
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void aSenderThatIsKilledAndStartsAgainDeliversEachNumberOnce() throws Exception {
        senderKills(2);
    }

    @Test
    @Tag("slow")
    @Timeout(900) // each round waits for a time-out of the driver
    void aSenderThatIsKilledFiftyTimesDeliversEachNumberOnce() throws Exception {
        senderKills(KILLS);
    }

    private void senderKills(int rounds) throws Exception {
        try (Harness harness = new Harness(shared())) {
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .build());
            int stuck = 0;
            for (int round = 1; round <= rounds; round++) {
                long before = in.values.size();
                long back = Math.max(1, before + 1 - random.nextInt(50)); // it may not know how far it came
                try (Child sender = new Child(SenderChild.class, harness.link.directory(), back)) {
                    long more = random.nextInt(1, 5_000);
                    harness.runUntil(
                            () -> in.values.size() > before + more || !sender.isAlive(),
                            () -> standing(receiver, in, heard, sender));
                    assertThat(sender.isAlive()).as("%s", sender.lines).isTrue();
                }
                long gone = (long) round - stuck;
                Standstill standstill = new Standstill(8);
                harness.runUntil(
                        () -> receiver.gone() >= gone || standstill.isBeforeAFrame(harness, heard.session),
                        () -> "none is gone: " + standing(receiver, in, heard, null));
                stuck += receiver.gone() >= gone ? 0 : 1;
                assertThat(in.values).as("seed " + SEED).isEqualTo(numbers(1, in.values.size()));
            }
            assertThat(receiver.missing() + receiver.bad()).isZero();
            assertThat(heard.all.stream().filter(text -> text.startsWith("unavailable")))
                    .hasSizeGreaterThanOrEqualTo(rounds - stuck);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void aSenderThatIsKilledWhileItsReceiverIsFullLosesNothingThatItHasSent(String by) throws Exception {
        killsAtAFullReceiver(3, by.equals("ipc") ? IPC : Harness.udp());
    }

    @Test
    @Tag("slow")
    @Timeout(900)
    void aSenderThatIsKilledFiftyTimesWhileItsReceiverIsFullLosesNothingThatItHasSent() throws Exception {
        killsAtAFullReceiver(KILLS, IPC);
    }

    /** Each sender goes on behind what the one before has sent. The receiver's ring is full, so that sessions wait behind each other. */
    private void killsAtAFullReceiver(int rounds, String channel) throws Exception {
        try (Harness harness = new Harness(shared())) {
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, in.sink(), heard)
                            .oneSender(1)
                            .build());
            long sent = 0;
            for (int round = 1; round <= rounds; round++) {
                in.polls = false;
                long more = sent + random.nextInt(100, 400);
                try (Child sender = new Child(SenderChild.class, harness.link.directory(), sent + 1, channel)) {
                    int sessions = round;
                    harness.runUntil(
                            () -> sender.last("sent ") >= more && count(heard, "first ") >= sessions,
                            () -> standing(receiver, in, heard, sender));
                    sender.kill();
                    sent = sender.last("sent ");
                }
                if (random.nextBoolean() || round == rounds) {
                    in.polls = true;
                    long all = sent;
                    harness.runUntil(
                            () -> in.values.size() + receiver.missing() >= all,
                            () -> standing(receiver, in, heard, null));
                }
                assertThat(in.values).as("seed " + SEED).isEqualTo(numbers(1, in.values.size()));
            }
            assertThat(receiver.missing() + receiver.bad()).isZero();
        }
    }

    private static long count(Heard heard, String beginning) {
        return heard.all.stream().filter(text -> text.startsWith(beginning)).count();
    }

    /**
     * A sender dies within Aeron's claim: its tail has moved, its frame has no length yet. A driver of Aeron 1.51 fills such a hole only at a
     * term's end, so that it takes the session for alive. Nobody may wait for it. Where the frame has a length, or several are written in
     * its claim and not committed, the session ends.
     */
    @ParameterizedTest
    @CsvSource({"ipc, hole", "ipc, frame", "ipc, group", "udp, group"})
    void aSenderThatDiesWithinAClaimHoldsNobody(String by, String left) throws Exception {
        String channel = by.equals("ipc") ? IPC : Harness.udp();
        try (Harness harness =
                new Harness(context -> context.clientLivenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(1_500)))) {
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, in.sink(), heard)
                            .oneSender(1)
                            .build());
            try (AeronLink dying =
                    AeronLink.external(harness.link.directory(), ofLink::add).start()) {
                AeronSender<long[]> sender = AeronSender.<long[]>builder(dying, channel, STREAM, ENCODER)
                        .build();
                Harness.Out out = harness.new Out(64, sender);
                harness.agent(dying);
                out.publish(1, 10);
                harness.runUntil(() -> in.values.size() == 10);
                int session = sender.sessionId();
                if (left.equals("group")) {
                    FrameGroup<long[]> group = new FrameGroup<>(ENCODER);
                    assertThat(group.claim(sender.publication(), 8, 4)).isPositive();
                    group.encode(out.ring, null, 0, 3, 8, 4, 11);
                } else {
                    claimOnly(sender.publication(), left.equals("frame"));
                }
                harness.remove(dying); // its client says nothing from now on
                Standstill standstill = new Standstill(4);
                harness.runUntil(
                        () -> left.equals("hole") ? standstill.isBeforeAFrame(harness, session) : receiver.gone() == 1);
                AeronSender<long[]> next = AeronSender.<long[]>builder(harness.link, channel, STREAM, ENCODER)
                        .firstNumber(11)
                        .build();
                Harness.Out after = harness.new Out(64, next);
                after.publish(11, 2_000);
                harness.runUntil(() -> in.values.size() == 2_000, () -> standing(receiver, in, heard, null));
                assertThat(in.values).isEqualTo(numbers(1, 2_000));
                assertThat(receiver.missing() + receiver.repeated()).isZero();
            }
        }
    }

    private static void claimOnly(Publication publication, boolean withLength) throws ReflectiveOperationException {
        UnsafeBuffer meta = (UnsafeBuffer) field("logMetaDataBuffer").get(publication);
        UnsafeBuffer term = term(publication);
        long tail = LogBufferDescriptor.rawTail(meta, 0);
        int length = BitUtil.align(DataHeaderFlyweight.HEADER_LENGTH + 8, FrameDescriptor.FRAME_ALIGNMENT);
        if (withLength) {
            term.putInt(LogBufferDescriptor.termOffset(tail), -length);
        }
        meta.putLongRelease(LogBufferDescriptor.TERM_TAIL_COUNTERS_OFFSET, tail + length);
    }

    /** The first term of a publication's log. */
    static UnsafeBuffer term(Publication publication) throws ReflectiveOperationException {
        return ((UnsafeBuffer[]) field("termBuffers").get(publication))[0];
    }

    private static Field field(String name) throws NoSuchFieldException {
        Field field = Publication.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** A session whose publisher's tail is ahead of what a subscriber can read, for longer than a driver needs to fill a hole. */
    private static final class Standstill {
        private final long nanos;
        private long at = -1;
        private long since;

        Standstill(long seconds) {
            nanos = TimeUnit.SECONDS.toNanos(seconds);
        }

        boolean isBeforeAFrame(Harness harness, int session) {
            long published = position(harness, AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, session);
            long read = position(harness, AeronCounters.DRIVER_SUBSCRIBER_POSITION_TYPE_ID, session);
            long now = System.nanoTime();
            if (read != at) {
                at = read;
                since = now;
            }
            return read >= 0 && published > read && now - since > nanos;
        }

        private static long position(Harness harness, int type, int session) {
            CountersReader counters = harness.link.aeron().countersReader();
            long[] found = {-1};
            counters.forEach((id, typeId, key, label) -> {
                if (typeId == type && key.getInt(StreamCounter.SESSION_ID_OFFSET) == session) {
                    found[0] = counters.getCounterValue(id);
                }
            });
            return found[0];
        }
    }

    private String standing(AeronReceiver receiver, Harness.In in, Heard heard, @Nullable Child sender) {
        return "seed " + SEED + ", " + in.values.size() + " values, missing " + receiver.missing() + ", repeated "
                + receiver.repeated() + ", held " + receiver.held() + ", heard " + heard.all + ", sender "
                + (sender == null ? "killed" : sender.lines) + ", of the link " + ofLink;
    }

    @Test
    void aReceiverThatIsKilledHoldsNobodyForGoodAndTheNextOneKnowsWhereItBegins() throws Exception {
        receiverKills(2);
    }

    @Test
    @Tag("slow")
    @Timeout(900) // each round waits for a time-out of the driver
    void aReceiverThatIsKilledFiftyTimesHoldsNobodyForGood() throws Exception {
        receiverKills(KILLS);
    }

    private void receiverKills(int rounds) throws Exception {
        try (Harness harness = new Harness(shared())) {
            Harness.Out out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .build());
            long[] next = {1};
            harness.agent(new org.agrona.concurrent.Agent() {
                @Override
                public int doWork() {
                    if (out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, next[0]) >= 0) {
                        next[0]++;
                    }
                    return 1;
                }

                @Override
                public String roleName() {
                    return "source";
                }
            });
            long firstOfLast = 1;
            for (int round = 1; round <= rounds; round++) {
                try (Child receiver = new Child(ReceiverChild.class, harness.link.directory())) {
                    long more = random.nextInt(1, 5_000);
                    harness.runUntil(() -> receiver.said("first ") && receiver.last("last ") > more);
                    // a driver lets it join where it saw the slowest subscriber last:
                    // what the killed one has read since comes again
                    assertThat(receiver.last("first ")).as("seed " + SEED).isGreaterThanOrEqualTo(firstOfLast);
                    firstOfLast = receiver.last("first ");
                    receiver.kill();
                    assertThat(receiver.last("last ")).isGreaterThanOrEqualTo(firstOfLast);
                    assertThat(receiver.lines).noneMatch(line -> line.startsWith("broken"));
                }
            }
            assertThat(out.sender.dropped()).isZero();
            assertThat(out.ring.state()).isEqualTo(State.RUNNING);
        }
    }

    /** As after a pause that was longer than the client's time-out: the process stood still, and the driver inside it runs again. */
    @Test
    void aClientThatHasGivenUpIsReplacedAlsoWithADriverInsideTheProcess() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .build());
            Harness.In in = harness.new In(64);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .oneSender(1)
                            .build());
            out.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 10);
            harness.link.aeron().close();
            assertThat(harness.link.isConnected()).isFalse();
            out.publish(11, 20);
            harness.runUntil(() -> in.values.size() == 20);
            assertThat(in.values).isEqualTo(numbers(1, 20));
            assertThat(harness.link.reconnects()).isEqualTo(1);
            assertThat(harness.link.isConnected()).isTrue();
            assertThat(receiver.missing()).isZero();
            assertThat(harness.errors).hasOnlyElementsOfType(LinkLostException.class);
        }
    }

    @Test
    void aSecondDriverOnADirectoryIsRefusedAndTheFirstGoesOn() throws Exception {
        try (Harness harness = new Harness()) {
            harness.steps(10);
            assertThatThrownBy(() -> AeronLink.embedded(e -> {})
                            .driver(context -> {
                                Harness.small(context);
                                context.aeronDirectoryName(
                                        harness.link.directory().toString());
                            })
                            .start())
                    .isInstanceOf(ActiveDriverException.class);
            Harness.Out out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .build());
            Harness.In in = harness.new In(64);
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                    .build());
            out.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 10);
        }
    }

    @Test
    void aDirectoryWithoutADriverIsToldAndDoesNotHang() {
        assertThatThrownBy(() -> AeronLink.external(Harness.freshDirectory(), e -> {})
                        .client(context -> context.driverTimeoutMs(200))
                        .start())
                .isInstanceOf(DriverTimeoutException.class);
    }

    @Test
    void settingsMayNotGiveTheClientAThread() {
        assertThatThrownBy(() -> AeronLink.embedded(e -> {})
                        .driver(Harness::small)
                        .client(context -> context.useConductorAgentInvoker(false))
                        .start())
                .hasMessage(
                        "settings must leave the client without a thread, but they turned useConductorAgentInvoker off");
    }

    /** Takes the place of a full file system: so many logs fit, and no more. */
    private static final class Quota implements LogFactory {
        private final String directory;
        private int left;
        private LogFactory files;

        Quota(String directory, int left) {
            this.directory = directory;
            this.left = left;
        }

        private LogFactory files() {
            take();
            if (files == null) { // not before: the driver empties its directory when it starts
                AtomicCounter mapped = new AtomicCounter(new UnsafeBuffer(new byte[128]), 0);
                files = new FileStoreLogFactory(directory, 4_096, false, 0, e -> {}, mapped);
            }
            return files;
        }

        private void take() {
            if (left-- <= 0) {
                throw new StorageSpaceException("insufficient usable storage");
            }
        }

        @Override
        public RawLog newPublication(long correlationId, int termLength, boolean sparse) {
            return files().newPublication(correlationId, termLength, sparse);
        }

        @Override
        public RawLog newImage(long correlationId, int termLength, boolean sparse) {
            return files().newImage(correlationId, termLength, sparse);
        }

        @Override
        public void close() {
            CloseHelper.close(files);
        }
    }

    /** The setting is not public. */
    private static void makeLogs(MediaDriver.Context context, LogFactory factory) {
        try {
            Method setting = MediaDriver.Context.class.getDeclaredMethod("logFactory", LogFactory.class);
            setting.setAccessible(true);
            setting.invoke(context, factory);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Aeron 1.51 has this setting", e);
        }
    }

    @Test
    void fullStorageFailsTheRingThatNeedsALogAndNoOther() throws Exception {
        try (Harness harness = new Harness(context -> {
            makeLogs(context, new Quota(context.aeronDirectoryName(), 1));
        })) {
            Harness.Out first = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .build());
            harness.runUntil(first.sender::open);
            Harness.Out second = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM + 1, ENCODER)
                            .build());
            second.publish(1, 1);
            harness.runUntil(() -> second.ring.state() == State.FAILED);
            assertThat(second.ring.failure())
                    .isInstanceOf(RegistrationException.class)
                    .hasMessageContaining("insufficient usable storage");
            Harness.In in = harness.new In(64);
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                    .build());
            first.publish(1, 100);
            harness.runUntil(() -> in.values.size() == 100);
            assertThat(in.values).isEqualTo(numbers(1, 100));
        }
    }

    @Test
    void datagramsThatAreLostAreRepairedByAeronInOrder() throws Exception {
        try (Harness harness = new Harness(context -> context.receiveChannelEndpointSupplier(
                (channel, dispatcher, status, driverContext) -> new DebugReceiveChannelEndpoint(
                        channel,
                        dispatcher,
                        status,
                        driverContext,
                        new RandomLossGenerator(0.05, SEED),
                        new RandomLossGenerator(0.05, SEED + 1))))) {
            String channel = Harness.udp();
            Harness.Out out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, channel, STREAM, ENCODER)
                            .build());
            Harness.In in = harness.new In(64);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, in.sink(), new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            out.publish(1, 3_000);
            harness.runUntil(() -> in.values.size() >= 3_000);
            assertThat(in.values).as("seed " + SEED).isEqualTo(numbers(1, 3_000));
            assertThat(receiver.missing() + receiver.repeated()).isZero();
        }
    }

    /** Datagrams that get lost, overtake each other, and come twice: Aeron has no generator of those, so a relay stands between. */
    @Test
    void datagramsThatAreLostReorderedAndDoubledComeOnceAndInOrder() throws Exception {
        try (Harness harness = new Harness();
                Relay relay = new Relay(new SplittableRandom(SEED))) {
            Harness.Out out = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, relay.channelIn(), STREAM, ENCODER)
                            .build());
            Harness.In in = harness.new In(64);
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, relay.channelOut(), STREAM, in.sink(), new Heard())
                            .build());
            harness.agent(relay);
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            out.publish(1, 5_000);
            harness.runUntil(() -> in.values.size() >= 5_000);
            assertThat(in.values).as("seed " + SEED).isEqualTo(numbers(1, 5_000));
            assertThat(receiver.missing() + receiver.repeated()).isZero();
            assertThat(relay.lost()).as("seed " + SEED).isPositive();
            assertThat(relay.overtaken()).as("seed " + SEED).isPositive();
            assertThat(relay.doubled()).as("seed " + SEED).isPositive();
        }
    }
}
