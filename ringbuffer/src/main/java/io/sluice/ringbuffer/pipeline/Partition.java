package io.sluice.ringbuffer.pipeline;

import java.util.function.ToLongFunction;

/**
 * The keys of one consumer: those whose floor modulus by the count is its index.
 *
 * @param key gives an event's key
 * @param index 0 to the count - 1
 * @param count how many consumers the keys are divided among, 1 or more
 */
record Partition<E>(ToLongFunction<? super E> key, int index, int count) {
    boolean isOwn(long ofEvent) {
        int mask = count - 1;
        return ((count & mask) == 0 ? ofEvent & mask : Math.floorMod(ofEvent, (long) count)) == index;
    }
}
