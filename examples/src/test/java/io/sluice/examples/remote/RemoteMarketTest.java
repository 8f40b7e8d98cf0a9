package io.sluice.examples.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.Interruption;
import io.sluice.cli.Verb;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.feed.Memory;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.itch.ItchReader;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Two subscribers in processes of their own. */
@Tag("once")
@Timeout(180)
class RemoteMarketTest {
    private static final long SLOW_NANOS = 100_000;

    private final List<String> notices = new CopyOnWriteArrayList<>();

    private static FeedReader session(long messages, long seed) throws Exception {
        Memory memory = new Memory();
        new SessionGenerator(messages, seed).writeTo(memory);
        return new ItchReader("generated session", memory.source());
    }

    @Test
    void bothSubscribersHaveTheBooksOfTheSourceAndTheSlowOneIsNamed() throws Exception {
        try (FeedReader reader = session(10_000, 7);
                Interruption interruption = new Interruption("test");
                RemoteMarket market = new RemoteMarket(reader, SLOW_NANOS, interruption, notices::add)) {
            RemoteResult result = market.run();
            assertThat(result.status()).as(result.text()).isEqualTo(Verb.DONE);
            assertThat(result.source()).isEqualTo(replay(10_000, 7));
            assertThat(result.subscribers())
                    .hasSize(2)
                    .allSatisfy(one -> assertThat(one.result().ledger()).isEqualTo(result.source()));
            assertThat(result.subscribers().get(1).result().naks())
                    .as("the slow one's NAKs")
                    .isPositive();
            assertThat(result.naks()).isPositive();
            assertThat(result.limited()).isPositive();
            assertThat(result.named()).contains(2L);
            assertThat(result.text())
                    .contains("; slow: slow; silent: ")
                    .endsWith(
                            "demo: done, 10,000 messages, both subscribers have the books and the records of the source\n");
        }
    }

    private static Ledger.Result replay(long messages, long seed) throws Exception {
        Ledger ledger = new Ledger();
        Update update = new Update();
        try (FeedReader reader = session(messages, seed)) {
            while (reader.next()) {
                reader.copyTo(update.market);
                update.name = ledger.isNew(update.market) ? reader.instrumentName(update.market.instrument()) : "";
                ledger.on(update);
            }
        }
        return ledger.result();
    }

    @Test
    void aSubscriberThatIsKilledEndsTheRunWithAFailure() throws Exception {
        try (FeedReader reader = session(50_000, 7);
                Interruption interruption = new Interruption("test");
                RemoteMarket market = new RemoteMarket(reader, SLOW_NANOS, interruption, notices::add)) {
            AtomicReference<RemoteResult> result = new AtomicReference<>();
            Thread running = new Thread(() -> {
                try {
                    result.set(market.run());
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            running.start();
            market.killFirst();
            running.join();
            assertThat(result.get().status()).isEqualTo(Verb.CHECK_FAILED);
            assertThat(result.get().text())
                    .endsWith(": the fast subscriber ended without a result\n")
                    .contains("demo: FAILED after ");
        }
    }

    /** As by SIGSTOP: flow control holds the source, which tells who it is; then both have everything. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aSubscriberThatIsStoppedIsToldAtOnceAndHasTheBooksWhenItGoesOn() throws Exception {
        try (FeedReader reader = session(30_000, 7);
                Interruption interruption = new Interruption("test");
                RemoteMarket market = new RemoteMarket(reader, SLOW_NANOS, interruption, notices::add)) {
            AtomicReference<RemoteResult> result = new AtomicReference<>();
            Thread running = new Thread(() -> {
                try {
                    result.set(market.run());
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            running.start();
            await(() -> notices.stream().anyMatch(notice -> notice.startsWith("both subscribers are there")));
            signal(market.firstPid(), "STOP");
            await(() ->
                    notices.stream().anyMatch(notice -> notice.matches("the fast subscriber, .* is silent for .*")));
            signal(market.firstPid(), "CONT");
            running.join();
            assertThat(result.get().status()).as(result.get().text()).isEqualTo(Verb.DONE);
            assertThat(result.get().silent()).contains(1L);
            assertThat(result.get().text()).containsPattern("; silent: fast\\b");
            assertThat(notices).anyMatch(notice -> notice.matches("the fast subscriber, .* is back after .*"));
        }
    }

    private void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new AssertionError("not in time; told: " + notices);
            }
            Thread.onSpinWait();
        }
    }

    private static void signal(long pid, String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .inheritIO()
                .start();
        assertThat(kill.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    @Test
    void whoAsksForTheEndGetsIt() throws Exception {
        try (FeedReader reader = session(50_000, 7);
                Interruption interruption = new Interruption("test");
                RemoteMarket market = new RemoteMarket(reader, SLOW_NANOS, interruption, notices::add)) {
            interruption.request();
            RemoteResult result = market.run();
            assertThat(result.status()).isEqualTo(Verb.INTERRUPTED);
            assertThat(result.text()).endsWith("demo: interrupted after 0 messages\n");
        }
    }

    @Test
    void aMessageComesAsItWent() throws Exception {
        Wire wire = new Wire();
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[512]);
        Update update = new Update();
        Update other = new Update();
        try (FeedReader reader = session(5_000, 3)) {
            for (long i = 0; reader.next(); i++) {
                reader.copyTo(update.market);
                update.name = i % 3 == 0 ? "NAME" + i : "";
                int length = wire.length(update);
                wire.encode(update, buffer, 8, length);
                wire.decode(other, buffer, 8, length, i);
                MarketEvent sent = update.market;
                MarketEvent came = other.market;
                assertThat(other.name).isEqualTo(update.name);
                assertThat(came.kind()).isEqualTo(sent.kind());
                assertThat(came.type()).isEqualTo(sent.type());
                assertThat(came.timestamp()).isEqualTo(sent.timestamp());
                assertThat(came.instrument()).isEqualTo(sent.instrument());
                assertThat(came.reference()).isEqualTo(sent.reference());
                assertThat(came.newReference()).isEqualTo(sent.newReference());
                assertThat(came.buy()).isEqualTo(sent.buy());
                assertThat(came.shares()).isEqualTo(sent.shares());
                assertThat(came.price()).isEqualTo(sent.price());
                assertThat(came.rawLength()).isEqualTo(sent.rawLength());
                assertThat(java.util.Arrays.mismatch(came.raw(), 0, came.rawLength(), sent.raw(), 0, sent.rawLength()))
                        .isEqualTo(-1);
            }
        }
        update.end();
        wire.encode(update, buffer, 0, wire.length(update));
        wire.decode(other, buffer, 0, wire.length(update), 1);
        assertThat(other.market.kind()).isEqualTo(EventKind.END);
    }

    @Test
    void whatIsNoMessageIsRefused() {
        Wire wire = new Wire();
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        Update update = new Update();
        assertThatThrownBy(() -> wire.decode(update, buffer, 0, 55, 1)).isInstanceOf(IllegalArgumentException.class);
        buffer.putInt(4, 129, java.nio.ByteOrder.LITTLE_ENDIAN);
        assertThatThrownBy(() -> wire.decode(update, buffer, 0, 200, 1))
                .hasMessage("record must be from 0 to 128 bytes within a message of 200, but is 129");
        buffer.putInt(4, 0);
        buffer.putByte(0, (byte) 99);
        assertThatThrownBy(() -> wire.decode(update, buffer, 0, 56, 1))
                .hasMessageStartingWith("kind must be from 0 to ");
    }
}
