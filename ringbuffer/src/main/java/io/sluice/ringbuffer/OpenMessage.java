package io.sluice.ringbuffer;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * The owner of an open claim of messages, on a ring that tracks claims: one word for each producer, which has one claim open at a time.
 *
 *   0  --owner: release-->  first + 1            the message that begins at `first` is open: headers and the owner's fields come before
 *
 *   first + 1  --owner: CAS-->            0                 it is the owner's to commit, in the ring's memory
 *   first + 1  --aborter: CAS-->          -(first + 1)      it is aborted: a record of padding is written, and published
 *   -(first + 1)  --owner: release-->     0                 the owner has learnt of it
 *
 * Both CAS from the same word, so exactly one of commit and abort wins. Until then the owner writes to memory of its own, and copies that
 * behind its CAS. So a late write of the owner reaches no message. Sequences are never used twice, so an old word is never taken for a
 * new one. The aborter holds the ring's recovery lock from its CAS to the publication; the owner learns of it under the same lock.
 *
 * A claim that is aborted but not published, seen under that lock, is an abort that was cut off, as by a stack overflow. The finder
 * finishes it.
 *
 * Not promised: that a claim can be aborted while its thread is within a call of the library. A commit that is cut off opens the claim
 * again, where there is stack for it; else only its owner can commit or abort it.
 */
final class OpenMessage {
    private static final VarHandle WORD =
            VarHandles.field(MethodHandles.lookup(), OpenMessage.class, "word", long.class);

    private long word;

    /** The owner has claimed, and gives the place away to be filled. */
    void opened(long first) {
        WORD.setRelease(this, first + 1); // release: the headers, and the bounds of the claim in the owner's fields
    }

    /** Takes the message back to commit or abort it. The owner. A negative `first` is the result of a refused claim, and never open. */
    boolean takeIfOpen(long first) {
        return first >= 0 && WORD.compareAndSet(this, first + 1, 0L); // CAS: one of commit and abort
    }

    /** Decides that a claim is aborted on its owner's behalf. Under the recovery lock. */
    boolean abortIfOpen(long first) {
        return WORD.compareAndSet(this, first + 1, -first - 1); // CAS: one of commit and abort; sees the owner's fields
    }

    /** Where the open message begins; -1 if there is none that could be aborted. */
    long first() {
        long now = (long) WORD.getAcquire(this); // acquire: the bounds of the claim
        return now > 0 ? now - 1 : -1;
    }

    /** Whether the claim was aborted, and the owner has not learnt of it. */
    boolean isLost() {
        return (long) WORD.getAcquire(this) < 0; // acquire: with the abort
    }

    /** The owner has learnt of it. Under the recovery lock. */
    void forget() {
        WORD.setRelease(this, 0L); // release: in order with the owner's fields, for whoever closes it
    }
}
