package io.sluice.ringbuffer;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * A ring for a pipeline, of whose wake-ups one is cut off, as by the end of the stack. What the pipeline asks next about those that gate
 * the ring may then fail for want of memory, once.
 *
 * @param <E> the events' type
 */
public final class FailingWakeUps<E> {
    private final RingBuffer<E> ring;

    private int which;
    private boolean withoutMemory;
    private boolean cutOff;
    private boolean noMemory;

    /**
     * Cuts off nothing yet.
     *
     * @param ring what the pipeline follows
     */
    @SuppressWarnings("unchecked") // the proxy is what it stands for
    public FailingWakeUps(RingBuffer<E> ring) {
        this.ring = (RingBuffer<E>) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {FollowedRing.class, WatchedClaims.class},
                (proxy, method, arguments) -> {
                    mayFail(method.getName());
                    try {
                        return method.invoke(ring, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void mayFail(String call) {
        if (call.equals("wakeAll") && which > 0 && --which == 0) {
            cutOff = true;
            noMemory = withoutMemory;
            throw new StackOverflowError("planned");
        }
        if (call.equals("gating") && noMemory) {
            noMemory = false;
            throw new OutOfMemoryError("planned");
        }
    }

    /**
     * The ring that its pipeline is to see.
     *
     * @return the same at each call
     */
    public RingBuffer<E> ring() {
        return ring;
    }

    /**
     * Cuts one off.
     *
     * @param which 1 for the next one, 2 for the one after that, and so on; 0 for none
     * @param withoutMemory whether there is no memory then
     */
    public void cutOff(int which, boolean withoutMemory) {
        this.which = which;
        this.withoutMemory = withoutMemory;
        cutOff = false;
    }

    /**
     * Whether memory was missing, for nothing yet.
     *
     * @return true if the next question would fail
     */
    public boolean stillLacksMemory() {
        return noMemory;
    }

    /**
     * All is well again.
     *
     * @return whether one was cut off since {@link #cutOff}
     */
    public boolean end() {
        which = 0;
        noMemory = false;
        return cutOff;
    }
}
