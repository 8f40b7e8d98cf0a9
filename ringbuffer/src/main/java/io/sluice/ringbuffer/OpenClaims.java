package io.sluice.ringbuffer;

import java.util.Arrays;

/** Ranges of claimed sequences, adjacent ones joined. One thread's own; allocates only when it grows. */
final class OpenClaims {
    @FunctionalInterface
    interface RangeConsumer {
        void accept(long lo, long hi);
    }

    private long[] bounds = new long[8];
    private int size;

    /** Adds a range above all others. */
    void add(long lo, long hi) {
        int at = size; // read once: a second thread, told of its mistake a moment later, may clear this meanwhile
        if (at > 0 && bounds[at - 1] == lo - 1) {
            bounds[at - 1] = hi;
            return;
        }
        if (at == bounds.length) {
            bounds = Arrays.copyOf(bounds, at * 2);
        }
        bounds[at] = lo;
        bounds[at + 1] = hi;
        size = at + 2;
    }

    boolean contains(long lo, long hi) {
        long[] now = bounds;
        int end = Math.min(
                size, now.length); // a thread that has no business here is to find nothing, not to fail by an index
        for (int i = 0; i < end; i += 2) {
            if (lo >= now[i] && hi <= now[i + 1]) {
                return true;
            }
        }
        return false;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The lowest sequence; only if there is one. */
    long lowest() {
        return bounds[0];
    }

    /** The end of the range that was added last, -1 if there is none. */
    long highest() {
        long[] now = bounds;
        int end = Math.min(size, now.length); // read once: another thread may take some away, as in contains
        return end == 0 ? -1 : now[end - 1];
    }

    /** Whether the next range that adjoins no other would need more memory. */
    boolean isFull() {
        return size == bounds.length;
    }

    /** Makes room for one range more: forgets what lies below a sequence, or takes more memory. */
    void makeRoom(long lowest) {
        if (isFull()) {
            forgetBelow(lowest);
            if (isFull()) {
                bounds = Arrays.copyOf(bounds, size * 2);
            }
        }
    }

    /** Forgets what lies below a sequence. */
    void forgetBelow(long lowest) {
        long[] now = bounds;
        int end = Math.min(size, now.length); // as in contains
        int kept = 0;
        for (int i = 0; i < end; i += 2) {
            if (now[i + 1] >= lowest) {
                now[kept++] = Math.max(now[i], lowest);
                now[kept++] = now[i + 1];
            }
        }
        size = kept;
    }

    /** Takes a range out; a part of a range may leave two. */
    void remove(long lo, long hi) {
        makeRoom(Long.MIN_VALUE);
        long[] now = bounds;
        int end = Math.min(size, now.length - 2); // as in contains
        for (int i = end - 2; i >= 0; i -= 2) {
            if (hi < now[i] || lo > now[i + 1]) {
                continue;
            }
            boolean leavesLower = now[i] < lo;
            boolean leavesUpper = hi < now[i + 1];
            if (leavesLower && leavesUpper) {
                System.arraycopy(now, i, now, i + 2, end - i);
                end += 2;
                now[i + 1] = lo - 1;
                now[i + 2] = hi + 1;
            } else if (leavesLower) {
                now[i + 1] = lo - 1;
            } else if (leavesUpper) {
                now[i] = hi + 1;
            } else {
                System.arraycopy(now, i + 2, now, i, end - i - 2);
                end -= 2;
            }
        }
        size = end;
    }

    /** How many ranges are kept. */
    int ranges() {
        return size / 2;
    }

    void clear() {
        size = 0;
    }

    void forEach(RangeConsumer consumer) {
        for (int i = 0; i < size; i += 2) {
            consumer.accept(bounds[i], bounds[i + 1]);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        forEach((lo, hi) -> text.append(text.length() == 0 ? "" : ", ")
                .append(lo)
                .append(" to ")
                .append(hi));
        return text.toString();
    }
}
