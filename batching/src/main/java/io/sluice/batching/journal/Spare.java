package io.sluice.batching.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The file of the next segment, made ahead in small steps: blank, of the right size, and forced. The journal's appending
 * thread alone calls it.
 */
final class Spare {
    // States: NONE -> (a step, or a recycled segment) PREPARING -> (all blank and forced) READY -> (taken) NONE.
    // PREPARING -> (a write or force failed) REFUSED -> (the journal rolled) NONE.
    //
    // A file that is being prepared has a name of its own, and gets the spare's name after its last force. So a file
    // with
    // the spare's name and the right size is blank on the device, whatever was cut short before.

    private static final int NONE = 0;
    private static final int PREPARING = 1;
    private static final int READY = 2;
    private static final int REFUSED = 3;

    /** The longest single write of zeros. */
    static final int CHUNK = 64 << 10;

    /** One force is due after so many bytes: a force that has more to do takes notably longer than one of a batch. */
    static final int FORCE_BYTES = 1 << 20;

    private final Storage storage;
    private final int size;

    /** Made when it is first needed. */
    private @Nullable ByteBuffer zeros;

    private int state = NONE;
    private Storage.@Nullable SegmentFile file;
    private int blanked;
    private int unforced;

    Spare(Storage storage, int size) {
        this.storage = storage;
        this.size = size;
    }

    private ByteBuffer zeros(int length) {
        ByteBuffer blank = zeros;
        if (blank == null) {
            blank = ByteBuffer.allocateDirect(Math.min(CHUNK, size));
            zeros = blank;
        }
        return blank.clear().limit(length);
    }

    /** Keeps what an earlier writer has left, if it is of the right size; deletes it otherwise. */
    void open() throws IOException {
        storage.delete(Frame.PREPARING_NAME);
        state = NONE;
        lookForSpare();
    }

    private void lookForSpare() throws IOException {
        if (storage.exists(Frame.SPARE_NAME)) {
            boolean fits;
            try (Storage.SegmentFile found = storage.open(Frame.SPARE_NAME, false)) {
                fits = found.size() == size;
            }
            if (fits) {
                state = READY;
            } else {
                storage.delete(Frame.SPARE_NAME); // of another configuration
            }
        }
    }

    boolean isReady() {
        return state == READY;
    }

    /** Whether a step would do something: no spare is there yet, and none was refused since the last roll. */
    boolean isWanted() {
        return state < READY;
    }

    int blanked() {
        return blanked;
    }

    /** Blanks up to an offset, a chunk at most; forces where a force is due. Makes the spare ready at the end. */
    void step(int upTo) throws IOException {
        Storage.SegmentFile preparing = begun();
        blank(preparing, upTo);
        if (unforced >= FORCE_BYTES || blanked == size) {
            preparing.force();
            unforced = 0;
        }
        if (blanked == size) {
            makeReady(preparing);
        }
    }

    /** Makes the spare ready now, with one force. */
    void finish() throws IOException {
        if (state == READY) {
            return;
        }
        Storage.SegmentFile preparing = begun();
        while (blanked < size) {
            blank(preparing, size);
        }
        preparing.force();
        makeReady(preparing);
    }

    private Storage.SegmentFile begun() throws IOException {
        Storage.SegmentFile preparing = file;
        if (state != PREPARING || preparing == null) {
            storage.delete(Frame.PREPARING_NAME);
            preparing = storage.create(Frame.PREPARING_NAME, 0);
            begin(preparing);
        }
        return preparing;
    }

    private void blank(Storage.SegmentFile preparing, int upTo) throws IOException {
        int length = Math.min(Math.min(upTo, size) - blanked, CHUNK);
        if (length > 0) {
            preparing.write(zeros(length), blanked);
            blanked += length;
            unforced += length;
        }
    }

    private void makeReady(Storage.SegmentFile preparing) throws IOException {
        file = null;
        blanked = 0;
        unforced = 0;
        state = NONE; // until it has its name
        preparing.close();
        storage.rename(Frame.PREPARING_NAME, Frame.SPARE_NAME);
        state = READY;
    }

    /**
     * Takes a retired segment of the right size as the next spare, if none is there or being prepared.
     *
     * @return whether it was taken; the caller deletes it otherwise
     */
    boolean recycle(String name) throws IOException {
        if (state != NONE) {
            return false;
        }
        Storage.SegmentFile retired = storage.open(name, true);
        boolean taken = false;
        try {
            if (retired.size() == size) {
                // The header goes first: a reader that is still in the segment so finds out before it meets zeros.
                retired.write(zeros(Frame.BLOCK), 0);
                storage.rename(name, Frame.PREPARING_NAME);
                begin(retired);
                blanked = Frame.BLOCK;
                unforced = Frame.BLOCK;
                taken = true;
            }
        } finally {
            if (!taken) {
                retired.close();
            }
        }
        return taken;
    }

    private void begin(Storage.SegmentFile preparing) {
        file = preparing;
        blanked = 0;
        unforced = 0;
        state = PREPARING;
    }

    /** Renames the spare that is ready. */
    void takeAs(String name) throws IOException {
        state = NONE; // whatever becomes of the rename: renew() looks
        storage.rename(Frame.SPARE_NAME, name);
    }

    /** Gives up what was begun, until the next roll. */
    void refuse(@Nullable Throwable cause) {
        forget(cause);
        state = REFUSED;
    }

    /** A segment is needed now: what was refused is tried again. */
    void renew() throws IOException {
        if (state == REFUSED || state == NONE) {
            state = NONE;
            lookForSpare();
        }
    }

    /** Deletes what is not ready. */
    void close() {
        if (state == PREPARING) {
            forget(null);
        }
    }

    private void forget(@Nullable Throwable cause) {
        Journal.closeQuietly(file);
        file = null;
        blanked = 0;
        unforced = 0;
        state = NONE;
        try {
            storage.delete(Frame.PREPARING_NAME);
        } catch (IOException e) {
            if (cause != null) {
                cause.addSuppressed(e);
            }
            // Otherwise the next opening deletes it.
        }
    }
}
