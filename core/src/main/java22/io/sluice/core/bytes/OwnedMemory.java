package io.sluice.core.bytes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/*
 * On JDK 22 and newer: the class of the same name in the folder `java` is for older ones.
 *
 *   SafeBuffer --> OwnedMemory --> Arena        close of the buffer: the memory goes at once
 *       |              |
 *       v              v
 *   ByteBuffer ----> MemorySegment              the segment is unreachable: the cleaner closes the arena
 *
 * Each view of a ByteBuffer refers to the segment, and the arena does not. So memory that nobody closes goes with the garbage
 * collector, once no view is left.
 */
/** Memory off the heap that one buffer owns. It is given back by {@link #free}, or else once nothing refers to it. */
final class OwnedMemory {
    private static final Cleaner CLEANER = Cleaner.create();

    private final Cleaner.Cleanable memory;
    private final Arena arena;
    private final ByteBuffer buffer;

    private OwnedMemory(Arena arena, MemorySegment segment) {
        this.arena = arena;
        buffer = segment.asByteBuffer();
        memory = CLEANER.register(segment, () -> closeOnce(arena));
    }

    private static void closeOnce(Arena arena) {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    static OwnedMemory allocate(int bytes, int alignment) {
        Arena arena = Arena.ofShared();
        try {
            return new OwnedMemory(arena, arena.allocate(bytes, alignment));
        } catch (Throwable t) {
            arena.close();
            throw t;
        }
    }

    static OwnedMemory map(FileChannel channel, FileChannel.MapMode mode, long position, int bytes) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new OwnedMemory(arena, channel.map(mode, position, bytes, arena));
        } catch (Throwable t) {
            arena.close();
            throw t;
        }
    }

    ByteBuffer buffer() {
        return buffer;
    }

    /**
     * Gives the memory back. Who is over it gets an exception from now on.
     *
     * @throws IllegalStateException if a channel reads into it or writes from it right now; then nothing has changed
     */
    void free() {
        arena.close(); // before the cleaner: if it is refused, the cleaner still has its turn
        memory.clean();
    }
}
