package io.sluice.core.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Memory off the heap that one buffer owns. Here it goes with the garbage collector: JDK 17 has no other way without {@code Unsafe}. The
 * class of the same name in the folder {@code java22}, for newer JDKs, gives it back at once where it is asked for.
 *
 * <p>No record, since both classes must have the same methods: {@code jar --validate} compares them.
 */
final class OwnedMemory {
    private final ByteBuffer buffer;

    private OwnedMemory(ByteBuffer buffer) {
        this.buffer = buffer;
    }

    static OwnedMemory allocate(int bytes, int alignment) {
        ByteBuffer raw = ByteBuffer.allocateDirect(bytes + alignment);
        int behind = raw.alignmentOffset(0, alignment);
        return new OwnedMemory(raw.slice(behind == 0 ? 0 : alignment - behind, bytes));
    }

    /** Memory that goes at once when its buffer is closed; here, as any other, with the collector. */
    static OwnedMemory allocateScoped(int bytes, int alignment) {
        return allocate(bytes, alignment);
    }

    static OwnedMemory map(FileChannel channel, FileChannel.MapMode mode, long position, int bytes) throws IOException {
        return new OwnedMemory(channel.map(mode, position, bytes));
    }

    /** All of it. */
    ByteBuffer buffer() {
        return buffer;
    }

    void free() {
        // The collector finds that nothing refers to the memory.
    }
}
