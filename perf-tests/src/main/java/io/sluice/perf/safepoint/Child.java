package io.sluice.perf.safepoint;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The JVM that is stopped: one thread works, this one asks for thread dumps, each of which is a safepoint. */
final class Child {
    /** The safepoint of a thread dump, as the JVM's log calls it. */
    static final String OPERATION = "ThreadDump";

    static final String DONE = "done";

    private static final long LEAST_GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long MOST_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Child() {}

    public static void main(String[] arguments) throws InterruptedException {
        Work work = Work.valueOf(arguments[0]);
        int slots = Integer.parseInt(arguments[1]);
        int asks = Integer.parseInt(arguments[2]);
        long warmUpMillis = Long.parseLong(arguments[3]);
        Thread worker = new Thread(new Work.Job(work, slots), "worker");
        worker.setDaemon(true);
        worker.start();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        TimeUnit.MILLISECONDS.sleep(warmUpMillis);
        SplittableRandom random = new SplittableRandom(asks); // gaps of any length, so that any point of a batch is met
        for (int i = 0; i < asks; i++) {
            if (threads.dumpAllThreads(false, false).length == 0 || !worker.isAlive()) {
                throw new IllegalStateException("the worker has ended");
            }
            LockSupport.parkNanos(random.nextLong(LEAST_GAP_NANOS, MOST_GAP_NANOS));
        }
        System.out.println(DONE);
    }
}
