package io.sluice.perf.latency;

import io.sluice.core.Sequence;

/**
 * The least that a message can cost: one word, written with release and read with acquire. It holds one payload at a time and
 * carries no second word, so it serves for pings only.
 */
final class RawLane implements Lane {
    private static final long EMPTY = -1;
    private static final long END = -2;

    private final Sequence word = new Sequence(EMPTY);
    private final Receiver receiver;
    private final LaneThread thread;

    RawLane(Receiver receiver, int core) {
        this.receiver = receiver;
        this.thread = new LaneThread(core, this::receive).start();
    }

    private void receive(LaneThread own) {
        receiver.begin();
        long last = EMPTY;
        for (; ; ) {
            long value = word.getAcquire(); // acquire: pairs with sender()
            if (value == END) {
                return;
            }
            if (value != last) {
                last = value;
                receiver.received(value, 0);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public Sender sender() {
        return (value, time) -> word.setRelease(value); // release: to receive()
    }

    @Override
    public void close() {
        word.setRelease(END); // release: to receive()
        thread.stop();
    }
}
