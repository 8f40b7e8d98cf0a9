package io.sluice.examples.trial;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The data packets of a trial: a head with the sender's session, then as many messages, each its number and a check over it. */
final class Wire {
    /** Messages in a packet. */
    static final int MESSAGES = 16;

    /** Magic, how many messages, session, first number. */
    private static final int HEAD = 4 + 4 + 8 + 8;

    static final int LENGTH = HEAD + MESSAGES * 16;

    private static final int MAGIC = 0x54524941;

    private Wire() {}

    static ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(LENGTH + 1).order(ByteOrder.LITTLE_ENDIAN);
    }

    static void encode(ByteBuffer packet, long session, long first) {
        packet.clear();
        packet.putInt(MAGIC).putInt(MESSAGES).putLong(session).putLong(first);
        for (int i = 0; i < MESSAGES; i++) {
            packet.putLong(first + i).putLong(check(first + i));
        }
        packet.flip();
    }

    /** The first message's number, or -1 if this is no packet of a trial. */
    static long first(ByteBuffer packet) {
        return packet.remaining() == LENGTH && packet.getInt(0) == MAGIC && packet.getInt(4) == MESSAGES
                ? packet.getLong(16)
                : -1;
    }

    /** The sender's session. */
    static long session(ByteBuffer packet) {
        return packet.getLong(8);
    }

    static long number(ByteBuffer packet, int message) {
        return packet.getLong(HEAD + 16 * message);
    }

    static long check(ByteBuffer packet, int message) {
        return packet.getLong(HEAD + 8 + 16 * message);
    }

    static long check(long number) {
        long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 29;
    }
}
