package com.lmax.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.BasicExecutor;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.util.DaemonThreadFactory;
import com.lmax.disruptor.util.Util;
import java.util.ArrayList;
import java.util.List;
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
