package io.sluice.perf.lab;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A way to pass a number from one of two threads to the other. A giver gives a number that differs from the last one; the taker waits for
 * it. Each gives only after it has taken, so a place holds one number at a time.
 */
interface Baton {
    /** Gives a number to a thread, 0 or 1. */
    void give(int to, long value) throws InterruptedException;

    /** Waits until the number for a thread differs from the last one that it took. */
    long take(int me, long last) throws InterruptedException;

    /** Ends threads that wait and can not be interrupted, after one of the two has failed. */
    default void abandon() {}

    /** Two words, 256 bytes apart, far from the head of their array. */
    abstract class Words implements Baton {
        static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
        private static final int GAP = 32;
        private static final long ABANDONED = Long.MIN_VALUE;

        final long[] words = new long[4 * GAP];
        private final boolean hint;

        Words(boolean hint) {
            this.hint = hint;
        }

        static int at(int thread) {
            return GAP * (1 + thread);
        }

        abstract long get(int index);

        @Override
        public abstract void give(int to, long value);

        @Override
        public void abandon() {
            WORD.setRelease(
                    words, at(0), ABANDONED); // release: no number that anyone waits for; a look takes it and fails
            WORD.setRelease(words, at(1), ABANDONED); // release: the same for the other
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // on one core the other thread needs it
        public long take(int me, long last) {
            int index = at(me);
            long value = get(index);
            while (value == last) {
                if (Contended.CORES == 1) {
                    Thread.yield();
                } else if (hint) {
                    Thread.onSpinWait();
                }
                value = get(index);
            }
            return value;
        }
    }

    /** By volatile accesses. */
    final class Volatile extends Words {
        Volatile(boolean hint) {
            super(hint);
        }

        @Override
        public void give(int to, long value) {
            WORD.setVolatile(words, at(to), value); // volatile: what this experiment measures
        }

        @Override
        long get(int index) {
            return (long) WORD.getVolatile(words, index); // volatile: what this experiment measures
        }
    }

    /** By release and acquire. */
    final class Release extends Words {
        Release(boolean hint) {
            super(hint);
        }

        @Override
        public void give(int to, long value) {
            WORD.setRelease(words, at(to), value); // release: what this experiment measures
        }

        @Override
        long get(int index) {
            return (long) WORD.getAcquire(words, index); // acquire: pairs with give()
        }
    }

    /** By opaque accesses, which order nothing else. */
    final class Opaque extends Words {
        Opaque(boolean hint) {
            super(hint);
        }

        @Override
        public void give(int to, long value) {
            WORD.setOpaque(words, at(to), value); // opaque: what this experiment measures; nothing else is handed over
        }

        @Override
        long get(int index) {
            return (long) WORD.getOpaque(words, index); // opaque: what this experiment measures
        }
    }

    /** Given by compare-and-set. */
    final class CompareAndSet extends Words {
        CompareAndSet(boolean hint) {
            super(hint);
        }

        @Override
        public void give(int to, long value) {
            int index = at(to);
            if (!WORD.compareAndSet(words, index, get(index), value)) { // volatile: what this experiment measures
                throw new IllegalStateException("a place must have one writer, but another wrote " + get(index));
            }
        }

        @Override
        long get(int index) {
            return (long) WORD.getAcquire(words, index); // acquire: pairs with give()
        }
    }

    /** By a lock and a condition for each thread. */
    final class LockAndCondition implements Baton {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition[] conditions = {lock.newCondition(), lock.newCondition()};
        private final long[] values = new long[2];

        @Override
        public void give(int to, long value) {
            lock.lock();
            try {
                values[to] = value;
                conditions[to].signal();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public long take(int me, long last) throws InterruptedException {
            lock.lock();
            try {
                while (values[me] == last) {
                    conditions[me].await();
                }
                return values[me];
            } finally {
                lock.unlock();
            }
        }
    }

    /** By a monitor for each thread. */
    final class Monitor implements Baton {
        private final Object[] monitors = {new Object(), new Object()};
        private final long[] values = new long[2];

        @Override
        public void give(int to, long value) {
            synchronized (monitors[to]) {
                values[to] = value;
                monitors[to].notifyAll();
            }
        }

        @Override
        public long take(int me, long last) throws InterruptedException {
            synchronized (monitors[me]) {
                while (values[me] == last) {
                    monitors[me].wait();
                }
                return values[me];
            }
        }
    }

    /** By a word, and a thread that parks while it has not changed. */
    final class Park implements Baton {
        private static final VarHandle THREADS = MethodHandles.arrayElementVarHandle(Thread[].class);

        private final Words words = new Volatile(false);
        private final @Nullable Thread[] threads = new Thread[2];

        @Override
        public void abandon() {
            words.abandon(); // an interrupted thread does not park
        }

        @Override
        public void give(int to, long value) {
            words.give(to, value);
            LockSupport.unpark((Thread)
                    THREADS.getVolatile(threads, to)); // volatile: after the word, which the other reads after it
        }

        @Override
        public long take(int me, long last) {
            THREADS.setVolatile(threads, me, Thread.currentThread()); // volatile: before the word is read
            int index = Words.at(me);
            long value = words.get(index);
            while (value == last) {
                LockSupport.park(this);
                value = words.get(index);
            }
            return value;
        }
    }

    /** By a queue without room, for each thread. */
    final class Queues implements Baton {
        private final SynchronousQueue<Long> first = new SynchronousQueue<>();
        private final SynchronousQueue<Long> second = new SynchronousQueue<>();

        @Override
        public void give(int to, long value) throws InterruptedException {
            (to == 0 ? first : second).put(value);
        }

        @Override
        public long take(int me, long last) throws InterruptedException {
            return (me == 0 ? first : second).take();
        }
    }
}
