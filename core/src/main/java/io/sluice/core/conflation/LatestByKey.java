package io.sluice.core.conflation;

import io.sluice.core.Sequence;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the latest value of each key until the consumer comes for it: for prices, positions, fills, of which only the newest
 * counts. A value that is replaced before it was delivered is <em>conflated</em>: handed to a handler of the caller and counted.
 * It is never full, so nobody waits. Keys are delivered in the order in which they became pending, so a busy key starves no
 * quiet one.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>{@link #offer}: any thread, wait-free. One atomic exchange; for a key that was not pending also one atomic addition.
 *   <li>{@link #drain}: one consumer thread, never blocks. One atomic exchange a value. A key offered by a thread that is
 *       stopped in the middle of its call may hide keys that became pending after it, until it goes on.
 *   <li>The handler that gets a value sees all that the producer did before it offered the value.
 *   <li>The last value offered for a key is delivered; of two threads that offer values for one key at the same time, either
 *       may be the last.
 *   <li>Nothing allocates, but for a counter of conflated values where threads contend for it first.
 * </ul>
 *
 * @param <V> the values' type; a value is not touched by its producer once it is offered
 */
public final class LatestByKey<V> {
    /*
     *   slots[key]   the newest value that is not delivered, null if the key is not pending. Exchanged by both sides.
     *   keys[]       the queue of pending keys, each as key + 1, 0 for none
     *   tail, head   its next position for producers (atomic addition) and for the consumer
     *
     * offer exchanges its value for what is in the slot. If that was null, the key became pending by this call and no other,
     * and this call puts it into the queue. drain takes the next key out of the queue, and only then exchanges null into its
     * slot. So a key is in the queue at most once, from the exchange that found null to the one that leaves null: as many
     * positions as keys are enough, and a position is free when it is taken. Its clearing is visible to the thread that takes it
     * again: of any keys.length + 1 positions in a row two are of the same key, so between them lies that key's exchange by
     * the consumer, after the clearing of the older, and then the atomic addition by which the later was taken.
     *
     * The end of the stack may cut a call off between two of these steps. The steps that then keep the key take no stack: a store
     * into an array or a field, or a lock. A key that its producer could not put into the queue is pending, so no other call puts it
     * there, until the consumer does.
     *
     * Not promised: an order among the values of different keys, other than that of becoming pending.
     */

    /** The largest number of keys: {@value}. */
    public static final int MOST_KEYS = 1 << 24;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle KEY = MethodHandles.arrayElementVarHandle(int[].class);

    private final @Nullable Object[] slots;
    private final int[] keys;
    private final Consumer<? super V> handler;

    // producers
    private final Sequence tail = new Sequence(0);
    private final LongAdder conflated = new LongAdder();

    // under the lock of the array, but for a look; written when a producer is cut off
    private final boolean[] cutOff;
    private boolean isAnyCutOff;

    // the consumer; each position of the queue is one value delivered
    private final Sequence head = new Sequence(0);
    private int owed; // an entry out of the queue whose value could not be taken, 0 for none

    /**
     * Told the values that drain takes.
     *
     * @param <V> the values' type
     */
    @FunctionalInterface
    public interface Handler<V> {
        /**
         * The latest value of a key.
         *
         * @param key the key
         * @param value the value
         */
        void onLatest(int key, V value);
    }

    /**
     * Creates an empty structure.
     *
     * @param keys how many keys there are, 1 to {@link #MOST_KEYS}; they are the numbers from 0 on. 9 to 13 bytes each
     * @param conflated told each value that is replaced before it was delivered, on the thread that replaces it
     * @throws IllegalArgumentException if the number of keys is out of its range
     */
    public LatestByKey(int keys, Consumer<? super V> conflated) {
        Check.inRange(keys, 1, MOST_KEYS, "keys");
        this.slots = new Object[keys];
        this.keys = new int[Integer.highestOneBit(keys * 2 - 1)];
        this.cutOff = new boolean[keys];
        this.handler = Check.notNull(conflated, "conflated");
    }

    /**
     * Makes a value the latest of its key. Where no stack is left it throws before anything is changed, or when it is to tell of the value
     * that it has replaced.
     *
     * @param key 0 to the number of keys - 1
     * @param value the value
     * @return whether it replaced one that was not delivered
     * @throws IllegalArgumentException if there is no such key
     */
    public boolean offer(int key, V value) {
        Check.notNull(value, "value");
        if (key < 0 || key >= slots.length) {
            throw new IllegalArgumentException("key must be from 0 to " + (slots.length - 1) + ", but was " + key);
        }
        @SuppressWarnings("unchecked") // the slots hold what was offered
        @Nullable
        V before = (V) SLOT.getAndSet(slots, key, value); // exchange: one of two offers finds null
        if (before != null) {
            try {
                handler.accept(before);
            } finally {
                conflated.increment(); // last: it may find no memory
            }
            return true;
        }
        long position;
        try {
            position = tail.getAndAdd(1); // addition: each position has one producer, who finds it free
        } catch (Throwable t) { // the end of the stack
            synchronized (cutOff) { // takes no stack
                cutOff[key] = true;
                isAnyCutOff = true;
            }
            return false;
        }
        int at = (int) position & (keys.length - 1);
        try {
            KEY.setRelease(keys, at, key + 1); // release: the key, to drain's acquire
        } catch (Throwable t) { // the end of the stack
            keys[at] = key + 1; // plain: takes no stack, and comes behind the exchange for who acts on it
        }
        return false;
    }

    /**
     * Hands over the latest values of pending keys.
     *
     * @param to told each; its exception reaches the caller, and the value that it was told counts as delivered
     * @param limit how many at most, 1 or more
     * @return how many were handed over
     * @throws IllegalArgumentException if the limit is below 1
     */
    @SuppressWarnings("unchecked") // the slots hold what was offered
    public int drain(Handler<? super V> to, int limit) {
        Check.notNull(to, "to");
        Check.inRange(limit, 1, Integer.MAX_VALUE, "limit");
        if (isAnyCutOff) { // plain: what is not seen yet is seen by a later call
            queueCutOff();
        }
        int count = 0;
        while (count < limit) {
            int entry = owed == 0 ? nextEntry() : owed;
            if (entry == 0) {
                break;
            }
            @Nullable Object none = null;
            V value;
            try {
                value = (V) SLOT.getAndSet(slots, entry - 1, none); // exchange: the newest, and none is lost behind it
            } catch (Throwable t) { // the end of the stack
                owed = entry;
                throw t;
            }
            if (owed != 0) { // as a rule nothing is written: producers read what lies beside it
                owed = 0;
            }
            count++;
            to.onLatest(entry - 1, value);
        }
        return count;
    }

    /** Takes the next key out of the queue; 0 if there is none. If it is cut off, nothing has changed. */
    private int nextEntry() {
        long position = head.getPlain(); // plain: the consumer's own
        int at = (int) position & (keys.length - 1);
        int entry = (int) KEY.getAcquire(keys, at); // acquire: pairs with the release in offer
        if (entry != 0) {
            head.setOpaque(position + 1); // opaque: for monitors
            keys[at] = 0; // plain, takes no stack: before the exchange, which whoever takes the position again has seen
        }
        return entry;
    }

    /** Puts the keys into the queue that their producers could not put there. */
    private void queueCutOff() {
        synchronized (cutOff) {
            for (int key = 0; key < cutOff.length; key++) {
                if (cutOff[key]) {
                    long position = tail.getAndAdd(1); // addition: as in offer
                    keys[(int) position & (keys.length - 1)] = key + 1; // plain: this thread reads it
                    cutOff[key] = false;
                }
            }
            isAnyCutOff = false;
        }
    }

    /**
     * How many keys there are.
     *
     * @return as it was built with
     */
    public int keys() {
        return slots.length;
    }

    /**
     * How many values were replaced before they were delivered. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long conflated() {
        return conflated.sum();
    }

    /**
     * How many values were delivered. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long delivered() {
        return head.getOpaque(); // opaque: a counter for monitors
    }
}
