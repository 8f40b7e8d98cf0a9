package io.sluice.examples.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code ./sluice trial}: short, and for a minute a run under the tag slow. */
@Tag("any-jdk")
class TrialVerbTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TrialVerb verb = new TrialVerb(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    private String output() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    @Tag("once")
    @Timeout(value = 240)
    void limitsAndReleasesAndLosesOnlyWhatIsPredicted() throws Exception {
        int status = verb.run(List.of("--seconds", "5", "--rate", "200000", "--seed", "11"));
        assertThat(status).as(output()).isEqualTo(Verb.DONE);
        assertThat(output())
                .contains("SLOW", "PAUSE", "FREEZE", "KILL", "NAK receive buffer", "bytes asked for")
                .containsPattern("passed: the limiter engaged [1-9]\\d* times and released [1-9]")
                .containsPattern("passed: [1-9]\\d* messages lost because nobody said that the ring was full")
                .containsPattern("passed: [1-9]\\d* messages sent after receiver [1-4] had died")
                .containsPattern("trial: [1-9]\\d* passed, 0 failed, 0 skipped\n$");
    }

    @Test
    @Tag("slow")
    @Timeout(value = 600)
    void forAMinuteWithTwentySlowdownsAndStops() throws Exception {
        int status = verb.run(List.of("--seconds", "60", "--seed", "12"));
        assertThat(status).as(output()).isEqualTo(Verb.DONE);
        assertThat(output()).contains("slowdowns and stops, 20 demanded", "messages a second, 200000 demanded");
    }

    @Test
    void theScheduleIsThatOfItsSeed() {
        for (long seed = 0; seed < 200; seed++) {
            for (int receivers : new int[] {1, 4}) {
                Schedule schedule = Schedule.of(seed, receivers, TimeUnit.SECONDS.toNanos(60));
                assertThat(schedule).isEqualTo(Schedule.of(seed, receivers, TimeUnit.SECONDS.toNanos(60)));
                assertThat(schedule.events()).as("seed %d", seed).hasSize(24);
                long end = 0;
                int killed = -1;
                int kills = 0;
                for (Schedule.Event event : schedule.events()) {
                    assertThat(event.at()).as("seed %d", seed).isGreaterThanOrEqualTo(end);
                    assertThat(event.receiver()).as("seed %d", seed).isBetween(0, receivers - 1);
                    if (receivers > 1) {
                        assertThat(event.receiver())
                                .as("seed %d: the dead", seed)
                                .isNotEqualTo(killed);
                    }
                    end = event.at() + event.nanos();
                    if (event.kind() == Schedule.Kind.KILL) {
                        killed = event.receiver();
                        kills++;
                    }
                }
                assertThat(end).isLessThan(TimeUnit.SECONDS.toNanos(60));
                assertThat(kills).as("seed %d", seed).isEqualTo(receivers == 1 ? 6 : 1);
            }
        }
    }

    @Test
    void packetsThatAreNotOfATrialAreToldApart() {
        ByteBuffer packet = Wire.buffer();
        Wire.encode(packet, 7, 1_000);
        assertThat(Wire.first(packet)).isEqualTo(1_000);
        assertThat(Wire.session(packet)).isEqualTo(7);
        assertThat(packet.remaining()).isEqualTo(24 + 16 * Wire.MESSAGES);
        for (int i = 0; i < Wire.MESSAGES; i++) {
            assertThat(Wire.number(packet, i)).isEqualTo(1_000 + i);
            assertThat(Wire.check(packet, i)).isEqualTo(Wire.check(1_000 + i));
        }
        assertThat(Wire.check(1)).isNotEqualTo(Wire.check(2));
        packet.limit(packet.limit() - 1);
        assertThat(Wire.first(packet)).isEqualTo(-1);
        Wire.encode(packet, 0, 0);
        packet.put(0, (byte) 0);
        assertThat(Wire.first(packet)).isEqualTo(-1);
    }

    @Test
    void wrongUsageIsSaid() {
        assertThatThrownBy(() -> verb.run(List.of("--seconds", "1")))
                .isInstanceOf(UsageException.class)
                .hasMessage("--seconds must be from 2 to 3600, but was '1'");
        assertThatThrownBy(() -> verb.run(List.of("--rate", "NaN")))
                .hasMessage("--rate must be from 1000 to 10000000, but was 'NaN'");
        assertThatThrownBy(() -> verb.run(List.of("--seed", "x")))
                .hasMessageContaining("--seed must be a whole number of 64 bits, but was 'x'");
        assertThatThrownBy(() -> verb.run(List.of("--seed"))).hasMessage("--seed must have a value, but none follows");
        assertThatThrownBy(() -> verb.run(List.of("-h", "1"))).hasMessageContaining("but one was '-h'");
        assertThat(verb.usage()).contains("--seconds", "--rate", "--seed");
    }
}
