package io.sluice.aeron;

import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.ExclusivePublication;
import io.aeron.logbuffer.BufferClaim;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receivers join a stream of messages while another thread runs the link: each hears of the session before its first message, and once. */
@Tag("concurrency")
@Timeout(120)
class JoinRaceTest {
    private static final int JOINS = 400;
    private static final int MESSAGES = 10;

    @Test
    void whoeverJoinsHearsOfTheSessionBeforeItsFirstMessage() throws Exception {
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        AtomicBoolean ended = new AtomicBoolean();
        try (AeronLink link =
                AeronLink.embedded(errors::add).driver(Harness::small).start()) {
            Thread running = new Thread(
                    () -> {
                        while (!ended.get()) {
                            link.doWork();
                        }
                    },
                    "link");
            running.start();
            ExclusivePublication publication = link.aeron().addExclusivePublication(IPC, STREAM);
            Thread sending = new Thread(() -> send(publication, ended), "sending");
            sending.start();
            try {
                for (int join = 0; join < JOINS && !Thread.currentThread().isInterrupted(); join++) {
                    Heard heard = new Heard();
                    AeronReceiver receiver = AeronReceiver.builder(
                                    link,
                                    IPC,
                                    STREAM,
                                    (buffer, offset, length, session, number) -> MessageSink.Taken.TAKEN,
                                    heard)
                            .build();
                    while (receiver.received() < MESSAGES
                            && !Thread.currentThread().isInterrupted()) {
                        receiver.doWork();
                    }
                    receiver.close();
                    assertThat(heard.all).as("join " + join).hasSize(2);
                    assertThat(heard.all.get(0)).as("join " + join).isEqualTo("available aeron:ipc");
                    assertThat(heard.all.get(1)).as("join " + join).startsWith("first ");
                }
            } finally {
                ended.set(true);
                sending.join();
                running.join();
            }
        }
        assertThat(errors).isEmpty();
    }

    private static void send(ExclusivePublication to, AtomicBoolean ended) {
        BufferClaim claim = new BufferClaim();
        for (long number = 1; !ended.get(); ) {
            if (to.tryClaim(Long.BYTES, claim) > 0) {
                claim.reservedValue(number).commit();
                number++;
            }
        }
    }
}
