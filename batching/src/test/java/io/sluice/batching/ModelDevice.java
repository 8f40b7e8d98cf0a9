package io.sluice.batching;

import io.sluice.testing.RandomPrograms;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * A simple model of how messages become batches. It stands where the encoder, the header's encoder and the device stand, so it sees
 * each call, lets it fail as a program says, and asks for this:
 *
 * <ul>
 *   <li>A batch holds the messages that were accepted since the last one: all of them, in order, with the bytes, offsets and sequences
 *       that they have to have.
 *   <li>Nothing is encoded behind a batch that has no room, or that was offered. A batch goes out for lack of room, or because the
 *       program is at a point where batches end.
 *   <li>A batch that was offered is offered again as it is, from the first byte that was not taken. Its header is made once, but for
 *       headers that failed.
 *   <li>An end is told if the device has bytes that were not ended, and at no other time.
 *   <li>What fails is thrown at once, as it was, and says what was not taken.
 * </ul>
 *
 * <p>Below it is one {@link ModelSink}, or a {@link CompositeSink} of several, perhaps with another one in it. Then the device is as far as
 * the slowest of them, and each of them has its own end.
 *
 * <p>Who drives it says before each call what may happen, and looks afterwards whether all is handed on that has to be.
 */
final class ModelDevice implements BatchSink, MessageEncoder<ModelDevice.Element>, HeaderEncoder {
    /** What the encoder turns into bytes. The number is its sequence, too. */
    record Element(long number, int length) {
        byte at(int index) {
            return (byte) (number * 31 + index * 7L + 1);
        }
    }

    /** What can fail. */
    enum Part {
        ENCODER,
        HEADER,
        SEND,
        END,
        IDLE
    }

    /** What has to come about in some programs: else they would look at less than they say. */
    enum Seen {
        HEADER_FAILED_ON_FULL_BY_COUNT,
        HEADER_FAILED_ON_FULL_BY_BYTES,
        HEADER_FAILED_ON_ONE_LONG_MESSAGE,
        HEADER_FAILED_BEFORE_WHAT_DOES_NOT_FIT,
        HEADER_FAILED_WITH_ROOM_LEFT,
        ENCODER_FAILED,
        SEND_FAILED,
        SEND_FAILED_WITH_ALL_TAKEN,
        REWOUND,
        REWOUND_AND_FAILED,
        END_FAILED,
        ENDS_OF_SEVERAL_FAILED,
        GIVEN_UP_WITH_A_PART_TAKEN,
        GIVEN_UP_THOUGH_ONE_SINK_OF_SEVERAL_HAS_TAKEN_SOME,
        GIVEN_UP_WITH_AN_END_OWED,
        GIVEN_UP_WITH_NOTHING_OWED
    }

    /** A failure that was planned, as it has to come out. */
    private record Fault(Part part, @Nullable Throwable planned, Class<?> type) {}

    /** A promise that was broken. */
    static final class Violation extends AssertionError {
        private static final long serialVersionUID = 1L;

        Violation(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    // the setting
    final BatchingConfig config;
    private final int bufferSize;
    private final int headerLength;
    final int maxMessages;
    private final int longest;
    private final IntSupplier limit;
    private final @Nullable BatchStatistics statistics;
    private final Map<Part, Integer> oneIn = new EnumMap<>(Part.class); // 0: never
    private final Map<Seen, Integer> seen;
    private final List<ModelSink> sinks = new ArrayList<>();
    private final BatchSink below;

    // what the driver says
    BooleanSupplier mayFlush = () -> false;

    @Nullable
    SplittableRandom fates; // null: nothing fails

    @Nullable
    Element due; // to be encoded next, and nothing else

    boolean endPutOff; // a failed end that a policy has skipped is not tried again before an element is
    Class<?> idleFailure = IOException.class; // as what a failure of an idle call has to come out
    Runnable beforeEncoding = () -> {};
    Runnable duringSend = () -> {};

    // what was accepted and is not on the device as a whole
    private final List<Element> pending = new ArrayList<>();
    private @Nullable Element candidate; // encoded, does not fit
    private byte @Nullable [] header;
    private byte @Nullable [] offered;
    private int taken; // bytes of what is offered, by all sinks
    private boolean rewinds; // a sink went back in this send
    private boolean rewound; // and no byte since that was not taken before
    private int furthest; // bytes of what is offered that were taken in this call, or before it
    private boolean forLackOfRoom;
    private boolean headerFailed;

    // what has happened
    int failures; // since there was progress
    long accepted; // elements that were encoded
    long batches;
    private long messages;
    private long bytes;
    private long full;
    private long delivered;
    long discarded;
    private long withBytes; // of those accepted
    private long id;
    int idles;
    int shutdowns;
    int closes;
    int calls; // of any kind but the source's
    private @Nullable Fault fault;
    private @Nullable Violation violation;

    ModelDevice(SplittableRandom random, Map<Seen, Integer> seen) {
        this.seen = seen;
        headerLength = random.nextInt(3);
        bufferSize = 8 + random.nextInt(30);
        maxMessages = 1 + random.nextInt(6);
        BatchingConfig made = BatchingConfig.defaults()
                .bufferSize(bufferSize)
                .maxMessages(maxMessages)
                .sinkIdle(NoOpIdleStrategy.INSTANCE, 0);
        if (headerLength > 0) {
            made = made.header(headerLength, this);
        }
        int inBatch = bufferSize - headerLength;
        int alone = random.nextBoolean() ? inBatch + random.nextInt(20) : 0;
        if (alone > 0) {
            made = made.sendOversizeAlone(alone);
        }
        longest = Math.max(inBatch, alone);
        if (random.nextInt(4) == 0) {
            AdaptiveLimit adaptive = new AdaptiveLimit(100, 4, 40);
            SplittableRandom times = random.split();
            long[] now = {Long.MAX_VALUE - 1_000};
            made = made.adaptiveLimit(adaptive).clock(() -> now[0] += times.nextInt(120));
            limit = () -> Math.min(bufferSize, adaptive.limit());
        } else {
            limit = () -> bufferSize;
        }
        statistics = random.nextInt(8) == 0 ? new BatchStatistics() : null;
        config = statistics == null ? made : made.statistics(statistics);
        int[] rates = {0, 16, 6, 3};
        for (Part part : Part.values()) {
            oneIn.put(part, rates[random.nextInt(rates.length)]);
        }
        boolean one = random.nextBoolean();
        for (int i = one ? 0 : random.nextInt(3); i >= 0; i--) {
            sinks.add(new ModelSink(this, one));
        }
        below = one ? sinks.get(0) : composite(random);
    }

    private BatchSink composite(SplittableRandom random) {
        List<BatchSink> parts = new ArrayList<>(sinks);
        if (parts.size() > 1 && random.nextBoolean()) {
            int at = random.nextInt(parts.size() - 1);
            BatchSink second = parts.remove(at + 1);
            parts.set(at, new CompositeSink(List.of(parts.get(at), second)));
        }
        return new CompositeSink(parts);
    }

    /** The length of an element: short ones for the most part, some without bytes, some that only just fit, or go alone. */
    int length(SplittableRandom random) {
        return random.nextInt(6) == 0 ? random.nextInt(longest + 1) : random.nextInt(Math.min(longest, 8) + 1);
    }

    // ---- what the driver asks

    int pending() {
        return pending.size();
    }

    /** Whether nothing more may be added. */
    boolean noRoom() {
        return end() >= bufferSize || pending.size() == maxMessages;
    }

    boolean isOffered() {
        return offered != null;
    }

    /** Whether a sink has taken bytes behind the last end. */
    boolean owesEnd() {
        return sinks.stream().anyMatch(ModelSink::owesEnd);
    }

    /** Whether a batch was to go out, and did not as a whole. */
    boolean waits() {
        return offered != null || headerFailed;
    }

    /** Before a call of the handler or batcher. */
    void begin() {
        fault = null;
        rewound = false;
        furthest = taken;
    }

    /** What has failed in this call. */
    @Nullable
    Part failedPart() {
        return fault == null ? null : fault.part;
    }

    /** Behind a call: it has thrown what failed, and nothing else. Whoever got in the way is not in the batch. */
    void end(@Nullable Throwable thrown) {
        requireKept();
        candidate = null;
        Fault failed = fault;
        if (failed == null) {
            if (thrown != null) {
                throw new Violation("it threw, but nothing had failed: " + thrown, thrown);
            }
            return;
        }
        require(thrown != null, "a failure came to nothing");
        requireType(failed, thrown);
        if (thrown instanceof SinkException e) {
            require(e.getCause() == failed.planned, "another cause");
            requireUntaken(e);
        } else {
            require(failed.planned == null || thrown == failed.planned, "another failure");
        }
        if (thrown instanceof MessageTooLargeException e) {
            require(e.limit() == longest && e.length() == longest + 1, "another length or limit");
        }
    }

    private void requireUntaken(SinkException e) {
        int untaken = 0;
        long first = -1;
        long last = -1;
        int end = headerLength;
        for (Element element : pending) {
            end += element.length;
            if (offered == null || end > taken) {
                first = untaken++ == 0 ? element.number : first;
                last = element.number;
            }
        }
        require(e.messages() == untaken, "messages() does not say how many were not taken");
        require(e.firstSequence() == first, "firstSequence() is not of the first that was not taken");
        require(e.lastSequence() == last, "lastSequence() is not of the last one");
    }

    /** No promise was broken while it was called: the caller may have swallowed what it was told. */
    void requireKept() {
        if (violation != null) {
            throw violation;
        }
    }

    /** Keeps the first promise that is broken inside: whoever called may swallow it. */
    <T> T kept(Callable<T> asked) throws Exception {
        try {
            return asked.call();
        } catch (Violation e) {
            violation = violation == null ? e : violation;
            throw e;
        }
    }

    private static void requireType(Fault failed, Throwable thrown) {
        if (!failed.type.isInstance(thrown)) {
            throw new Violation("expected " + failed.type.getSimpleName() + ", but was " + thrown, thrown);
        }
    }

    /** The batch that waits may have been taken as a whole before its sink threw. The next attempt finds that out. */
    void settle() {
        byte[] present = offered;
        if (present != null && taken == present.length) {
            complete();
        }
    }

    /** The messages that were not taken are given up. */
    int discard() {
        int whole = 0;
        int end = headerLength;
        if (offered != null) {
            while (whole < pending.size() && end + pending.get(whole).length <= taken) {
                end += pending.get(whole++).length;
            }
        }
        int dropped = pending.size() - whole;
        if (taken > end || (taken > 0 && whole == 0)) {
            saw(Seen.GIVEN_UP_WITH_A_PART_TAKEN);
        }
        if (offered != null && taken == 0 && sinks.stream().anyMatch(sink -> sink.takenOf(id) > 0)) {
            saw(Seen.GIVEN_UP_THOUGH_ONE_SINK_OF_SEVERAL_HAS_TAKEN_SOME);
        }
        if (!pending.isEmpty()) {
            saw(owesEnd() ? Seen.GIVEN_UP_WITH_AN_END_OWED : Seen.GIVEN_UP_WITH_NOTHING_OWED);
        }
        delivered += whole;
        discarded += dropped;
        next();
        return dropped;
    }

    /** All that was accepted is on the device, or given up; all that is there was ended. */
    void requireNothingLeft() {
        require(pending.isEmpty(), "messages are left");
        require(!owesEnd(), "what the device has taken was not ended");
        requireCounts();
    }

    /** Each message that was accepted is on the device, given up or left. */
    void requireCounts() {
        require(delivered + discarded + pending.size() == withBytes, "a message is lost, or came twice");
    }

    /** At the end: a snapshot takes long. */
    void requireStatistics() {
        if (statistics != null) {
            BatchStatistics.Snapshot counted = statistics.snapshot();
            require(counted.batches() == batches, "the statistics count other batches");
            require(counted.messages() == messages, "the statistics count other messages");
            require(counted.bytes() == bytes, "the statistics count other bytes");
            require(counted.fullBatches() == full, "the statistics count other full batches");
        }
    }

    /** All that is to be seen came about, in one program of twenty or more often. */
    static void requireSeen(RandomPrograms.Totals totals, Map<Seen, Integer> seen) {
        for (Seen what : Seen.values()) {
            int times = seen.getOrDefault(what, 0);
            if (!totals.replay() && times < totals.programs() / 20) {
                throw new AssertionError(what + " came " + times + " times in " + totals.programs() + " programs");
            }
        }
    }

    static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new Violation(otherwise, null);
        }
    }

    // ---- what the handler or the batcher calls

    @Override
    public int encode(Element event, ByteBuffer buffer, int offset) throws Exception {
        return promised(() -> encoded(event, buffer, offset));
    }

    private int encoded(Element event, ByteBuffer buffer, int offset) throws Exception {
        settle();
        require(offered == null, "an element is encoded while a batch waits");
        require(!noRoom(), "an element is encoded behind a full batch");
        require(event.equals(due), "another element is encoded");
        require(offset == end(), "an element is encoded at the wrong place");
        require(buffer.position() == offset && buffer.remaining() == longest, "the encoder has other room");
        require(buffer.order() == ByteOrder.LITTLE_ENDIAN, "the encoder's buffer has another order");
        beforeEncoding.run();
        endPutOff = false;
        if (fails(Part.ENCODER)) {
            saw(Seen.ENCODER_FAILED);
            return failEncoder(buffer, offset);
        }
        buffer.order(anyOrder(event.number / 2));
        for (int i = 0; i < event.length; i++) {
            if (event.number % 2 == 0) {
                buffer.put(event.at(i));
            } else {
                buffer.put(offset + i, event.at(i));
            }
        }
        if (!pending.isEmpty() && event.length > 0 && offset + event.length > limit.getAsInt()) {
            candidate = event;
        } else {
            accept(event);
        }
        return event.length;
    }

    /** What is set in one call must not be seen in the next one. */
    static ByteOrder anyOrder(long of) {
        return of % 2 == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    private int failEncoder(ByteBuffer buffer, int offset) throws IOException {
        buffer.order(ByteOrder.BIG_ENDIAN);
        while (buffer.hasRemaining()) {
            buffer.put((byte) '!'); // all of it may be written
        }
        switch (random().nextInt(4)) {
            case 0 -> {
                fault = new Fault(Part.ENCODER, null, MessageTooLargeException.class);
                return longest + 1;
            }
            case 1 -> {
                fault = new Fault(Part.ENCODER, null, IllegalStateException.class);
                return -1;
            }
            case 2 -> {
                fault = new Fault(Part.ENCODER, null, IllegalStateException.class);
                buffer.put((byte) '!');
                throw new Violation("the encoder has more room than is allowed", null);
            }
            default -> {
                buffer.clear().position(offset);
                IOException planned = new IOException("encoder");
                fault = new Fault(Part.ENCODER, planned, IOException.class);
                throw planned;
            }
        }
    }

    @Override
    public void encode(Batch batch) throws Exception {
        promised(() -> {
            require(offered == null && header == null, "a second header is made");
            requireMayGo();
            requireDescribed(batch);
            ByteBuffer buffer = batch.buffer();
            require(buffer.order() == ByteOrder.LITTLE_ENDIAN, "the header's buffer has another order");
            buffer.order(anyOrder(batches));
            byte[] made = new byte[headerLength];
            for (int i = 0; i < headerLength; i++) {
                made[i] = (byte) (batches * 13 + pending.size() + i);
                buffer.put(i, made[i]);
            }
            if (fails(Part.HEADER)) {
                saw(
                        candidate != null
                                ? Seen.HEADER_FAILED_BEFORE_WHAT_DOES_NOT_FIT
                                : end() > bufferSize
                                        ? Seen.HEADER_FAILED_ON_ONE_LONG_MESSAGE
                                        : pending.size() == maxMessages
                                                ? Seen.HEADER_FAILED_ON_FULL_BY_COUNT
                                                : end() == bufferSize
                                                        ? Seen.HEADER_FAILED_ON_FULL_BY_BYTES
                                                        : Seen.HEADER_FAILED_WITH_ROOM_LEFT);
                buffer.put(0, (byte) '!');
                headerFailed = true;
                throw failed(Part.HEADER, false);
            }
            headerFailed = false;
            header = made;
            return 0;
        });
    }

    @Override
    public void send(Batch batch) throws IOException {
        call(() -> sent(batch));
    }

    private void sent(Batch batch) throws IOException {
        byte[] all = offered;
        if (all == null) {
            if (headerLength == 0) {
                requireMayGo();
                header = new byte[0];
            }
            byte[] first = header;
            require(first != null, "a batch is sent without its header");
            all = whole(first);
            offered = all;
            require(batch.id() > id, "the number of the batch is not new");
            id = batch.id();
        }
        requireOffered(batch, taken);
        duringSend.run();
        int before = taken;
        try {
            below.send(batch);
        } catch (IOException | StackOverflowError e) {
            taken = slowest(); // or further back, where a sink went back
            saw(
                    rewinds
                            ? Seen.REWOUND_AND_FAILED
                            : taken == all.length ? Seen.SEND_FAILED_WITH_ALL_TAKEN : Seen.SEND_FAILED);
            rewinds = false;
            throw e;
        }
        taken = slowest();
        require(batch.buffer().position() == taken, "the position is not behind what all sinks have taken");
        boolean again = rewinds;
        rewinds = false;
        if (taken == all.length) {
            complete();
        } else if (taken > before && !again) {
            rewound &= taken <= furthest; // what comes no further than before the connection broke is no progress
            furthest = Math.max(furthest, taken);
        } else if (again && !rewound) {
            rewound = true;
        } else { // nothing was taken, which is a failure, since nothing is waited for
            fault = new Fault(Part.SEND, null, SinkException.class);
        }
    }

    private int slowest() {
        int least = Integer.MAX_VALUE;
        for (ModelSink sink : sinks) {
            least = Math.min(least, sink.takenOf(id));
        }
        return least;
    }

    /** A batch is offered as it was made, from the first byte on that was not taken. */
    void requireOffered(Batch batch, int from) {
        byte[] all = offered;
        require(all != null, "a batch is offered that was not made");
        ByteBuffer buffer = batch.buffer();
        require(batch.id() == id, "the number of the batch is another");
        requireDescribed(batch);
        require(from < all.length, "what was taken is offered again");
        require(buffer.limit() == all.length, "the limit is not the end of the batch");
        require(buffer.position() == from, "the position is not behind what was taken");
        require(buffer.order() == ByteOrder.LITTLE_ENDIAN, "the sink's buffer has another order");
        for (int i = 0; i < all.length; i++) {
            require(buffer.get(i) == all[i], "other bytes are offered");
        }
    }

    /** A sink sets the position back. */
    void rewinds() {
        saw(Seen.REWOUND);
        rewinds = true;
    }

    @Override
    public void endOfBatch() throws IOException {
        call(() -> {
            settle();
            require(pending.isEmpty() && candidate == null, "a batch of events ends with messages left");
            require(owesEnd(), "the end is told, but the device has nothing new");
            require(mayFlush.getAsBoolean(), "the batch of events ends too soon");
            require(!endPutOff, "an end that was skipped is tried again before any element");
            List<ModelSink> owing = sinks.stream().filter(ModelSink::owesEnd).toList();
            int before = owing.stream().mapToInt(ModelSink::ends).sum();
            try {
                below.endOfBatch();
            } finally {
                require(
                        owing.stream().mapToInt(ModelSink::ends).sum() == before + owing.size(),
                        "a sink has something new, and is not told of the end");
            }
            failures = 0;
        });
    }

    @Override
    public void onIdle() throws IOException {
        call(() -> {
            idles++;
            try {
                below.onIdle();
            } finally {
                require(
                        sinks.stream().allMatch(sink -> sink.idles() == idles),
                        "a sink does not hear that there is nothing to do");
            }
            failures = 0;
        });
    }

    @Override
    public void onShutdown() {
        shutdowns++;
    }

    @Override
    public void close() {
        closes++;
        if (shutdowns == 0) {
            violation = new Violation("closed before it heard of the end", null);
        }
    }

    // ---- inside

    private void accept(Element element) {
        if (element.length > 0) {
            pending.add(element);
            withBytes++;
        }
        accepted++;
        failures = 0;
        due = null;
    }

    private void complete() {
        batches++;
        messages += pending.size();
        bytes += end();
        full += forLackOfRoom ? 1 : 0;
        delivered += pending.size();
        next();
        Element behind = candidate;
        candidate = null;
        if (behind != null) {
            accept(behind);
        }
    }

    private void next() {
        pending.clear();
        header = null;
        offered = null;
        headerFailed = false;
        taken = 0;
        rewinds = false;
        rewound = false;
        furthest = 0;
        forLackOfRoom = false;
    }

    private int end() {
        int end = headerLength;
        for (Element element : pending) {
            end += element.length;
        }
        return end;
    }

    private byte[] whole(byte[] first) {
        byte[] all = Arrays.copyOf(first, end());
        int to = headerLength;
        for (Element element : pending) {
            for (int i = 0; i < element.length; i++) {
                all[to++] = element.at(i);
            }
        }
        return all;
    }

    private void requireMayGo() {
        require(!pending.isEmpty(), "an empty batch goes out");
        forLackOfRoom |= noRoom() || candidate != null;
        require(noRoom() || candidate != null || mayFlush.getAsBoolean(), "a batch with room goes out too soon");
    }

    private void requireDescribed(Batch batch) {
        require(batch.messages() == pending.size(), "the batch has another number of messages");
        require(batch.headerLength() == headerLength, "the batch has another header");
        require(batch.length() == end(), "the batch has another length");
        int offset = headerLength;
        for (int i = 0; i < pending.size(); i++) {
            Element element = pending.get(i);
            require(batch.sequence(i) == element.number, "a message has another sequence");
            require(batch.offset(i) == offset && batch.length(i) == element.length, "a message stands elsewhere");
            offset += element.length;
        }
    }

    boolean fails(Part part) {
        int rate = oneIn.getOrDefault(part, 0);
        return fates != null && rate > 0 && fates.nextInt(rate) == 0;
    }

    SplittableRandom random() {
        SplittableRandom present = fates;
        require(present != null, "nothing fails without fates");
        return present;
    }

    /** Notes a failure that has to come out as a SinkException; or throws an Error, which has to come out as it is. */
    IOException failed(Part part, boolean error) {
        if (error) {
            StackOverflowError planned = new StackOverflowError("planned");
            fault = new Fault(part, planned, StackOverflowError.class);
            throw planned;
        }
        IOException planned = new IOException("planned");
        fault = new Fault(part, planned, SinkException.class);
        return planned;
    }

    /** Notes the first failure of an end. The other sinks are told of it all the same. */
    IOException failedEnd() {
        saw(fault == null ? Seen.END_FAILED : Seen.ENDS_OF_SEVERAL_FAILED);
        IOException planned = new IOException("planned");
        fault = fault == null ? new Fault(Part.END, planned, SinkException.class) : fault;
        return planned;
    }

    /** Notes the first failure of an idle call. The other sinks are called all the same. */
    IOException failedIdle() {
        IOException planned = new IOException("idle");
        fault = fault == null ? new Fault(Part.IDLE, planned, idleFailure) : fault;
        return planned;
    }

    private void saw(Seen what) {
        seen.merge(what, 1, Integer::sum);
    }

    /** What a sink does when it is called. */
    interface Called {
        void call() throws IOException;
    }

    void call(Called called) throws IOException {
        callEnd(() -> {
            require(fault == null, "it goes on after a failure");
            called.call();
        });
    }

    /** Of an end, which is told to each sink though another one has failed. */
    void callEnd(Called called) throws IOException {
        calls++;
        try {
            kept(() -> {
                called.call();
                return 0;
            });
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private int promised(Callable<Integer> asked) throws Exception {
        calls++;
        return kept(() -> {
            require(fault == null, "it goes on after a failure");
            return asked.call();
        });
    }
}
