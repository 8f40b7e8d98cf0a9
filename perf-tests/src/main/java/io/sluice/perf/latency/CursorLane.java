package io.sluice.perf.latency;

import io.sluice.core.Sequence;

/**
 * The cost of every ring whose consumers follow one cursor: two cache lines an event, the cursor's and behind it the slot's. It has no
 * ends, no failures, no handlers that come or go. A bound for rings, not a lane to be used.
 */
final class CursorLane implements Lane {
    private final Parcel[] slots;
    private final Sequence cursor = new Sequence(-1);
    private final Sequence progress = new Sequence(-1);
    private final Receiver receiver;
    private final LaneThread thread;

    /**
     * Makes one.
     *
     * @param capacity slots, a power of two
     */
    CursorLane(int capacity, Receiver receiver, int core) {
        this.slots = new Parcel[capacity];
        for (int i = 0; i < capacity; i++) {
            slots[i] = new Parcel();
        }
        this.receiver = receiver;
        this.thread = new LaneThread(core, this::receive).start();
    }

    private void receive(LaneThread own) {
        receiver.begin();
        long next = 0;
        for (; ; ) {
            long available = cursor.getAcquire(); // acquire: pairs with sender()
            if (available < next) {
                if (own.isStopped()) {
                    return;
                }
                Thread.onSpinWait();
                continue;
            }
            for (; next <= available; next++) {
                Parcel parcel = slots[(int) next & (slots.length - 1)];
                receiver.received(parcel.value, parcel.time);
            }
            progress.setRelease(available); // release: the slots were read
        }
    }

    @Override
    public Sender sender() {
        return new Sender() {
            private long sequence = -1;
            private long limit = slots.length - 1L;

            @Override
            public void send(long value, long time) {
                long mine = ++sequence;
                while (mine > limit) {
                    Thread.onSpinWait();
                    limit = progress.getAcquire() + slots.length; // acquire: the slots were read
                }
                Parcel parcel = slots[(int) mine & (slots.length - 1)];
                parcel.value = value;
                parcel.time = time;
                cursor.setRelease(mine); // release: the slot, to receive()
            }
        };
    }

    @Override
    public void close() {
        thread.stop();
    }
}
