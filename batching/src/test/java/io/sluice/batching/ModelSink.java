package io.sluice.batching;

import static io.sluice.batching.ModelDevice.require;

import io.sluice.batching.ModelDevice.Part;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * A sink below a {@link ModelDevice}: the only one, or one of several in a {@link CompositeSink}. It takes all of what it is offered, or a
 * part, or nothing; it goes back, or throws; it fails at the end of a batch, or when idle. It asks for this: it is offered what it has not
 * taken, from the first byte on, and an end is told if it has taken something since the last one, and at no other time.
 */
final class ModelSink implements BatchSink {
    private final ModelDevice device;
    private final boolean alone;
    private long id;
    private int taken;
    private long unended;
    private int idles;
    private int ends;

    ModelSink(ModelDevice device, boolean alone) {
        this.device = device;
        this.alone = alone;
    }

    /** How many bytes of a batch it has taken. */
    int takenOf(long batch) {
        return batch == id ? taken : 0;
    }

    /** Whether it has taken bytes behind the last end. */
    boolean owesEnd() {
        return unended > 0;
    }

    /** How often it was told of an end, though it may have failed then. */
    int ends() {
        return ends;
    }

    /** How often it was told that there is nothing to do. */
    int idles() {
        return idles;
    }

    @Override
    public void send(Batch batch) throws IOException {
        device.call(() -> {
            if (batch.id() != id) {
                id = batch.id();
                taken = 0;
            }
            device.requireOffered(batch, taken);
            batch.buffer().order(ModelDevice.anyOrder(batch.id()));
            take(batch);
        });
    }

    private void take(Batch batch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        int left = buffer.remaining();
        if (!device.fails(Part.SEND)) {
            moveTo(buffer, taken + left);
            return;
        }
        SplittableRandom random = device.random();
        int fate = random.nextInt(8);
        switch (fate) {
            case 0, 1 -> moveTo(buffer, taken + 1 + random.nextInt(left));
            case 2 -> moveTo(buffer, taken);
            case 3 -> {
                int to = random.nextInt(taken + random.nextInt(left + 1) + 1);
                batch.rewindTo(to);
                device.rewinds();
                moveTo(buffer, to);
            }
            case 5 -> {
                int to = random.nextInt(taken + random.nextInt(left + 1) + 1);
                batch.rewindTo(to);
                device.rewinds();
                moveTo(buffer, to);
                throw device.failed(Part.SEND, random.nextInt(8) == 0);
            }
            default -> {
                moveTo(buffer, taken + random.nextInt(left + 1));
                throw device.failed(Part.SEND, fate == 4 && random.nextInt(8) == 0);
            }
        }
    }

    private void moveTo(ByteBuffer buffer, int position) {
        buffer.position(position);
        // beside others only its position is seen, call by call: it is told the end of what it took and went back over
        unended += alone ? position - taken : Math.max(0, position - taken);
        taken = position;
    }

    @Override
    public void endOfBatch() throws IOException {
        ends++;
        device.callEnd(() -> {
            require(unended > 0, "the end is told to a sink that has nothing new");
            if (device.fails(Part.END)) {
                throw device.failedEnd();
            }
            unended = 0;
        });
    }

    @Override
    public void onIdle() throws IOException {
        idles++;
        if (device.fails(Part.IDLE)) {
            throw device.failedIdle();
        }
    }
}
