package io.sluice.batching.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The file of the next segment, made ahead in small steps: blank, of the right size, and forced. The journal's appending
 * thread alone calls it.
 */
final class SpareSegment {
    /*
     *            a step, or a recycled segment            blank and forced
     *   NONE ----------------------------------> PREPARING ----------------> READY
     *    ^  ^                                        |                         |
     *    |  +------ a segment is needed ----- GIVEN_UP <-- a write or force    |
     *    |                                                 failed              |
     *    +---------------------------- taken by a roll ------------------------+
     *
     * A file that is being prepared has a name of its own. It gets the spare's name after its last force. So a file with the
     * spare's name and the right size is blank on the device, whatever was cut short before.
     */

    private static final int NONE = 0;
    private static final int PREPARING = 1;
    private static final int READY = 2;
    private static final int GIVEN_UP = 3;

    /** The longest single read or write, of zeros or of what is written again. */
    static final int CHUNK = 64 << 10;

    /** A force is due after so many bytes: one that has more to do takes notably longer than one of a batch. */
    static final int FORCE_BYTES = 1 << 20;

    private final Storage storage;
    private final int size;

    /** Made when it is first needed. */
    private @Nullable ByteBuffer zeros;

    private int state = NONE;
    private Storage.@Nullable SegmentFile file;
    private int blanked;
    private int unforced;

    SpareSegment(Storage storage, int size) {
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

    /**
     * Keeps the spare that an earlier writer has left, if it is of the right size. Otherwise deletes
     * it. Deletes a file that was not ready, too.
     */
    void findLeftOver() throws IOException {
        storage.delete(FileNames.PREPARING);
        state = NONE;
        lookForReadyFile();
    }

    private void lookForReadyFile() throws IOException {
        if (storage.exists(FileNames.SPARE)) {
            boolean fits;
            try (Storage.SegmentFile found = storage.open(FileNames.SPARE, false)) {
                fits = found.size() == size;
            }
            if (fits) {
                state = READY;
            } else {
                storage.delete(FileNames.SPARE); // of another configuration
            }
        }
    }

    boolean isReady() {
        return state == READY;
    }

    /** Whether a step would do something: no spare is ready, and none was given up since the last roll. */
    boolean isWanted() {
        return state < READY;
    }

    int blankBytes() {
        return blanked;
    }

    /** Blanks up to an offset, a chunk at most; forces where a force is due. Makes the spare ready at the end. */
    void prepareStep(int upTo) throws IOException {
        Storage.SegmentFile preparing = preparingFile();
        blank(preparing, upTo);
        if (unforced >= FORCE_BYTES || blanked == size) {
            preparing.force();
            unforced = 0;
        }
        if (blanked == size) {
            makeReady(preparing);
        }
    }

    /** Makes the spare ready now, with one force. Does nothing if it is. */
    void prepareWhole() throws IOException {
        if (state == READY) {
            return;
        }
        Storage.SegmentFile preparing = preparingFile();
        while (blanked < size) {
            blank(preparing, size);
        }
        preparing.force();
        makeReady(preparing);
    }

    private Storage.SegmentFile preparingFile() throws IOException {
        Storage.SegmentFile preparing = file;
        if (state != PREPARING || preparing == null) {
            storage.delete(FileNames.PREPARING);
            preparing = storage.create(FileNames.PREPARING, 0);
            set(PREPARING, preparing);
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
        set(NONE, null); // until it has its name
        preparing.close();
        storage.rename(FileNames.PREPARING, FileNames.SPARE);
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
                // The header goes first, so that a reader that is still in the segment finds out before it meets zeros.
                retired.write(zeros(Frame.BLOCK), 0);
                storage.rename(name, FileNames.PREPARING);
                set(PREPARING, retired);
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

    private void set(int newState, Storage.@Nullable SegmentFile preparing) {
        state = newState;
        file = preparing;
        blanked = 0;
        unforced = 0;
    }

    /** Renames the spare that is ready. */
    void renameTo(String name) throws IOException {
        state = NONE; // whatever becomes of the rename: allowAgain() looks
        storage.rename(FileNames.SPARE, name);
    }

    /** Gives up what was begun, and prepares nothing more until a segment is needed. */
    void giveUp(@Nullable Throwable cause) {
        deletePreparing(cause);
        state = GIVEN_UP;
    }

    /** A segment is needed now: looks for a ready one, and allows a new try after one was given up. */
    void allowAgain() throws IOException {
        if (state == GIVEN_UP || state == NONE) {
            state = NONE;
            lookForReadyFile();
        }
    }

    /** Deletes what is not ready. */
    void close() {
        if (state == PREPARING) {
            deletePreparing(null);
        }
    }

    private void deletePreparing(@Nullable Throwable cause) {
        Storage.closeQuietly(file);
        set(NONE, null);
        try {
            storage.delete(FileNames.PREPARING);
        } catch (IOException e) {
            if (cause != null) {
                cause.addSuppressed(e);
            }
            // The next opening deletes it.
        }
    }
}
