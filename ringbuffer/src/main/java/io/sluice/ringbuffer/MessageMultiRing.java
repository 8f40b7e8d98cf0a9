package io.sluice.ringbuffer;

import io.sluice.core.SequenceBarrier;
import io.sluice.core.check.Check;
import org.jspecify.annotations.Nullable;

/*
 * A ring of messages for any number of producers. All sequences of a record are stamped, so nobody needs a header to know how far records
 * are published. A count of records walks over their headers: see ObjectRing.behind().
 */
final class MessageMultiRing extends MultiProducerRing<Messages> implements MessageRing {
    private final boolean tracked;

    MessageMultiRing(RingSettings<Messages> settings) {
        super(settings);
        tracked = settings.tracked;
    }

    @Override
    boolean tracksClaims() {
        return tracked;
    }

    @Override
    @Nullable
    MultiProducer<Messages> ownerOf(long sequence) {
        MultiProducer<Messages> ended = super.ownerOf(sequence);
        if (ended != null) {
            return ended;
        }
        for (MultiProducer<Messages> producer : knownProducersNow()) {
            if (producer instanceof MessageMultiProducer own && own.hasOpen(sequence)) {
                return own;
            }
        }
        return null;
    }

    @Override
    boolean isOpenClaimOf(@Nullable MultiProducer<Messages> owner, long sequence) {
        if (owner == null || owner.hasEnded()) {
            return super.isOpenClaimOf(owner, sequence);
        }
        return owner.seemsToHold(sequence) && !stamps.isStamped(sequence);
    }

    @Override
    Stamps newStamps() {
        return new MessageStamps(allMessages(), claims);
    }

    private MessageStamps stampsOfMessages() {
        return (MessageStamps) stamps;
    }

    @Override
    public Producer<Messages> producer() {
        throw MessageRing.noEvents();
    }

    @Override
    public MessageClaims newMessageClaims() {
        return (MessageMultiProducer) super.producer();
    }

    @Override
    public Messages allMessages() {
        return Check.notNull(messages, "messages");
    }

    @Override
    MultiProducer<Messages> newProducer() {
        return new MessageMultiProducer(this, claims, stampsOfMessages(), allMessages());
    }

    @Override
    SequenceBarrier publicationBarrier() {
        return new MessageStamps.Barrier(stampsOfMessages());
    }

    /** A colleague may have taken and finished a record meanwhile; so a worker does not look behind it. */
    @Override
    public SequenceBarrier workersBarrier() {
        MessageStamps own = stampsOfMessages();
        return next -> own.isFirst(next) ? next : next - 1;
    }

    /** Stamps may be of any lap: all is published except the sequences that producers seem to hold open. */
    @Override
    long withoutConsumers(long claimed) {
        long published = claimed;
        for (MultiProducer<Messages> producer : knownProducersNow()) {
            if (openNow(producer) != 0) {
                published = Math.min(published, producer.lastClaimSeen() - 1);
            }
        }
        return published;
    }

    @Override
    int openClaimsWithoutConsumers(long claimed) {
        long open = 0;
        for (MultiProducer<Messages> producer : knownProducersNow()) {
            open += openNow(producer);
        }
        return (int) open;
    }

    /** How much a producer seems to hold open; 0 if others have overtaken its claim, or have aborted it and it has yet to learn that. */
    private long openNow(MultiProducer<Messages> producer) {
        OpenMessage claim = ((MessageMultiProducer) producer).tracked();
        return (claim != null && claim.isLost()) || stamps.isStamped(producer.lastClaimSeen())
                ? 0
                : producer.openSeen();
    }
}
