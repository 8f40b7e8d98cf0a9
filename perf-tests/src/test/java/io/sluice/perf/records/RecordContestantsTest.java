package io.sluice.perf.records;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the lab's contestants would not let pass. */
@Tag("once")
class RecordContestantsTest {
    @Test
    void anObjectThatIsReadAsAnotherOneIsFound() throws Exception {
        Way<Integer> wrong = new Way<>() {
            @Override
            public int write(Integer object, int place) {
                return 4;
            }

            @Override
            public Integer read(int place) {
                return place == 63 ? 0 : place;
            }
        };
        RecordContestants.WrittenAndRead<Integer> contestant =
                new RecordContestants.WrittenAndRead<>(wrong, place -> place, Integer::equals);
        for (int call = 0; call < 64; call++) {
            contestant.run();
        }
        assertThatThrownBy(() -> contestant.check(64)).hasMessageContaining("at place 63 it is something else");
        assertThatThrownBy(() -> contestant.check(63)).hasMessage("JMH counted 63 calls, but there were 0");
    }

    @Test
    void aTradeThatIsLostIsFound() {
        RecordContestants.FilledAndScanned.check(Trades.sum(7), 7);
        assertThatThrownBy(() -> RecordContestants.FilledAndScanned.check(Trades.sum(7) - 1, 7))
                .hasMessage("the trades must add up to 21, but did to 20");
    }
}
