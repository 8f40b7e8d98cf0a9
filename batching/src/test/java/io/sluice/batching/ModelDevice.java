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
        END_FAILED,
        GIVEN_UP_WITH_A_PART_TAKEN,
        GIVEN_UP_WITH_AN_END_OWED,
        GIVEN_UP_WITH_NOTHING_OWED
    }

    /** A failure that was planned, as it has to come out. */
    private record Fault(
            Part part, @Nullable Throwable planned, Class<?> type, int untaken, long firstUntaken, long last) {}

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
    private final int maxMessages;
    private final int longest;
    private final IntSupplier limit;
    private final @Nullable BatchStatistics statistics;
    private final Map<Part, Integer> oneIn = new EnumMap<>(Part.class); // 0: never
    private final Map<Seen, Integer> seen;

    // what the driver says
    BooleanSupplier mayFlush = () -> false;

    @Nullable
    SplittableRandom fates; // null: nothing fails

    @Nullable
    Element due; // to be encoded next, and nothing else

    boolean endPutOff; // a failed end that a policy has skipped is not tried again before an element is
    Runnable beforeEncoding = () -> {};
    Runnable duringSend = () -> {};

    // what was accepted and is not on the device as a whole
    private final List<Element> pending = new ArrayList<>();
    private @Nullable Element candidate; // encoded, does not fit
    private byte @Nullable [] header;
    private byte @Nullable [] offered;
    private int taken; // bytes of what is offered
    private boolean rewound; // and no byte since
    private boolean forLackOfRoom;
    private boolean headerFailed;
    /** Bytes that the device has, behind the last end. */
    long unended;

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

    /** Whether a batch was to go out, and did not as a whole. */
    boolean waits() {
        return offered != null || headerFailed;
    }

    /** Before a call of the handler or batcher. */
    void begin() {
        fault = null;
        rewound = false;
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
            require(e.messages() == failed.untaken, "messages() does not say how many were not taken");
            if (failed.untaken > 0 || failed.part == Part.END) {
                require(
                        e.firstSequence() == failed.firstUntaken,
                        "firstSequence() is not of the first that was not taken");
                require(e.lastSequence() == failed.last, "lastSequence() is not of the last one");
            }
        } else {
            require(failed.planned == null || thrown == failed.planned, "another failure");
        }
        if (thrown instanceof MessageTooLargeException e) {
            require(e.limit() == longest && e.length() == longest + 1, "another length or limit");
        }
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
        if (!pending.isEmpty()) {
            saw(unended > 0 ? Seen.GIVEN_UP_WITH_AN_END_OWED : Seen.GIVEN_UP_WITH_NOTHING_OWED);
        }
        delivered += whole;
        discarded += dropped;
        next();
        return dropped;
    }

    /** All that was accepted is on the device, or given up; all that is there was ended. */
    void requireNothingLeft() {
        require(pending.isEmpty(), "messages are left");
        require(unended == 0, "what the device has taken was not ended");
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

    private int failEncoder(ByteBuffer buffer, int offset) throws IOException {
        buffer.order(ByteOrder.BIG_ENDIAN);
        while (buffer.hasRemaining()) {
            buffer.put((byte) '!'); // all of it may be written
        }
        switch (random().nextInt(4)) {
            case 0 -> {
                fault = new Fault(Part.ENCODER, null, MessageTooLargeException.class, 0, 0, 0);
                return longest + 1;
            }
            case 1 -> {
                fault = new Fault(Part.ENCODER, null, IllegalStateException.class, 0, 0, 0);
                return -1;
            }
            case 2 -> {
                fault = new Fault(Part.ENCODER, null, IllegalStateException.class, 0, 0, 0);
                buffer.put((byte) '!');
                throw new Violation("the encoder has more room than is allowed", null);
            }
            default -> {
                buffer.clear().position(offset);
                IOException planned = new IOException("encoder");
                fault = new Fault(Part.ENCODER, planned, IOException.class, 0, 0, 0);
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
                throw failed(Part.HEADER, "header");
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
            id++;
        }
        ByteBuffer buffer = batch.buffer();
        require(batch.id() == id, "the number of the batch is another");
        requireDescribed(batch);
        require(taken < all.length, "what was taken is offered again");
        require(buffer.limit() == all.length, "the limit is not the end of the batch");
        require(buffer.position() == taken, "the position is not behind what was taken");
        for (int i = 0; i < all.length; i++) {
            require(buffer.get(i) == all[i], "other bytes are offered");
        }
        duringSend.run();
        int left = all.length - taken;
        if (!fails(Part.SEND)) {
            take(buffer, left);
            complete();
            return;
        }
        switch (random().nextInt(8)) {
            case 0, 1 -> {
                take(buffer, 1 + random().nextInt(left));
                rewound = false;
                settle();
            }
            case 2 -> failed(Part.SEND, null); // it took nothing, which is a failure, since nothing is waited for
            case 3 -> {
                saw(Seen.REWOUND);
                take(buffer, random().nextInt(left + 1));
                int to = random().nextInt(taken + 1);
                batch.rewindTo(to);
                unended -= taken - to;
                taken = to;
                if (taken == all.length) {
                    complete();
                } else if (rewound) {
                    failed(Part.SEND, null); // twice without progress: no time is left
                } else {
                    rewound = true;
                }
            }
            case 4 -> {
                take(buffer, random().nextInt(left + 1));
                if (random().nextInt(8) == 0) {
                    StackOverflowError planned = new StackOverflowError("planned");
                    fault = new Fault(Part.SEND, planned, StackOverflowError.class, 0, 0, 0);
                    throw planned;
                }
                throw failed(Part.SEND, "sink");
            }
            default -> {
                take(buffer, random().nextInt(left + 1));
                saw(taken == all.length ? Seen.SEND_FAILED_WITH_ALL_TAKEN : Seen.SEND_FAILED);
                throw failed(Part.SEND, "sink");
            }
        }
    }

    @Override
    public void endOfBatch() throws IOException {
        call(() -> {
            settle();
            require(pending.isEmpty() && candidate == null, "a batch of events ends with messages left");
            require(unended > 0, "the end is told, but the device has nothing new");
            require(mayFlush.getAsBoolean(), "the batch of events ends too soon");
            require(!endPutOff, "an end that was skipped is tried again before any element");
            if (fails(Part.END)) {
                saw(Seen.END_FAILED);
                throw failed(Part.END, "end");
            }
            unended = 0;
            failures = 0;
        });
    }

    @Override
    public void onIdle() throws IOException {
        call(() -> {
            idles++;
            if (fails(Part.IDLE)) {
                IOException planned = new IOException("idle");
                fault = new Fault(Part.IDLE, planned, IOException.class, 0, 0, 0);
                throw planned;
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

    private void take(ByteBuffer buffer, int count) {
        buffer.position(buffer.position() + count);
        taken += count;
        unended += count;
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
        rewound = false;
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

    private boolean fails(Part part) {
        int rate = oneIn.getOrDefault(part, 0);
        return fates != null && rate > 0 && fates.nextInt(rate) == 0;
    }

    private SplittableRandom random() {
        SplittableRandom present = fates;
        require(present != null, "nothing fails without fates");
        return present;
    }

    /** Notes a failure that has to come out as a SinkException; null for one without a cause. */
    private IOException failed(Part part, @Nullable String message) {
        IOException planned = new IOException(message == null ? "none" : message);
        long first = -1;
        long last = -1;
        int untaken = 0;
        int end = headerLength;
        for (Element element : pending) {
            end += element.length;
            if (offered == null || end > taken) {
                first = untaken++ == 0 ? element.number : first;
            }
            last = element.number;
        }
        fault = new Fault(part, message == null ? null : planned, SinkException.class, untaken, first, last);
        return planned;
    }

    private void saw(Seen what) {
        seen.merge(what, 1, Integer::sum);
    }

    private interface Called {
        void call() throws IOException;
    }

    private void call(Called called) throws IOException {
        try {
            promised(() -> {
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
