package com.lmax.disruptor.util;

import java.util.concurrent.ThreadFactory;

/** Makes daemon threads: they do not keep the JVM alive. Any thread. */
public enum DaemonThreadFactory implements ThreadFactory {
    /** The only instance. */
    INSTANCE;

    @Override
    public Thread newThread(Runnable r) {
        Thread thread = new Thread(r);
        thread.setDaemon(true);
        return thread;
    }
}
