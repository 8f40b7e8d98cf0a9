package io.sluice.perf.records;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntFunction;

/** One way to write objects and to read them back; it has a place for each of them. */
interface Way<T> {
    /** So many objects go round, each to a place of its own: the compiler can neither leave out a write nor do it once for all. */
    int PLACES = 64;

    /** Rounds before those that count. */
    int WARM_UP = 4;

    /** Bytes of a place. */
    int ROOM = 256;

    /** Writes an object to a place; gives its bytes. */
    int write(T object, int place) throws IOException;

    T read(int place) throws IOException, ClassNotFoundException;

    /** Writes and reads round by round, and prints nanoseconds of a write and of a read, and the bytes of the longest object. */
    static <T> void run(Way<T> way, IntFunction<T> made, BiPredicate<T, T> same, int calls, int rounds)
            throws IOException, ClassNotFoundException {
        if (calls % PLACES != 0) {
            throw new IllegalArgumentException("calls must be a multiple of " + PLACES + ", but was " + calls);
        }
        List<T> objects = new ArrayList<>();
        List<T> read = new ArrayList<>();
        for (int i = 0; i < PLACES; i++) {
            objects.add(made.apply(i));
            read.add(objects.get(i));
        }
        for (int round = 0; round < WARM_UP + rounds; round++) {
            long start = System.nanoTime();
            int bytes = 0;
            for (int i = 0; i < calls; i++) {
                bytes = Math.max(bytes, way.write(objects.get(i & (PLACES - 1)), i & (PLACES - 1)));
            }
            long written = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                read.set(i & (PLACES - 1), way.read(i & (PLACES - 1)));
            }
            long end = System.nanoTime();
            for (int i = 0; i < PLACES; i++) {
                if (!same.test(read.get(i), objects.get(i))) {
                    throw new IllegalStateException("read something else than was written");
                }
            }
            if (round >= WARM_UP) {
                System.out.println("round " + (written - start) / (double) calls + " "
                        + (end - written) / (double) calls + " " + bytes);
            }
        }
    }
}
