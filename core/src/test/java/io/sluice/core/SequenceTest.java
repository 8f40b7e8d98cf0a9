package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SequenceTest {
    @Test
    void startsBeforeTheFirstSequence() {
        assertThat(new Sequence().get()).isEqualTo(-1).isEqualTo(Sequence.INITIAL);
        assertThat(new Sequence(41).getPlain()).isEqualTo(41);
    }

    @Test
    void everyModeReadsWhatEveryModeWrote() {
        Sequence sequence = new Sequence();
        sequence.setPlain(1);
        assertThat(allReads(sequence)).containsOnly(1L);
        sequence.setOpaque(2);
        assertThat(allReads(sequence)).containsOnly(2L);
        sequence.setRelease(3);
        assertThat(allReads(sequence)).containsOnly(3L);
        sequence.setVolatile(4);
        assertThat(allReads(sequence)).containsOnly(4L);
        assertThat(sequence).hasToString("4");
    }

    private static LongStream allReads(Sequence sequence) {
        return LongStream.of(
                sequence.get(),
                sequence.getPlain(),
                sequence.getOpaque(),
                sequence.getAcquire(),
                sequence.getVolatile());
    }

    @Test
    void compareAndSetWritesOnlyOverTheExpectedValue() {
        Sequence sequence = new Sequence(7);
        assertThat(sequence.compareAndSet(6, 8)).isFalse();
        assertThat(sequence.get()).isEqualTo(7);
        assertThat(sequence.compareAndSet(7, 8)).isTrue();
        assertThat(sequence.get()).isEqualTo(8);
    }

    @Test
    void getAndAddReturnsTheValueBefore() {
        Sequence sequence = new Sequence(7);
        assertThat(sequence.getAndAdd(5)).isEqualTo(7);
        assertThat(sequence.get()).isEqualTo(12);
    }

    @Test
    void raiseToNeverLowers() {
        Sequence sequence = new Sequence(7);
        sequence.raiseTo(5);
        assertThat(sequence.get()).isEqualTo(7);
        sequence.raiseTo(9);
        assertThat(sequence.get()).isEqualTo(9);
    }

    @Test
    @Tag("concurrency")
    void raiseToKeepsTheHighestOfTwoThreads() throws InterruptedException {
        for (int round = 0; round < 50; round++) {
            Sequence sequence = new Sequence();
            Thread odd = new Thread(
                    () -> IntStream.range(0, 10_000).map(i -> 2 * i + 1).forEach(sequence::raiseTo));
            odd.start();
            IntStream.range(0, 10_000).map(i -> 2 * i).forEach(sequence::raiseTo);
            odd.join();
            assertThat(sequence.get()).isEqualTo(19_999);
        }
    }

    @Test
    void minimumIsTheLowestOrNone() {
        SequenceView[] views = {new Sequence(9), () -> 4, new Sequence(6)};
        assertThat(Sequences.minimum(views, 100)).isEqualTo(4);
        assertThat(Sequences.minimum(views, 3)).isEqualTo(3);
        assertThat(Sequences.minimum(new SequenceView[0], 100)).isEqualTo(100);
    }
}
