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
 *
 * An access to memory of an arena looks whether the arena is open. Plain accesses in a loop look once; acquire and release look each time,
 * which takes a third more time. So memory comes from an arena only where that was asked for.
 */
/** Memory off the heap that one buffer owns. */
final class OwnedMemory {
    private final ByteBuffer buffer;
    private final Runnable giveBack;

    private OwnedMemory(ByteBuffer buffer, Runnable giveBack) {
        this.buffer = buffer;
        this.giveBack = giveBack;
    }

    /** Has a thread of its own, which starts with the first memory that is scoped. */
    private static final class Forgotten {
        static final Cleaner CLEANER = Cleaner.create();
    }

    private static OwnedMemory collected(ByteBuffer buffer) {
        return new OwnedMemory(buffer, () -> {}); // the collector finds that nothing refers to the memory
    }

    static OwnedMemory allocate(int bytes, int alignment) {
        ByteBuffer raw = ByteBuffer.allocateDirect(bytes + alignment);
        int behind = raw.alignmentOffset(0, alignment);
        return collected(raw.slice(behind == 0 ? 0 : alignment - behind, bytes));
    }

    /** Memory that goes at once when its buffer is closed. */
    static OwnedMemory allocateScoped(int bytes, int alignment) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = arena.allocate(bytes, alignment);
            Cleaner.Cleanable forgotten = Forgotten.CLEANER.register(segment, () -> closeOnce(arena));
            return new OwnedMemory(segment.asByteBuffer(), () -> {
                closeOnce(arena); // first: if it is refused, the cleaner still has its turn
                forgotten.clean();
            });
        } catch (Throwable t) {
            arena.close();
            throw t;
        }
    }

    /** An arena whose close was cut off at the end of the stack is closed already. */
    private static void closeOnce(Arena arena) {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    static OwnedMemory map(FileChannel channel, FileChannel.MapMode mode, long position, int bytes) throws IOException {
        return collected(channel.map(mode, position, bytes));
    }

    ByteBuffer buffer() {
        return buffer;
    }

    /**
     * Gives the memory back. If it is scoped, each access to it throws an exception from now on.
     *
     * @throws IllegalStateException if a channel reads into it or writes from it right now; then nothing has changed
     */
    void free() {
        giveBack.run();
    }
}
