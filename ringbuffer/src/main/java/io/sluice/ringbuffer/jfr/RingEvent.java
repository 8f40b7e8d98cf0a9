package io.sluice.ringbuffer.jfr;

import io.sluice.core.FailurePolicy.Action;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The JFR events. Each is made only while somebody records it, and loaded only in a JVM with JFR: see {@link RingEvents}. */
@StackTrace(false)
abstract class RingEvent extends Event {
    @Name("io.sluice.Stall")
    @Label("Stall")
    @Category({"Sluice", "Producers"})
    @Description("A producer waited for room")
    static final class Stall extends RingEvent {
        static final Stall ANY = new Stall("", "", 0);

        @Label("Ring")
        final String ring;

        @Label("Slowest consumer")
        final String slowest;

        @Label("Waited")
        @Timespan(Timespan.NANOSECONDS)
        final long waited;

        Stall(String ring, String slowest, long waited) {
            this.ring = ring;
            this.slowest = slowest;
            this.waited = waited;
        }
    }

    @Name("io.sluice.Drop")
    @Label("Drop")
    @Category({"Sluice", "Ring"})
    @Description("Events were dropped, since the ring was full: new ones by a publisher, or the oldest by a consumer")
    static final class Drop extends RingEvent {
        static final Drop ANY = new Drop("", "", 0);

        @Label("Ring")
        final String ring;

        @Label("Slowest consumer")
        @Description("Or the one that dropped them")
        final String slowest;

        @Label("Events")
        final long events;

        Drop(String ring, String slowest, long events) {
            this.ring = ring;
            this.slowest = slowest;
            this.events = events;
        }
    }

    @Name("io.sluice.ClaimAborted")
    @Label("Claim Aborted")
    @Category({"Sluice", "Ring"})
    @Description("An abandoned claim was aborted on its owner's behalf")
    static final class ClaimAborted extends RingEvent {
        static final ClaimAborted ANY = new ClaimAborted("", "", 0, 0);

        @Label("Ring")
        final String ring;

        @Label("Owner")
        @Description("The thread that had claimed")
        final String owner;

        @Label("Lowest sequence")
        final long lowest;

        @Label("Events")
        final long events;

        ClaimAborted(String ring, String owner, long lowest, long events) {
            this.ring = ring;
            this.owner = owner;
            this.lowest = lowest;
            this.events = events;
        }
    }

    @Name("io.sluice.HandlerFailure")
    @Label("Handler failure")
    @Category({"Sluice", "Consumers"})
    @Description("A handler threw")
    static final class HandlerFailure extends RingEvent {
        static final HandlerFailure ANY = new HandlerFailure("", "", new Throwable(), 0, 0, Action.HALT);

        @Label("Ring")
        final String ring;

        @Label("Consumer")
        final String consumer;

        @Label("Sequence")
        @Description("The event's; where there is no event, the last one finished")
        final long sequence;

        @Label("Attempt")
        final int attempt;

        @Label("Action")
        final String action;

        @Label("Cause")
        @Description("The exception's class")
        final String cause;

        @Label("Message")
        final @Nullable String message;

        @Label("Stack")
        @Description("The exception's stack trace, and those of its causes")
        final String stack;

        HandlerFailure(String ring, String consumer, Throwable cause, long sequence, int attempt, Action action) {
            this.ring = ring;
            this.consumer = consumer;
            this.sequence = sequence;
            this.attempt = attempt;
            this.action = action.name();
            this.cause = cause.getClass().getName();
            this.message = cause.getMessage();
            this.stack = Stacks.text(cause, "");
        }
    }

    /** A consumer and where it stands. */
    @Category({"Sluice", "Consumers"})
    abstract static class Place extends RingEvent {
        @Label("Ring")
        final String ring;

        @Label("Consumer")
        final String consumer;

        @Label("Sequence")
        @Description("The last one finished")
        final long sequence;

        Place(String ring, String consumer, long sequence) {
            this.ring = ring;
            this.consumer = consumer;
            this.sequence = sequence;
        }
    }

    @Name("io.sluice.Join")
    @Label("Join")
    @Description("A consumer began")
    static final class Join extends Place {
        static final Join ANY = new Join("", "", 0);

        Join(String ring, String consumer, long sequence) {
            super(ring, consumer, sequence);
        }
    }

    @Name("io.sluice.Leave")
    @Label("Leave")
    @Description("A consumer has ended")
    static final class Leave extends Place {
        static final Leave ANY = new Leave("", "", 0);

        Leave(String ring, String consumer, long sequence) {
            super(ring, consumer, sequence);
        }
    }
}
