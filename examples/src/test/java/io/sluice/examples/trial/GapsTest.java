package io.sluice.examples.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GapsTest {
    private static final int MESSAGES = 16;

    private final Gaps gaps = new Gaps(0);

    private void visit(long from, long to, long firstAt) {
        long now = firstAt;
        for (long number = from; number < to; number += MESSAGES) {
            assertThat(gaps.packet(number, MESSAGES, now)).isTrue();
            now += 10;
        }
    }

    private long ended(long now) {
        long gone = gaps.emptied(now);
        if (gone == 0) {
            gaps.next();
        }
        return gone;
    }

    @Test
    void nothingIsMissing() {
        visit(160, 320, 100);
        assertThat(ended(300)).isZero();
        visit(320, 480, 400);
        assertThat(ended(600)).isZero();
        assertThat(gaps.expected()).isEqualTo(480);
    }

    @Test
    void aGapWithinAVisitIsOfItsStandStill() {
        visit(0, 32, 100);
        assertThat(ended(200)).isZero();
        visit(32, 96, 1_000_200); // after a million ns, what the socket held
        visit(160, 192, 1_001_000);
        assertThat(ended(1_002_000)).isEqualTo(64);
        assertThat(gaps.inWords()).isEqualTo("loss 96 64 160 1000000");
    }

    @Test
    void aGapThatOpensAVisitIsOfTheStandStillBefore() {
        visit(0, 32, 100);
        assertThat(ended(200)).isZero();
        visit(32, 96, 1_000_200);
        assertThat(ended(1_002_000)).isZero();
        visit(160, 192, 1_003_000);
        assertThat(ended(1_004_000)).isEqualTo(64);
        assertThat(gaps.inWords()).isEqualTo("loss 96 64 160 1000000");
    }

    @Test
    void aVisitWithoutPacketsChangesNothing() {
        visit(0, 32, 100);
        assertThat(ended(200)).isZero();
        visit(32, 96, 1_000_200);
        assertThat(ended(1_002_000)).isZero();
        assertThat(ended(1_002_500)).isZero();
        visit(160, 192, 1_003_000);
        assertThat(ended(1_004_000)).isEqualTo(64);
        assertThat(gaps.inWords()).isEqualTo("loss 96 64 160 1000000");
    }

    @Test
    void oldStandStillsAreForgotten() {
        visit(0, 32, 1_000_000);
        assertThat(ended(1_000_100)).isZero();
        visit(32, 64, 1_000_200);
        assertThat(ended(1_000_300)).isZero();
        visit(64, 96, 1_000_400);
        assertThat(ended(1_000_500)).isZero();
        visit(128, 144, 1_000_700);
        assertThat(ended(1_000_800)).isEqualTo(32);
        assertThat(gaps.inWords()).isEqualTo("loss 96 32 80 200");
    }

    @Test
    void twoGapsOfOneVisitAreSaidTogether() {
        visit(0, 16, 100);
        visit(32, 48, 200);
        visit(64, 80, 300);
        assertThat(ended(400)).isEqualTo(32);
        assertThat(gaps.inWords()).isEqualTo("loss 16 32 80 100");
    }

    @Test
    void whatCameBeforeIsNotNew() {
        assertThat(gaps.packet(16, MESSAGES, 100)).isTrue();
        assertThat(gaps.packet(16, MESSAGES, 110)).isFalse();
        assertThat(gaps.packet(0, MESSAGES, 120)).isFalse();
        assertThat(gaps.packet(32, MESSAGES, 130)).isTrue();
        assertThat(ended(200)).isZero();
        assertThat(gaps.expected()).isEqualTo(48);
    }
}
