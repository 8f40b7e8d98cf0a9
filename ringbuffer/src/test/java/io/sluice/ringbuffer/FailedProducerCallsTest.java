package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.FullMemory;
import io.sluice.testing.StackEnd;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A call of a producer that fails in its middle, by the user's code or for want of memory or stack, leaves nothing in the way. */
@Timeout(110)
class FailedProducerCallsTest {
    private static final int EVENTS = 8;

    /** So long that a message takes several sequences, and the stamps between its first and its last one. */
    private static final int MESSAGE_LENGTH = 24;

    static List<String> kinds() {
        List<String> kinds = new ArrayList<>();
        for (String slots : List.of("objects", "bytes", "messages")) {
            for (String producers : List.of("single", "multi")) {
                kinds.add(producers + " " + slots);
                kinds.add(producers + " " + slots + " tracked");
            }
        }
        kinds.add("single objects large"); // its producer remembers what it has published
        kinds.add("single objects large tracked");
        return kinds;
    }

    /** A ring that has room for 8 events, or for many, each of which holds a number. */
    private static final class Numbers {
        final int capacity;
        final RingBuffer<Object> ring;
        final EventPoller<Object> poller;

        Numbers(String kind, Supplier<? extends IdleStrategy> producersIdle) {
            RingBufferBuilder<Object> builder = builder(kind).producersIdle(producersIdle);
            if (kind.contains("single")) {
                builder.singleProducer();
            }
            if (kind.contains("tracked")) {
                builder.trackClaims();
            }
            ring = builder.build();
            capacity = capacity(kind);
            poller = Pipeline.on(ring).poller("books");
        }

        @SuppressWarnings("unchecked") // events are Objects to the tests
        private static RingBufferBuilder<Object> builder(String kind) {
            if (kind.contains("messages")) {
                int units = (MESSAGE_LENGTH + Long.BYTES) / Messages.ALIGNMENT;
                return (RingBufferBuilder<Object>)
                        (RingBufferBuilder<?>) RingBufferBuilder.messages(EVENTS * units * Messages.ALIGNMENT);
            }
            return Words.ring(kind.contains("bytes"), 1).capacity(capacity(kind));
        }

        private static int capacity(String kind) {
            return kind.contains("large") ? CachedCursorProducer.FEWEST_SLOTS : EVENTS;
        }

        @SuppressWarnings("unchecked") // as above
        Publisher publisher(int n) {
            return ring instanceof MessageRing
                    ? new OfMessages(MessageProducer.of((RingBuffer<Messages>) (RingBuffer<?>) ring))
                    : new OfSlots(ring.producer(), n);
        }

        /** Fills the ring with the numbers from 0 on. */
        Publisher full() {
            Publisher publisher = publisher(1);
            for (long number = 0; number < capacity; number++) {
                publisher.publish(number);
            }
            return publisher;
        }

        List<Long> poll(int limit) {
            List<Long> seen = new ArrayList<>();
            poller.poll(
                    (event, sequence, endOfBatch) -> {
                        if (event instanceof Messages messages) {
                            assertThat(messages.type(sequence)).isEqualTo(1);
                            assertThat(messages.length(sequence)).isEqualTo(MESSAGE_LENGTH);
                            seen.add(messages.buffer().getLong(messages.offset(sequence)));
                        } else {
                            seen.add(Words.get(event, sequence, 0));
                        }
                    },
                    limit);
            return seen;
        }

        List<Long> pollAll() {
            List<Long> all = new ArrayList<>();
            List<Long> some;
            do {
                some = poll(EVENTS);
                all.addAll(some);
            } while (!some.isEmpty());
            return all;
        }
    }

    /** A producer, with one claim at a time. */
    private interface Publisher {
        /** Waits for room. */
        void claim();

        void fill(long number);

        void publish();

        void abort();

        void close();

        default void publish(long number) {
            claim();
            fill(number);
            publish();
        }
    }

    private static final class OfSlots implements Publisher {
        private final Producer<Object> producer;
        private final int n;
        private long hi;

        OfSlots(Producer<Object> producer, int n) {
            this.producer = producer;
            this.n = n;
        }

        @Override
        public void claim() {
            hi = producer.next(n);
        }

        @Override
        public void fill(long number) {
            for (long sequence = hi - n + 1; sequence <= hi; sequence++) {
                Words.set(producer.get(sequence), sequence, 0, number);
            }
        }

        @Override
        public void publish() {
            producer.publish(hi - n + 1, hi);
        }

        @Override
        public void abort() {
            producer.abort(hi - n + 1, hi);
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    private static final class OfMessages implements Publisher {
        private final MessageProducer producer;
        private long sequence;

        OfMessages(MessageProducer producer) {
            this.producer = producer;
        }

        @Override
        public void claim() {
            sequence = producer.claim(1, MESSAGE_LENGTH, Rings.LONG);
        }

        @Override
        public void fill(long number) {
            producer.buffer().putLong(producer.offset(sequence), number);
        }

        @Override
        public void publish() {
            producer.commit(sequence);
        }

        @Override
        public void abort() {
            producer.abort(sequence);
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    // the user's idle strategy

    /** Makes room with each step. */
    private static final class Failing implements IdleStrategy {
        Runnable makeRoom = () -> {};
        boolean fails;

        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            makeRoom.run();
        }

        @Override
        public void reset() {
            if (fails) {
                throw new IllegalStateException("planned");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aWaitWhoseIdleStrategyFailsAtItsEndLeavesNoClaimOpen(String kind) {
        Failing idle = new Failing();
        Numbers numbers = new Numbers(kind, () -> idle);
        List<Long> seen = new ArrayList<>();
        idle.makeRoom = () -> elsewhere(() -> seen.addAll(numbers.poll(1)));
        Publisher publisher = numbers.full();
        idle.fails = true;
        assertThatThrownBy(publisher::claim).hasMessage("planned");
        assertThat(numbers.ring.leftover().openClaims()).as("open claims").isZero();
        assertThat(RingMonitor.of(numbers.ring).producersWaiting())
                .as("producers that wait")
                .isZero();
        idle.fails = false;
        publisher.publish(numbers.capacity);
        elsewhere(() -> seen.addAll(numbers.pollAll()));
        assertThat(seen)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(0, numbers.capacity).boxed().toList());
        publisher.close();
        assertThat(numbers.ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nobodyIsSaidToWaitOnceTheEndOfTheRingHasEndedTheWait(String kind) {
        Failing idle = new Failing();
        Numbers numbers = new Numbers(kind, () -> idle);
        int[] waiting = {0};
        idle.makeRoom = () -> {
            waiting[0] = RingMonitor.of(numbers.ring).producersWaiting();
            elsewhere(numbers.ring::close);
        };
        Publisher publisher = numbers.full();
        try {
            publisher.claim(); // one of messages returns why not
        } catch (RingClosedException closed) {
            assertThat(closed).hasMessageContaining(numbers.ring.name());
        }
        assertThat(waiting[0]).as("while it waits").isEqualTo(1);
        assertThat(RingMonitor.of(numbers.ring).producersWaiting())
                .as("behind the close")
                .isZero();
        publisher.close();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nobodyIsSaidToWaitOnceAGatingSequenceHasFailedTheWait(String kind) {
        Failing idle = new Failing();
        Numbers numbers = new Numbers(kind, () -> idle);
        int[] waiting = {0};
        boolean[] fails = {false};
        numbers.ring.addGating(() -> {
            if (fails[0]) {
                fails[0] = false;
                throw new IllegalStateException("planned");
            }
            return numbers.poller.sequence().get();
        });
        idle.makeRoom = () -> {
            waiting[0] = RingMonitor.of(numbers.ring).producersWaiting();
            fails[0] = true;
        };
        Publisher publisher = numbers.full();
        assertThatThrownBy(publisher::claim).hasMessage("planned");
        assertThat(waiting[0]).as("while it waits").isEqualTo(1);
        assertThat(RingMonitor.of(numbers.ring).producersWaiting())
                .as("behind the failure")
                .isZero();
        publisher.close();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aClaimThatAnotherThreadIsRefusedDoesNotEndTheOwnersWait(String kind) {
        isRefusedWithinAWait(kind);
    }

    /** Assertions refuse the other thread before it comes to the wait. */
    @Test
    @Tag("once")
    void aClaimThatAnotherThreadIsRefusedWithoutAssertionsDoesNotEndTheOwnersWaitEither() throws Exception {
        assertThat(child("refused")).isEqualTo("each wait went on\n");
    }

    private static void isRefusedWithinAWait(String kind) {
        Failing idle = new Failing();
        Numbers numbers = new Numbers(kind, () -> idle);
        int[] waiting = {0};
        Publisher publisher = numbers.full();
        idle.makeRoom = () -> {
            elsewhere(() -> assertThatThrownBy(publisher::claim).isInstanceOf(IllegalStateException.class));
            waiting[0] = RingMonitor.of(numbers.ring).producersWaiting();
            elsewhere(() -> numbers.poll(1));
        };
        publisher.publish(numbers.capacity);
        assertThat(waiting[0])
                .as("producers that wait, behind the refusal, " + kind)
                .isEqualTo(1);
        publisher.close();
    }

    private static void elsewhere(Runnable body) {
        try {
            Rings.onOwnThread(body); // who polls may not wait for room
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aProducerThatCouldNotBeMadeIsNotCounted(String kind) {
        List<Supplier<@Nullable IdleStrategy>> unfit = List.of(SignalledIdle::exact, () -> null, () -> {
            throw new IllegalStateException("planned");
        });
        List<Supplier<@Nullable IdleStrategy>> next = new ArrayList<>();
        Numbers numbers = new Numbers(kind, () -> next.get(0).get());
        for (Supplier<@Nullable IdleStrategy> one : unfit) {
            next.clear();
            next.add(one);
            assertThatThrownBy(() -> numbers.publisher(1)).isInstanceOf(RuntimeException.class);
            assertThat(numbers.ring.leftover().openProducers())
                    .as("open producers")
                    .isZero();
        }
        next.clear();
        next.add(BusySpinIdleStrategy::new);
        Publisher publisher = numbers.publisher(1);
        assertThat(numbers.ring.leftover().openProducers()).isEqualTo(1);
        publisher.publish(5);
        assertThat(numbers.pollAll()).containsExactly(5L);
        publisher.close();
        assertThat(numbers.ring.drain(0).isNone()).isTrue();
    }

    // memory

    @ParameterizedTest
    @ValueSource(strings = {"single", "multi"})
    @Tag("once")
    void aProducerOfMessagesThatFindsNoMemoryIsNotCountedAndAnotherOneIsMadeLater(String kind) throws Exception {
        assertThat(child(kind)).isEqualTo("no memory, 0 open, then 1 open, claimed 0\n");
    }

    @Test
    @Tag("once")
    void aClaimThatFindsNoMemoryForTheRecordOfTheOpenOnesClaimsNothing() throws Exception {
        assertThat(child("record")).isEqualTo("no memory, claimed up to 9, then seen [10]\n");
    }

    /** Many slots, so that what marks them would be long. It is the first abort of that JVM. */
    @ParameterizedTest
    @ValueSource(strings = {"single", "multi", "behind a claim of multi"})
    @Tag("once")
    void aTranslatorThatThrowsForWantOfMemoryLeavesNoHole(String kind) throws Exception {
        assertThat(child("translator " + kind))
                .isEqualTo("thrown planned, 0 open, seen " + (kind.contains("behind") ? 41 : 40) + " and 65546 more\n");
    }

    private static String child(String task) throws Exception {
        return ChildJvm.run(Hog.class, List.of("-Xmx24m", "-Xms24m", "-XX:MaxDirectMemorySize=2m"), task);
    }

    /** The child, without assertions: some tasks leave it no memory for a while, or no stack. */
    static final class Hog {
        private static @Nullable Object kept;

        private Hog() {}

        public static void main(String[] arguments) throws InterruptedException {
            if (arguments[0].equals("refused")) {
                kinds().forEach(FailedProducerCallsTest::isRefusedWithinAWait);
                System.out.println("each wait went on");
            } else if (arguments[0].startsWith("stack ")) {
                cutOff(arguments[0].substring("stack ".length()));
                System.out.println("nothing is lost");
            } else if (arguments[0].startsWith("translator ")) {
                translator(arguments[0].endsWith("single"), arguments[0].contains("behind"));
            } else if (arguments[0].equals("record")) {
                record();
            } else {
                producer(arguments[0].equals("single"));
            }
        }

        /** One producer's translator uses up the memory, and throws. Then another one publishes more than the ring holds. */
        private static void translator(boolean single, boolean behindAClaim) {
            RingBuffer<long[]> ring = Rings.ring(single, 1 << 16);
            EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
            Producer<long[]> one = ring.producer();
            Rings.publish(one, 40);
            IllegalStateException planned = new IllegalStateException("planned");
            EventTranslator<long[]> hog = (event, sequence) -> {
                try {
                    FullMemory.take();
                } catch (OutOfMemoryError e) {
                    throw planned;
                }
            };
            Throwable thrown = null;
            long claimed = behindAClaim ? one.next() : -1;
            try {
                one.publishEvent(hog);
            } catch (Throwable t) {
                thrown = t;
            }
            FullMemory.free();
            if (behindAClaim) {
                one.publish(claimed);
            }
            long open = ring.leftover().openClaims();
            long[] seen = {0};
            while (poller.poll((event, sequence, endOfBatch) -> seen[0]++, 64) > 0) {}
            long first = seen[0];
            if (single) {
                one.close();
            }
            Producer<long[]> other = ring.producer();
            for (int i = 0; i < ring.capacity() + 10 && other.tryPublishEvent((event, sequence) -> {}) >= 0; i++) {
                poller.poll((event, sequence, endOfBatch) -> seen[0]++, 64);
            }
            System.out.println("thrown " + (thrown == planned ? "planned" : thrown) + ", " + open + " open, seen "
                    + first + " and " + (seen[0] - first) + " more");
        }

        /** The ring has half of the memory off the heap, and something else nearly all of the rest. */
        private static void producer(boolean single) {
            RingBufferBuilder<Messages> builder =
                    RingBufferBuilder.messages(1 << 20).trackClaims();
            RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
            kept = ByteBuffer.allocateDirect(900 << 10);
            String first;
            try {
                MessageProducer.of(ring);
                first = "made";
            } catch (OutOfMemoryError e) {
                first = "no memory";
            }
            kept = null;
            int open = ring.leftover().openProducers();
            MessageProducer producer = MessageProducer.of(ring);
            System.out.println(first + ", " + open + " open, then "
                    + ring.leftover().openProducers() + " open, claimed " + producer.tryClaim(1, 8));
        }

        /** Five claims that adjoin no other are open: the record of the sixth would be longer than it is at first. */
        private static void record() {
            RingBuffer<long[]> ring = Rings.ring(false, 64);
            EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
            Producer<long[]> one = ring.producer();
            Producer<long[]> other = ring.producer();
            for (int i = 0; i < 5; i++) {
                one.next();
                other.next();
            }
            boolean refused = false;
            try {
                FullMemory.take();
            } catch (OutOfMemoryError e) {
                try {
                    one.next();
                } catch (OutOfMemoryError again) {
                    refused = true; // no text: the first use of one takes memory
                }
            }
            FullMemory.free();
            String sixth = refused ? "no memory" : "claimed";
            long claimed = ((MultiProducerRing<long[]>) ring).highestClaimed();
            one.close();
            other.close();
            Rings.publish(ring.producer(), 1);
            List<Long> seen = new ArrayList<>();
            while (poller.poll((event, sequence, endOfBatch) -> seen.add(sequence), 64) > 0) {}
            System.out.println(sixth + ", claimed up to " + claimed + ", then seen " + seen);
        }
    }

    // stack

    /** Assertions look at the owner first, deeper than any publication goes: they would be cut off in its stead. */
    @ParameterizedTest
    @ValueSource(strings = {"single objects", "single objects large"})
    @Tag("once")
    void aPublicationThatTheEndOfTheStackCutsOffIsNotLostWithoutAssertionsEither(String kind) throws Exception {
        assertThat(child("stack " + kind)).isEqualTo("nothing is lost\n");
    }

    /** Called with less and less stack, down to none at all: what is not published then is published, or given up, later. */
    @ParameterizedTest
    @MethodSource("kinds")
    @Tag("once")
    @Tag("any-jdk")
    void aPublicationThatTheEndOfTheStackCutsOffIsNotLost(String kind) throws Exception {
        cutOff(kind);
    }

    private static void cutOff(String kind) throws InterruptedException {
        for (boolean again : new boolean[] {true, false}) {
            Thread thread = new Thread(null, () -> cutOff(kind, again), "shallow", 512 << 10);
            List<Throwable> thrown = new ArrayList<>();
            thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
            thread.start();
            thread.join();
            assertThat(thrown).as("publishes again: " + again).isEmpty();
        }
    }

    private static void cutOff(String kind, boolean again) {
        int n = again ? 1 : 3;
        int most = kind.contains("messages") ? 1 : n;
        int failed = 0;
        int wholeInARow = 0;
        for (int step = -1; wholeInARow < 24; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            Numbers numbers = new Numbers(kind, BusySpinIdleStrategy::new);
            Publisher publisher = numbers.publisher(n);
            publisher.claim();
            publisher.fill(7);
            boolean[] published = {false};
            Runnable work = () -> {
                publisher.publish();
                published[0] = true;
            };
            StackOverflowError cutOff = StackEnd.atStep(step, work);
            wholeInARow = published[0] ? wholeInARow + 1 : 0;
            if (!published[0]) {
                failed++;
                if (again) {
                    publishAgain(publisher);
                }
            }
            publisher.close();
            List<Long> seen = numbers.pollAll();
            numbers.publisher(1).publish(8);
            String when = "step " + step + ", " + cutOff;
            assertThat(seen)
                    .as("of the first, " + when)
                    .allMatch(number -> number == 7)
                    .hasSizeBetween(again || published[0] ? most : 0, most);
            assertThat(numbers.pollAll()).as("of the second, " + when).containsExactly(8L);
            assertThat(numbers.ring.leftover().openClaims()).as(when).isZero();
        }
        assertThat(failed).as("publications that were cut off").isPositive();
    }

    private static void onAShallowStack(Runnable work) throws InterruptedException {
        Thread thread = new Thread(null, work, "shallow", 512 << 10);
        List<Throwable> thrown = new ArrayList<>();
        thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
    }

    /** A close with less and less stack, and then a whole one. */
    @ParameterizedTest
    @MethodSource("kinds")
    @Tag("once")
    @Tag("any-jdk")
    void aProducerWhoseCloseTheEndOfTheStackCutOffIsClosedByTheNextCall(String kind) throws Exception {
        onAShallowStack(() -> closeAtTheEnd(kind));
    }

    private static void closeAtTheEnd(String kind) {
        int cutOff = 0;
        for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            String when = "behind step " + step;
            Numbers numbers = new Numbers(kind, BusySpinIdleStrategy::new);
            Publisher publisher = numbers.publisher(3);
            publisher.claim();
            publisher.fill(7);
            boolean whole = StackEnd.atStep(step, publisher::close) == null;
            wholeInARow = whole ? wholeInARow + 1 : 0;
            cutOff += whole ? 0 : 1;
            publisher.close();
            assertThat(numbers.ring.leftover().isNone())
                    .as("%s, %s", numbers.ring.leftover(), when)
                    .isTrue();
            Throwable refused = catchThrowable(publisher::publish);
            assertThat(refused).as(when).isInstanceOfAny(IllegalArgumentException.class, ClaimAbortedException.class);
            numbers.publisher(1).publish(8);
            assertThat(numbers.pollAll()).as(when).containsExactly(8L);
        }
        assertThat(cutOff).as("closes that were cut off").isPositive();
    }

    static List<String> kindsThatDoNotTrack() {
        return kinds().stream().filter(kind -> !kind.contains("tracked")).toList();
    }

    /** An abort with less and less stack, and then a publication: who is not refused has published all of it. */
    @ParameterizedTest
    @MethodSource("kindsThatDoNotTrack")
    @Tag("once")
    @Tag("any-jdk")
    void whatIsPublishedBehindAnAbortThatTheEndOfTheStackCutOffIsHandled(String kind) throws Exception {
        onAShallowStack(() -> publishBehindAnAbort(kind));
    }

    private static void publishBehindAnAbort(String kind) {
        int events = kind.contains("messages") ? 1 : 3;
        int publishedInstead = 0;
        for (int step = -1, wholeInARow = 0; wholeInARow < 24; step++) {
            assertThat(step).as("steps, all of which are cut off").isLessThan(4_000);
            Numbers numbers = new Numbers(kind, BusySpinIdleStrategy::new);
            Publisher publisher = numbers.publisher(3);
            publisher.claim();
            publisher.fill(7);
            boolean[] aborted = {false};
            StackEnd.atStep(step, () -> {
                publisher.abort();
                aborted[0] = true;
            });
            wholeInARow = aborted[0] ? wholeInARow + 1 : 0;
            boolean published = true;
            try {
                publisher.publish();
                publishedInstead++;
            } catch (IllegalArgumentException e) {
                published = false; // a part of it was given up, or all of it
            }
            publisher.close();
            assertThat(numbers.pollAll())
                    .as("published: " + published + ", behind step " + step)
                    .hasSize(published ? events : 0)
                    .allMatch(number -> number == 7);
            numbers.publisher(1).publish(8);
            assertThat(numbers.pollAll()).as("of the next").containsExactly(8L);
        }
        assertThat(publishedInstead).as("aborts that were cut off").isPositive();
    }

    /** The end of the stack hits that place by chance only. */
    @Test
    void whatIsPublishedBehindAnAbortThatWasCutOffBehindItsMarksIsHandled() {
        RingBuffer<long[]> ring = Rings.ring(true, EVENTS);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        boolean[] fails = {true};
        SingleProducer<long[]> producer =
                new SingleProducer<>((ObjectRing<long[]>) ring, ((SingleProducerRing<long[]>) ring).cursor) {
                    @Override
                    long[] slot(long sequence) {
                        return slot(null, sequence);
                    }

                    @Override
                    void store(long lo, long hi) {
                        if (fails[0]) {
                            fails[0] = false;
                            throw new StackOverflowError("planned");
                        }
                        super.store(lo, hi);
                    }
                };
        long hi = producer.next(3);
        assertThatThrownBy(() -> producer.abort(hi - 2, hi)).hasMessage("planned");
        producer.publish(hi - 2, hi);
        List<Long> seen = new ArrayList<>();
        poller.poll((event, sequence, endOfBatch) -> seen.add(sequence), EVENTS);
        assertThat(seen).containsExactly(0L, 1L, 2L);
    }

    static List<String> kindsWithTranslators() {
        return kinds().stream().filter(kind -> !kind.contains("messages")).toList();
    }

    /** Called with less and less stack: where there is enough for the translator and not for the abort, the producer is closed. */
    @ParameterizedTest
    @MethodSource("kindsWithTranslators")
    @Tag("once")
    @Tag("any-jdk")
    void whatATranslatorThrowsAtTheEndOfTheStackReachesTheCaller(String kind) throws Exception {
        onAShallowStack(() -> throwAtTheEnd(kind));
    }

    private static void throwAtTheEnd(String kind) {
        IllegalStateException planned = new IllegalStateException("planned");
        int called = 0;
        int calledInARow = 0;
        for (int step = -1; calledInARow < 24; step++) {
            assertThat(step).as("steps").isLessThan(4_000);
            Numbers numbers = new Numbers(kind, BusySpinIdleStrategy::new);
            Producer<Object> producer = numbers.ring.producer();
            boolean[] translated = {false};
            Throwable[] caught = {null};
            EventTranslator<Object> fails = (event, sequence) -> {
                translated[0] = true;
                throw planned;
            };
            Runnable work = () -> {
                try {
                    producer.publishEvent(fails);
                } catch (Throwable t) {
                    caught[0] = t;
                }
            };
            StackEnd.atStep(step, work);
            if (translated[0]) {
                assertThat(caught[0]).as("step " + step).isSameAs(planned);
                called++;
            }
            calledInARow = translated[0] ? calledInARow + 1 : 0;
            producer.close();
            numbers.publisher(1).publish(8);
            assertThat(numbers.pollAll()).as("step " + step).containsExactly(8L);
        }
        assertThat(called).as("translators that threw").isPositive();
    }

    private static void publishAgain(Publisher publisher) {
        try {
            publisher.publish();
        } catch (IllegalArgumentException | ClaimAbortedException e) {
            // it had been published, and only what follows was cut off: the poll tells
        }
    }
}
