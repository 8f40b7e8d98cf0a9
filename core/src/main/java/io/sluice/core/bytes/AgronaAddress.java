package io.sluice.core.bytes;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.jspecify.annotations.Nullable;

/** Addresses, for Agrona's own buffers only. The one class of this package that touches what needs an option of the JVM. */
final class AgronaAddress {
    private AgronaAddress() {}

    static long of(ByteBuffer memory, byte @Nullable [] array, int offset) {
        try {
            return array == null ? BufferUtil.address(memory) : BufferUtil.ARRAY_BASE_OFFSET + offset;
        } catch (LinkageError e) {
            throw new UnsupportedOperationException(
                    "addressOffset() must be called on a JVM with --add-exports java.base/jdk.internal.misc=ALL-UNNAMED,"
                            + " but this JVM runs without it; use getBytes",
                    e);
        }
    }
}
