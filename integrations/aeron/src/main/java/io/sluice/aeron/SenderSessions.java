package io.sluice.aeron;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** The newest Aeron sessions of a sender. Written by its thread, seldom; read by any. */
final class SenderSessions {
    /** NAKs about older sessions are on their way no more. */
    private static final int KEPT = 16;

    private int[] all = {};

    /** Adds the newest. The sender's thread. */
    void add(int sessionId) {
        int[] before = all; // plain: this thread writes it
        int kept = Math.min(before.length, KEPT - 1);
        int[] after = Arrays.copyOfRange(before, before.length - kept, before.length + 1);
        after[kept] = sessionId;
        ALL.setRelease(this, after); // release: the array is filled for whoever reads it
    }

    /**
     * The newest. Any thread.
     *
     * @throws IllegalStateException if there is none yet
     */
    int newest() {
        int[] present = present();
        if (present.length == 0) {
            throw new IllegalStateException("sender must have been opened, but no publication is there yet");
        }
        return present[present.length - 1];
    }

    /** Whether a session is among them. Any thread. */
    boolean has(int sessionId) {
        for (int own : present()) {
            if (own == sessionId) {
                return true;
            }
        }
        return false;
    }

    private int[] present() {
        return (int[]) ALL.getAcquire(this); // acquire: pairs with the release in add
    }

    private static final VarHandle ALL =
            VarHandles.field(MethodHandles.lookup(), SenderSessions.class, "all", int[].class);
}
