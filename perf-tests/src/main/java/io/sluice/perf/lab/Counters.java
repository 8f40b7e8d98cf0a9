package io.sluice.perf.lab;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;

/** Counters, each with another way to add one. */
final class Counters {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    /** 256 bytes from the head of the array and from its end. */
    private static final int AT = 32;

    private Counters() {}

    /** One long in a place of its own. */
    abstract static class Word implements Contended.Shared {
        final long[] word = new long[2 * AT];

        @Override
        public final long count() {
            return (long) COUNT.getVolatile(word, AT); // volatile: the threads have ended
        }
    }

    /** A plain addition, in opaque mode, so that the compiler does not make one addition of a loop. */
    static final class Plain extends Word {
        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                COUNT.setOpaque(word, AT, (long) COUNT.getOpaque(word, AT) + 1); // opaque: one writer, orders nothing
            }
        }
    }

    /** A release store by the one writer. */
    static final class Release extends Word {
        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                COUNT.setRelease(word, AT, (long) COUNT.getOpaque(word, AT) + 1); // release: what is measured
            }
        }
    }

    /** A volatile store by the one writer. */
    static final class Volatile extends Word {
        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                COUNT.setVolatile(word, AT, (long) COUNT.getOpaque(word, AT) + 1); // volatile: what is measured
            }
        }
    }

    /** A loop around a compare-and-set. */
    static final class CompareAndSet extends Word {
        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                long seen;
                do {
                    seen = (long) COUNT.getVolatile(word, AT); // volatile: as AtomicLong once did
                } while (!COUNT.compareAndSet(word, AT, seen, seen + 1)); // volatile: what is measured
            }
        }
    }

    /** One instruction that adds. */
    static final class GetAndAdd extends Word {
        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                COUNT.getAndAdd(word, AT, 1L); // volatile: what is measured
            }
        }
    }

    /** A cell for each thread that meets another. */
    static final class Adder implements Contended.Shared {
        private final LongAdder adder = new LongAdder();

        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                adder.increment();
            }
        }

        @Override
        public long count() {
            return adder.sum();
        }
    }

    /** Under a monitor. */
    static final class Synchronized implements Contended.Shared {
        private long count;

        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                synchronized (this) {
                    count++;
                }
            }
        }

        @Override
        public synchronized long count() {
            return count;
        }
    }

    /** Under a lock of the library. */
    static final class Reentrant implements Contended.Shared {
        private final ReentrantLock lock = new ReentrantLock();
        private long count;

        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                lock.lock();
                try {
                    count++;
                } finally {
                    lock.unlock();
                }
            }
        }

        @Override
        public long count() {
            return count;
        }
    }

    /** Under the lock that has stamps. */
    static final class Stamped implements Contended.Shared {
        private final StampedLock lock = new StampedLock();
        private long count;

        @Override
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                long stamp = lock.writeLock();
                try {
                    count++;
                } finally {
                    lock.unlockWrite(stamp);
                }
            }
        }

        @Override
        public long count() {
            return count;
        }
    }

    /** Under a lock whose waiters spin, and give the core away now and then, since its owner may need it. */
    static final class Spin implements Contended.Shared {
        private static final int SPINS = 100;

        private final long[] lock = new long[2 * AT];
        private long count;

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // the owner may wait for this core
        public void add(int times) {
            for (int i = 0; i < times; i++) {
                int spins = 0;
                while ((long) COUNT.getOpaque(lock, AT) != 0 // opaque: a look before the attempt
                        || !COUNT.weakCompareAndSetAcquire(
                                lock, AT, 0L, 1L)) { // acquire: sees what the last owner wrote
                    if (++spins % SPINS == 0) {
                        Thread.yield();
                    } else {
                        Thread.onSpinWait();
                    }
                }
                count++;
                COUNT.setRelease(lock, AT, 0L); // release: to the next owner
            }
        }

        @Override
        public long count() {
            return count;
        }
    }
}
