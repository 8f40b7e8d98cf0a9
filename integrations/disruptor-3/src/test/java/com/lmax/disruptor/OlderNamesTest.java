package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.BasicExecutor;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import com.lmax.disruptor.util.Util;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only version 3 has beside handlers and pools. */
class OlderNamesTest {
    @Test
    void bothExceptionHandlersLogByTheLoggerThatTheyAreGiven() {
        List<LogRecord> records = new ArrayList<>();
        Logger logger = Logger.getAnonymousLogger();
        logger.setUseParentHandlers(false);
        logger.addHandler(new Handler() {
            @Override
            public void publish(LogRecord record) {
                records.add(record);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
        Exception thrown = new Exception("part of the test");
        IgnoreExceptionHandler ignoring = new IgnoreExceptionHandler(logger);
        ignoring.handleEventException(thrown, 7, "event");
        ignoring.handleOnStartException(thrown);
        FatalExceptionHandler fatal = new FatalExceptionHandler(logger);
        assertThatThrownBy(() -> fatal.handleEventException(thrown, 8, null))
                .isInstanceOf(RuntimeException.class)
                .hasCause(thrown);
        fatal.handleOnShutdownException(thrown);
        assertThat(records)
                .extracting(LogRecord::getLevel)
                .containsExactly(Level.INFO, Level.INFO, Level.SEVERE, Level.SEVERE);
        assertThat(records).extracting(LogRecord::getThrown).containsOnly(thrown);
        assertThat(records.get(0).getMessage()).contains("event event at sequence 7");
        logger.setLevel(Level.OFF);
        ignoring.handleEventException(thrown, 9, new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("nobody wants it");
            }
        });
    }

    @Test
    @SuppressWarnings("deprecation")
    void resetToPublishesTheSequenceAndGoesOnBehindIt() {
        for (RingBuffer<long[]> ring : List.of(
                RingBuffer.createSingleProducer(() -> new long[1], 8),
                RingBuffer.createMultiProducer(() -> new long[1], 8))) {
            ring.resetTo(41);
            assertThat(ring.getCursor()).isEqualTo(41);
            assertThat(ring.isPublished(41)).isTrue();
            assertThat(ring.isPublished(42)).isFalse();
            assertThat(ring.next()).isEqualTo(42);
        }
    }

    @Test
    @Timeout(60)
    void aGroupAddsToItsOwnNumberWhereTheDisruptorSpins() {
        SequenceGroup group = new SequenceGroup();
        Sequence member = new Sequence(5);
        group.add(member);
        assertThat(group.incrementAndGet()).isZero();
        assertThat(group.addAndGet(3)).isEqualTo(3);
        assertThat(group.get()).isEqualTo(5);
        assertThat(member.get()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0})
    @Timeout(60)
    void aLogarithmOfNoPositiveNumberIsRefusedWhereTheDisruptorSpins(int value) {
        assertThatThrownBy(() -> Util.log2(value)).isInstanceOf(IllegalArgumentException.class);
    }

    /** By the plain sequence the second thread sees what the first one has done: they take turns. */
    @Test
    @Timeout(60)
    void oneProducerMayBeAnotherThreadAfterAnother() throws Exception {
        Disruptor<long[]> graph = new Disruptor<>(
                () -> new long[1], 4, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, new BlockingWaitStrategy());
        for (int i = 0; i < 2; i++) {
            FutureTask<?> turn =
                    new FutureTask<>(() -> graph.publishEvent((event, sequence) -> event[0] = sequence), null);
            DaemonThreadFactory.INSTANCE.newThread(turn).start();
            turn.get();
        }
        assertThat(graph.getCursor()).isEqualTo(1);
    }

    @Test
    @Timeout(60)
    void aProcessorThatOthersComeAfterIsStartedWithTheGraph() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        List<String> handled = Collections.synchronizedList(new ArrayList<>());
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 8, task -> {
            threads.incrementAndGet();
            return DaemonThreadFactory.INSTANCE.newThread(task);
        });
        RingBuffer<long[]> ring = graph.getRingBuffer();
        BatchEventProcessor<long[]> first = new BatchEventProcessor<>(
                ring, ring.newBarrier(), (event, sequence, endOfBatch) -> handled.add("first " + sequence));
        graph.after(first).handleEventsWith((event, sequence, endOfBatch) -> handled.add("second " + sequence));
        graph.after(first).handleEventsWith((event, sequence, endOfBatch) -> {});
        graph.start();
        graph.publishEvent((event, sequence) -> event[0] = 1);
        graph.shutdown(30, SECONDS);
        assertThat(handled).containsExactly("first 0", "second 0");
        assertThat(threads).as("one for each of the three").hasValue(3);
    }

    @Test
    void anExecutorIsGivenTasksAroundTheProcessors() {
        List<Runnable> given = new ArrayList<>();
        @SuppressWarnings("deprecation")
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, (Executor) given::add);
        graph.handleEventsWith((event, sequence, endOfBatch) -> {});
        graph.start();
        new WorkerPool<>(() -> new long[1], new FatalExceptionHandler(), event -> {}).start(given::add);
        assertThat(given).hasSize(2).noneMatch(EventProcessor.class::isInstance);
    }

    @Test
    void aHandlerThatIsNullIsRefusedAtOnce() {
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, DaemonThreadFactory.INSTANCE);
        assertThatThrownBy(() -> graph.handleEventsWith((EventHandler<long[]>) null))
                .isInstanceOf(NullPointerException.class);
    }

    @Test
    void anExecutorOfThreadsSaysSoIfItsFactoryMakesNone() {
        BasicExecutor executor = new BasicExecutor(task -> null);
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(RuntimeException.class);
        assertThat(executor).asString().contains("threads=[]");
    }
}
