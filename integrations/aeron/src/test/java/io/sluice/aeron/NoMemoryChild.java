package io.sluice.aeron;

import io.sluice.testing.FullMemory;
import java.util.ArrayList;
import java.util.List;
import org.agrona.MutableDirectBuffer;

/**
 * A receiver in a process whose memory is used up while a message comes in fragments. The message before it is shorter, and its sink fails
 * once: so all that a failure needs is loaded, and the buffer for fragments is there, but too small.
 */
final class NoMemoryChild {
    private static final String CHANNEL = Harness.IPC + "|mtu=1408";

    private NoMemoryChild() {}

    public static void main(String[] arguments) throws Exception {
        List<Long> received = new ArrayList<>();
        Heard heard = new Heard();
        boolean[] fails = {true};
        MessageSink sink = (buffer, offset, length, session, number) -> {
            if (fails[0]) {
                fails[0] = false;
                throw new AssertionError("planned");
            }
            received.add(buffer.getLong(offset));
            return MessageSink.Taken.TAKEN;
        };
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    4,
                    AeronSender.<long[]>builder(harness.link, CHANNEL, Harness.STREAM, new Growing())
                            .build());
            AeronReceiver receiver = AeronReceiver.builder(harness.link, CHANNEL, Harness.STREAM, sink, heard)
                    .build();
            out.publish(1, 1);
            harness.runUntil(() -> isFailing(receiver) || !received.isEmpty());
            harness.runUntil(() -> !isFailing(receiver) && !received.isEmpty());
            out.publish(2, 3);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 3);
            boolean failed = false;
            try {
                FullMemory.take();
            } catch (OutOfMemoryError e) {
                failed = isFailing(receiver);
            }
            FullMemory.free();
            System.out.println(failed ? "no memory" : "there was memory");
            harness.runUntil(() -> !isFailing(receiver) && received.contains(3L));
            System.out.println("received " + received);
            System.out.println("heard " + heard.all);
            receiver.close();
        }
    }

    private static boolean isFailing(AeronReceiver receiver) {
        try {
            receiver.doWork();
            return false;
        } catch (AssertionError | OutOfMemoryError e) {
            return true;
        }
    }

    /** Messages of three fragments, of six, and of one. */
    private static final class Growing implements EventEncoder<long[]> {
        @Override
        public int length(long[] event) {
            return event[0] == 1 ? 3_000 : event[0] == 2 ? 8_000 : 8;
        }

        @Override
        public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) {
            buffer.putLong(offset, event[0]);
        }
    }
}
