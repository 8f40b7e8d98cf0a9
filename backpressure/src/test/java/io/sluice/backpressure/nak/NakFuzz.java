package io.sluice.backpressure.nak;

import io.sluice.backpressure.rate.RateLimiter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.NanoClock;

/**
 * What a fuzzer feeds: any bytes are taken as a few packets, decoded, and what is accepted goes to a controller and to a
 * suppression. Nothing may throw, and every value has to be in its range. The fuzzer's input is: a byte for each packet, how it is
 * framed, then its bytes.
 */
public final class NakFuzz {
    private static final long STREAM = 0x1122334455667788L;
    private static final int FRAME = 17; // magic, version, length, stream, and the clock's step

    private NakFuzz() {}

    /**
     * Called by Jazzer.
     *
     * @param data anything
     */
    public static void fuzzerTestOneInput(byte[] data) {
        Stage stage = new Stage();
        int at = 0;
        while (at < data.length) {
            int how = data[at++] & 0xff;
            int length = Math.min(data.length - at, how < 224 ? Nak.LENGTH - 16 : how - 224 + Nak.LENGTH - 16);
            stage.packet(how, data, at, length);
            at += length;
        }
    }

    /** A sender with its controller, in virtual time. */
    private static final class Stage implements NakTransport, NanoClock {
        private final ByteBuffer packet = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
        private final Nak nak = new Nak();
        private final RateLimiter limiter = RateLimiter.singleWriter(this, 64);
        private long now;
        private long sent;
        private boolean arrived;
        private long silent;
        private final NakController controller = NakController.builder(this, limiter, () -> sent, this)
                .onSlowReceiver(1_000, (receiver, perSecond, nanos) -> SlowReceiverHandler.Decision.LEAVE_BEHIND)
                .onSilentReceiver(100_000, (receiver, position, nanos) -> silent++)
                .build();
        private final NakSuppression suppression = new NakSuppression(this, this, 1, 10, 1_000, 1);

        void packet(int how, byte[] data, int at, int length) {
            packet.clear();
            if (how % 4 != 0) { // framed as it should be, so that the values behind the frame are reached
                packet.putInt(0x4B414E53)
                        .putShort((short) Nak.VERSION)
                        .putShort((short) Nak.LENGTH)
                        .putLong(STREAM);
            }
            packet.put(data, at, length).flip();
            if (how % 4 >= 2 && packet.limit() >= Nak.LENGTH) { // and with values that can be
                packet.putLong(16, packet.getLong(16) & 1); // two sessions
                long capacity = packet.getLong(32) >>> 1 | 1;
                packet.putLong(32, capacity);
                packet.putLong(40, Long.remainderUnsigned(packet.getLong(40), capacity + 1));
                int kind = how >>> 3 & 3;
                int level = kind < 2 ? 1 + Integer.remainderUnsigned(packet.getInt(72), 100) : 0;
                packet.putInt(72, level | kind << 16);
                packet.putInt(76, 1 + (packet.getInt(76) >>> how % 32 >>> 1));
            }
            now += how % 4 == 3 ? packet.getInt(packet.limit() >= FRAME + 4 ? FRAME : 0) : how * 10_000L;
            sent += how;
            Nak.DecodeResult verdict = nak.decode(packet, 0, packet.limit(), STREAM);
            arrived = verdict == Nak.DecodeResult.ACCEPTED;
            if (arrived) {
                require(packet.limit() == Nak.LENGTH, "length");
                require(nak.capacity() >= 1, "capacity");
                require(nak.fill() >= 0 && nak.fill() <= nak.capacity(), "fill");
                require(nak.level() >= (nak.isSign() ? 0 : 1) && nak.level() <= (nak.isSign() ? 0 : 100), "level");
                require(nak.senders() >= 1, "senders");
                require(nak.stream() == STREAM, "stream");
                suppression.receive(heard -> {}, 1);
                suppression.send(nak);
            }
            boolean heard = arrived;
            long before = controller.receivedNaks();
            controller.doWork();
            double rate = controller.rate();
            require(rate >= 0, "rate " + rate); // NaN, too, is refused here
            require(limiter.rate() >= 0, "limit");
            require(!heard || controller.receivedNaks() == before + 1 || controller.receivedNaks() == before, "NAKs");
            require(controller.windowNanos() <= 50_000_000, "window");
            require(controller.loopDelayNanos() >= 0, "loop");
            require(controller.epochNanos() >= 1_000_000, "epoch");
            require(silent == controller.silences() && controller.silentReceivers() >= 0, "silences");
            require(controller.silentReceivers() <= NakController.MAX_WATCHED, "silent receivers");
            limiter.tryAcquire(1);
        }

        private void require(boolean holds, String what) {
            if (!holds) {
                throw new IllegalStateException(what + " is out of its range, behind " + nak);
            }
        }

        @Override
        public boolean send(Nak nak) {
            return true;
        }

        @Override
        public boolean isGroup() {
            return true;
        }

        @Override
        public int receive(NakHandler handler, int limit) {
            if (!arrived) {
                return 0;
            }
            handler.onNak(nak);
            return 1;
        }

        @Override
        public long nanoTime() {
            return now;
        }
    }
}
