package io.sluice.backpressure.nak;

/** Told of receivers that have said {@linkplain LifeSigns signs of life}, and say nothing any more. Called by the controller's thread. */
@FunctionalInterface
public interface SilentReceiverHandler {
    /** The receiver has said no position of the sender's present session: {@value}. */
    long NO_POSITION = -1;

    /**
     * A receiver has said nothing for the set time: it is stopped or dead, or cannot be heard. Told once for each silence. The handler may
     * {@linkplain NakController#leaveBehind leave it behind}.
     *
     * @param receiver its id
     * @param position up to which it had handled messages, as it said last; {@link #NO_POSITION} if that is unknown
     * @param nanos for how long it has been silent
     */
    void onSilent(long receiver, long position, long nanos);

    /**
     * A receiver that was reported as silent is heard again. It may be another receiver with the same id that has taken its place.
     *
     * @param receiver its id
     * @param position up to which it has handled messages; {@link #NO_POSITION} if that is unknown
     * @param nanos for how long it was silent
     */
    default void onReturn(long receiver, long position, long nanos) {}
}
