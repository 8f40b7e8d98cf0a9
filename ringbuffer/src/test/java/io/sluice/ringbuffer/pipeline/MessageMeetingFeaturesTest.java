package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where features of a ring of messages meet: who waits is woken, time-outs come again, and an old report aborts nothing new. */
@Timeout(60)
class MessageMeetingFeaturesTest {
    private static final SafeBuffer EIGHT = SafeBuffer.allocate(8);
    private static final SafeBuffer THIRTY_TWO = SafeBuffer.allocate(32);

    private static RingBuffer<Messages> tracked(boolean single, int bytes) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(bytes).trackClaims();
        return (single ? builder.singleProducer() : builder).build();
    }

    private static long offer(MessageProducer producer, int type) {
        long sequence = producer.offer(type, EIGHT, 0, 8);
        assertThat(sequence).isNotNegative();
        return sequence;
    }

    private static AbandonedClaim openClaim(RingBuffer<Messages> ring) {
        return Objects.requireNonNull(StalledClaimDetector.of(ring).look(0), "an open claim");
    }

    /** Writes down types, and the calls about batches and time. */
    private static class Notes implements MessageHandler {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last)
                throws Exception {
            seen.add(type + (last ? "!" : ""));
        }

        @Override
        public void onTimeout(long sequence) {
            seen.add("timeout " + sequence);
        }
    }

    // claims

    /** A report of a claim is kept; its claim is committed, and the owner opens the next one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOldReportAbortsNoLaterClaim(boolean single) {
        RingBuffer<Messages> ring = tracked(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int lap = 0; lap < 20; lap++) { // the later claim is behind, at the same place a lap later too
            long first = producer.tryClaim(1, 8);
            AbandonedClaim report = openClaim(ring);
            assertThat(report.lowest()).isEqualTo(first);
            producer.commit(first);
            long later = producer.tryClaim(2, 8);
            assertThat(report.abort())
                    .as("aborted of a claim that was committed")
                    .isZero();
            producer.commit(later);
            Rings.exhaust(processor);
        }
        assertThat(notes.seen).hasSize(40).doesNotContain("0", "0!");
    }

    /** What a refused claim returned is no claim: neither where none is open, nor where one was aborted on its owner's behalf. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatARefusedClaimReturnedIsNeitherCommittedNorAborted(boolean single) {
        RingBuffer<Messages> ring = tracked(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (long refused = -1; refused >= -20; refused--) {
            long none = refused;
            assertThatThrownBy(() -> producer.commit(none)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> producer.abort(none)).isInstanceOf(IllegalArgumentException.class);
            long open = producer.tryClaim(1, 8);
            assertThat(openClaim(ring).abort()).isEqualTo(2);
            assertThatThrownBy(() -> producer.commit(none)).isInstanceOf(ClaimAbortedException.class);
            assertThatThrownBy(() -> producer.commit(open)).isInstanceOf(IllegalArgumentException.class);
            Rings.exhaust(processor);
        }
        offer(producer, 2);
        Rings.exhaust(processor);
        assertThat(notes.seen).containsExactly("2!");
    }

    /** Two owners that live, each with a claim, side by side. */
    @Test
    void aReportNamesTheClaimOfOneOwnerAndNotTheNeighboursToo() throws Exception {
        RingBuffer<Messages> ring = tracked(false, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer one = MessageProducer.of(ring);
        MessageProducer other = MessageProducer.of(ring);
        assertThat(one.tryClaim(1, 8)).isZero();
        long kept = other.tryClaim(2, 16);
        AbandonedClaim report = openClaim(ring);
        assertThat(report.lowest()).isZero();
        assertThat(report.highest()).isEqualTo(1);
        assertThat(report.abort()).isEqualTo(2);
        AbandonedClaim next = openClaim(ring);
        assertThat(next.lowest()).isEqualTo(2);
        assertThat(next.highest()).isEqualTo(4);
        other.commit(kept);
        assertThat(next.abort()).isZero();
        Rings.exhaust(processor);
        assertThat(notes.seen).containsExactly("2!");
        assertThatThrownBy(() -> one.commit(0)).hasMessageContaining("aborted on this producer's behalf");
    }

    /** Where the first of two claims is lost and its owner has not learnt of it, the second is known by its own owner. */
    @Test
    void theClaimBehindALostOneIsItsOwnersAndNotTheLosers() {
        RingBuffer<Messages> ring = tracked(false, 256);
        Pipeline.on(ring).handleEventsWith(new Notes());
        MessageProducer loser = MessageProducer.of(ring);
        MessageProducer other = MessageProducer.of(ring);
        loser.tryClaim(1, 8);
        assertThat(openClaim(ring).abort()).isEqualTo(2);
        long open = other.tryClaim(2, 8);
        assertThat(openClaim(ring).abort()).isEqualTo(2);
        assertThatThrownBy(() -> other.commit(open)).hasMessageContaining("aborted on this producer's behalf");
        loser.close();
        other.close();
        assertThat(ring.leftover().openClaims()).isZero();
    }

    // waking

    private static List<Thread> started(Pipeline<Messages> pipeline) {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        pipeline.threads(task -> {
            Thread thread = new Thread(task, "message-meetings");
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        });
        pipeline.start();
        return threads;
    }

    private static void awaitParked(List<Thread> threads) {
        Rings.await(
                "parked consumers",
                () -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
    }

    /** Nobody publishes any more: only the abort can wake who waits behind the claim. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAbortInTheOwnersSteadWakesWhoIsParked(boolean single) {
        RingBufferBuilder<Messages> builder =
                RingBufferBuilder.messages(256).trackClaims().consumersIdle(() -> SignalledIdle.exact(0));
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        pipeline.handleEventsWith(notes);
        List<Thread> threads = started(pipeline);
        MessageProducer lost = MessageProducer.of(ring);
        lost.tryClaim(1, 8);
        if (!single) {
            offer(MessageProducer.of(ring), 2); // which wakes it, in vain
        }
        awaitParked(threads);
        assertThat(openClaim(ring).abort()).isEqualTo(2);
        long end = single ? 1 : 3;
        Rings.await(
                "who waits for the claim",
                () -> pipeline.consumer(notes).sequence().get() == end);
        assertThat(notes.seen).isEqualTo(single ? List.of() : List.of("2!"));
        ring.close();
    }

    /** The stage moves on by a worker's mark, which no publication announces. */
    @Test
    void whoFollowsWorkersIsWokenByTheWorkerThatMovesTheStage() {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<Thread> parked = new CopyOnWriteArrayList<>();
        Notes behind = new Notes();
        Notes worker = new Notes() {
            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
                // the follower is parked again, should it have looked by itself
                Rings.await(
                        "a parked follower",
                        () -> parked.stream()
                                .filter(thread -> thread != Thread.currentThread())
                                .allMatch(thread -> thread.getState() == Thread.State.WAITING));
                seen.add("" + type);
            }
        };
        pipeline.handleEventsWithWorkerPool(worker).then(behind);
        List<Thread> threads = started(pipeline);
        parked.addAll(threads);
        awaitParked(threads);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 5; type++) {
            offer(producer, type);
            String due = type + "!";
            Rings.await("the follower of a worker", () -> behind.seen.contains(due));
        }
        ring.close();
    }

    /** A handler commits and then stays in its batch: who follows is parked, and goes on meanwhile. */
    @Test
    void aCommitWithinABatchWakesWhoFollows() {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256)
                .singleProducer()
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes behind = new Notes();
        List<Long> inTime = new CopyOnWriteArrayList<>();
        ControlledMessageHandler commits = (type, buffer, offset, length, sequence, last) -> {
            Rings.await(
                    "the follower, within the batch",
                    () -> pipeline.consumer(behind).sequence().get() == sequence - 1);
            inTime.add(sequence);
            return ControlledMessageHandler.Action.COMMIT;
        };
        pipeline.handleEventsWith(commits).then(behind);
        List<Thread> threads = started(pipeline);
        awaitParked(threads);
        MessageProducer.of(ring).offerAll(1, EIGHT, EIGHT, EIGHT, EIGHT); // one batch
        Rings.await("all", () -> behind.seen.size() == 4);
        assertThat(inTime).containsExactly(0L, 2L, 4L, 6L);
        ring.close();
    }

    /** Who joins behind a consumer that had no follower is woken by it from then on. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoJoinsBehindAConsumerIsWokenByIt(boolean workers) throws Exception {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes first = new Notes();
        if (workers) {
            pipeline.handleEventsWithWorkerPool(first);
        } else {
            pipeline.handleEventsWith(first);
        }
        List<Thread> threads = started(pipeline);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1);
        Rings.await("the first", () -> pipeline.consumer(first).sequence().get() == 1);
        Notes joined = new Notes();
        pipeline.join(pipeline.consumer("joined", joined))
                .after(pipeline.consumer(first))
                .start(TimeUnit.SECONDS.toNanos(20));
        for (int type = 2; type <= 6; type++) {
            awaitParked(threads);
            offer(producer, type);
            String due = type + "!";
            Rings.await("who has joined", () -> joined.seen.contains(due));
        }
        ring.close();
    }

    // time

    /** Each idle time has its time-out: also the one behind the next message. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "false, true", "true, true"})
    void aTimeOutComesOnceInEachIdleTime(boolean single, boolean worker) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256);
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes();
        NewConsumer<Messages> consumer = pipeline.consumer("timed", notes).timeout(1);
        if (worker) {
            pipeline.handleEventsWithWorkerPool(consumer);
        } else {
            pipeline.handleEventsWith(consumer);
        }
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 2; type++) {
            offer(producer, type);
            assertThat(processor.doWork()).isEqualTo(1);
            int before = notes.seen.size();
            Rings.await("a time-out", () -> processor.doWork() == 0 && notes.seen.size() > before);
            for (int i = 0; i < 10; i++) {
                processor.doWork();
            }
        }
        assertThat(notes.seen).containsExactly("1!", "timeout 1", "2!", "timeout 3");
    }

    /** A handler that names its own time is asked at the end of each batch. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHandlersOwnTimeOutComes(boolean worker) {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes notes = new Notes() {
            @Override
            public long timeoutAfterNanos() {
                return seen.isEmpty() ? Long.MAX_VALUE : seen.size() % 2 == 1 ? 1 : Long.MAX_VALUE;
            }
        };
        if (worker) {
            pipeline.handleEventsWithWorkerPool(notes);
        } else {
            pipeline.handleEventsWith(notes);
        }
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 3; type++) {
            offer(producer, type);
            assertThat(processor.doWork()).isEqualTo(1);
            int before = notes.seen.size();
            Rings.await("a time-out", () -> processor.doWork() == 0 && notes.seen.size() > before);
        }
        assertThat(notes.seen).containsExactly("1!", "timeout 1", "2!", "timeout 3", "3!", "timeout 5");
    }

    // batches

    /** The limit of a batch holds for one that its handler extends: in sequences, which the last message may exceed. */
    @Test
    void anExtendedBatchKeepsItsLimit() {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(512).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageProducer producer = MessageProducer.of(ring);
        List<Integer> sizes = new ArrayList<>();
        int[] handled = {0};
        MessageHandler growing = new MessageHandler() {
            @Override
            public boolean extendsBatch() {
                return true;
            }

            @Override
            public void onBatchStart(long size, long available) {
                if (sizes.isEmpty()) { // they come behind the look at what is available
                    for (int type = 2; type <= 8; type++) {
                        offer(producer, type);
                    }
                }
            }

            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
                handled[0]++;
            }

            @Override
            public void onBatchEnd(long sequence) {
                sizes.add(handled[0]);
                handled[0] = 0;
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("extends", growing).batchLimit(6));
        EventProcessor processor = pipeline.startProcessors().get(0);
        offer(producer, 1);
        Rings.exhaust(processor);
        assertThat(sizes).containsExactly(3, 3, 2); // two sequences each
    }

    /** Padding before it counts for nothing, so a handler knows from its first message how far its batch reaches. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchIsCountedFromItsFirstMessage(boolean rewinds) {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256).build(); // 32 sequences
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageProducer producer = MessageProducer.of(ring);
        List<String> seen = new ArrayList<>();
        MessageHandler notes = new MessageHandler() {
            private boolean failed;

            @Override
            public void onBatchStart(long size, long available) {
                seen.add(size + " of " + available);
            }

            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
                if (rewinds && type == 7 && !failed) {
                    failed = true;
                    throw new IllegalStateException("once");
                }
                seen.add(type + " at " + sequence);
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("notes", notes)
                .batchLimit(4)
                .onFailure(
                        FailurePolicies.rewindBatch(1, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT)));
        EventProcessor processor = pipeline.startProcessors().get(0);
        for (int type = 1; type <= 6; type++) {
            producer.offer(type, THIRTY_TWO, 0, 32); // five sequences each
            Rings.exhaust(processor);
        }
        seen.clear();
        producer.offer(7, THIRTY_TWO, 0, 32); // at 32, behind two of padding
        producer.offer(8, THIRTY_TWO, 0, 8);
        Rings.exhaust(processor);
        assertThat(seen)
                .containsExactlyElementsOf(
                        rewinds
                                ? List.of("2 of 7", "2 of 7", "7 at 32", "2 of 2", "8 at 37")
                                : List.of("2 of 7", "7 at 32", "2 of 2", "8 at 37"));
    }

    /** What a failure skips is followed by padding, which no handler gets. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailingMessageBeforePaddingIsSkippedWithIt(boolean last) {
        RingBuffer<Messages> ring =
                RingBufferBuilder.messages(256).singleProducer().build();
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        Notes notes = new Notes() {
            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean end)
                    throws Exception {
                super.onMessage(type, buffer, offset, length, sequence, end);
                if (type == 9) {
                    throw new IllegalStateException("planned");
                }
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("fails", notes)
                .onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.SKIP));
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 9);
        producer.abort(producer.tryClaim(1, 24));
        if (!last) {
            offer(producer, 2);
        }
        assertThat(processor.doWork()).isPositive();
        assertThat(notes.seen).isEqualTo(last ? List.of("9!") : List.of("9", "2!"));
        assertThat(ring.state()).isEqualTo(State.RUNNING);
        assertThat(ring.leftover().unhandled()).isZero();
    }

    /** An end of a batch that was tried again and went well has not failed: the next one has all its attempts. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailureThatIsOverDoesNotCountForTheNextBatchThoughItsMessageWasNotTaken(boolean atTheEnd) {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        int[] calls = {0};
        ControlledMessageHandler full = new ControlledMessageHandler() {
            private void failEachOther() {
                if (calls[0]++ % 2 == 0) {
                    throw new IllegalStateException("planned");
                }
            }

            @Override
            public void onBatchStart(long size, long available) {
                if (!atTheEnd) {
                    failEachOther();
                }
            }

            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                return Action.ABORT;
            }

            @Override
            public void onBatchEnd(long sequence) {
                if (atTheEnd) {
                    failEachOther();
                }
            }
        };
        List<Integer> attempts = new ArrayList<>();
        pipeline.handleEventsWith(pipeline.consumer("full", full).onFailure((cause, event, sequence, attempt) -> {
            attempts.add(attempt);
            return attempt > 2 ? FailurePolicy.Action.HALT : FailurePolicy.Action.RETRY_EVENT;
        }));
        EventProcessor processor = pipeline.startProcessors().get(0);
        offer(MessageProducer.of(ring), 1);
        for (int i = 0; i < 4; i++) {
            processor.doWork();
        }
        assertThat(attempts).containsExactly(1, 1, 1, 1);
        assertThat(ring.state()).isEqualTo(State.RUNNING);
    }

    /** Between two failures its handler leaves it for later: the message has not gone well for that. */
    @Test
    void aMessageThatFailsAndIsLeftInTurnIsNotTriedForEver() {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<Integer> attempts = new ArrayList<>();
        int[] calls = {0};
        ControlledMessageHandler inTurn = (type, buffer, offset, length, sequence, endOfBatch) -> {
            if (calls[0]++ % 2 == 0) {
                throw new IllegalStateException("planned");
            }
            return ControlledMessageHandler.Action.ABORT;
        };
        pipeline.handleEventsWith(pipeline.consumer("in turn", inTurn).onFailure((cause, event, sequence, attempt) -> {
            attempts.add(attempt);
            return attempt > 2 ? FailurePolicy.Action.HALT : FailurePolicy.Action.RETRY_EVENT;
        }));
        pipeline.errorHandler(told -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        offer(MessageProducer.of(ring), 1);
        for (int i = 0; i < 8; i++) {
            processor.doWork();
        }
        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(ring.state()).isEqualTo(State.FAILED);
    }

    // workers

    /** A worker that its policy halts stops its colleagues, who would otherwise go on before a progress that never moves. */
    @Test
    void aWorkerThatHaltsStopsItsColleagues() {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(512).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        Notes one = new Notes() {
            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
                throw new IllegalStateException("planned");
            }
        };
        Notes other = new Notes();
        pipeline.handleEventsWithWorkerPool(
                pipeline.consumer("one", one).onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.HALT),
                pipeline.consumer("other", other));
        List<EventProcessor> processors = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1);
        offer(producer, 2);
        processors.get(0).doWork();
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(processors.get(1).doWork()).isZero();
        assertThat(processors.get(1).isDone()).isTrue();
        assertThat(other.seen).isEmpty();
    }

    /** A colleague may have finished the message that a worker asks for: what stands behind it may be no header any more. */
    @Test
    void aWorkerThatFollowsThePublicationsLooksAtOneMessageAtATime() {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(512).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes worker = new Notes();
        pipeline.handleEventsWithWorkerPool(worker);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 3; type++) {
            offer(producer, type);
        }
        ConsumerNode<?> node = (ConsumerNode<?>) pipeline.consumer(worker);
        assertThat(node.barrier().available(0)).isZero();
        assertThat(node.barrier().available(2)).isEqualTo(2);
        assertThat(node.barrier().available(6)).as("nothing is there").isEqualTo(5);
    }

    /** Between two of its messages a worker does what it is asked: here it pauses, with more there to take. */
    @Test
    void aWorkerPausesBetweenTwoMessages() {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(512).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Notes worker = new Notes() {
            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last)
                    throws Exception {
                super.onMessage(type, buffer, offset, length, sequence, last);
                if (type == 1) {
                    pipeline.consumer(this).pause();
                }
            }
        };
        pipeline.handleEventsWithWorkerPool(worker);
        EventProcessor processor = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1);
        offer(producer, 2);
        assertThat(processor.doWork()).isEqualTo(1);
        assertThat(worker.seen).containsExactly("1!");
        pipeline.consumer(worker).resume();
        Rings.exhaust(processor);
        assertThat(worker.seen).containsExactly("1!", "2!");
    }

    /** What workers of one stage get together is each message once, also where one joins and one leaves. */
    @Test
    void workersThatJoinAndLeaveShareEachMessageOnce() throws Exception {
        RingBuffer<Messages> ring = RingBufferBuilder.messages(256).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        ConcurrentHashMap<Long, Integer> times = new ConcurrentHashMap<>();
        class Counts extends Notes {
            @Override
            public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {
                times.merge(sequence, 1, Integer::sum);
            }
        }
        Counts first = new Counts();
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("first", first).batchLimit(1));
        EventProcessor one = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        List<Long> sent = new ArrayList<>();
        for (int round = 0; round < 60; round++) {
            sent.add(offer(producer, 1));
            sent.add(producer.offer(2, EIGHT, 0, round % 8));
            Counts joined = new Counts();
            EventProcessor other = pipeline.join(
                            pipeline.consumer("joined " + round, joined).batchLimit(1))
                    .sharingWith(pipeline.consumer(first))
                    .processor(TimeUnit.SECONDS.toNanos(20));
            other.doWork();
            one.doWork();
            pipeline.consumer(joined).remove(0);
            other.doWork();
            Rings.exhaust(one);
        }
        assertThat(times.keySet()).containsExactlyInAnyOrderElementsOf(sent);
        assertThat(times.values()).containsOnly(1);
        assertThat(ring.leftover().unhandled()).isZero();
    }
}
