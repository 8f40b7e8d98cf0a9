package io.sluice.aeron;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a session that has brought nothing for a while is waited for no more. */
class HeardSessionTest {
    private static final long LONG = 10;

    private final HeardSession session = new HeardSession(1, new HeardSession.Numbers(1));

    @Test
    void aSessionThatMovesIsNotQuietHoweverLongItIsLookedAt() {
        long now = Long.MAX_VALUE - 20; // the clock passes its highest value meanwhile
        for (long position = 0; position < 10; position++) {
            assertThat(session.isQuiet(position, now, LONG)).isFalse();
            now += LONG - 1;
            assertThat(session.isQuiet(position, now, LONG))
                    .as("at position %d", position)
                    .isFalse();
        }
    }

    @Test
    void aSessionThatStandsIsQuietThatLongAfterTheFirstLookAtItsPosition() {
        long now = 5;
        assertThat(session.isQuiet(64, now, LONG)).isFalse();
        now += LONG;
        assertThat(session.isQuiet(64, now, LONG)).isTrue();
        assertThat(session.isQuiet(96, now, LONG)).as("it has moved").isFalse();
        now += LONG - 1;
        assertThat(session.isQuiet(96, now, LONG)).isFalse();
        now++;
        assertThat(session.isQuiet(96, now, LONG)).isTrue();
    }
}
