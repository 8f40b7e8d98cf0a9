package io.sluice.examples.remote;

import io.sluice.cli.Verb;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run.
 *
 * @param channel how the data was sent
 * @param source what the source has made of the messages itself
 * @param nanos from the first message until both subscribers were done
 * @param sent messages that Aeron took, the end mark included
 * @param refused how often flow control held the sender
 * @param naks NAKs that were heard
 * @param limited how often a limit began
 * @param lowest the lowest rate, messages a second; infinite if there was no limit
 * @param named the ids of the subscribers that governed the rate for long
 * @param silent the ids of the subscribers that said nothing for long: stopped, dead or out of reach
 * @param subscribers what became of each subscriber
 * @param stopped why it did not come to its end; empty if it did
 * @param interrupted whether it was asked to end
 */
public record RemoteResult(
        String channel,
        Ledger.Result source,
        long nanos,
        long sent,
        long refused,
        long naks,
        long limited,
        double lowest,
        Set<Long> named,
        Set<Long> silent,
        List<Heard> subscribers,
        String stopped,
        boolean interrupted) {
    /** Copies the lists. */
    public RemoteResult {
        named = Set.copyOf(named);
        silent = Set.copyOf(silent);
        subscribers = List.copyOf(subscribers);
    }

    /**
     * A subscriber.
     *
     * @param id what its NAKs name
     * @param label fast or slow
     * @param pid its process
     * @param result what it said at its end, or null
     */
    record Heard(long id, String label, long pid, SubscriberProcess.@Nullable Result result) {}

    /**
     * The exit status.
     *
     * @return that of the demo
     */
    public int status() {
        if (interrupted) {
            return Verb.INTERRUPTED;
        }
        return wrong().isEmpty() ? Verb.DONE : Verb.CHECK_FAILED;
    }

    /** The fault of the run, in one line; empty if there is none. */
    private String wrong() {
        if (!stopped.isEmpty()) {
            return stopped;
        }
        for (Heard one : subscribers) {
            SubscriberProcess.Result result = one.result;
            if (result == null || result.missing() > 0 || !Objects.equals(result.ledger(), source)) {
                return "the " + one.label + " subscriber has something else than the source";
            }
        }
        return "";
    }

    /**
     * The report.
     *
     * @return lines, each ended by a line feed; the last one is the verdict
     */
    public String text() {
        StringBuilder text = new StringBuilder();
        line(text, "sent by Aeron     %s", channel);
        line(
                text,
                "                  %,d messages in %.3f s, %,.0f a second; flow control held them %,d times",
                sent,
                nanos / 1e9,
                sent * 1e9 / Math.max(1, nanos),
                refused);
        line(
                text,
                "NAKs              %,d heard; a limit began %,d times, the lowest %s; slow: %s; silent: %s",
                naks,
                limited,
                lowest == Double.POSITIVE_INFINITY ? "none" : String.format(Locale.ROOT, "%,.0f a second", lowest),
                names(named),
                names(silent));
        for (Heard one : subscribers) {
            SubscriberProcess.Result result = one.result;
            if (result == null) {
                line(text, "%s subscriber   process %d, no result", one.label, one.pid);
            } else {
                line(
                        text,
                        "%s subscriber   process %d: %,d messages, %,d missing; %,d NAKs said; its ring was full %,d times",
                        one.label,
                        one.pid,
                        result.ledger().messages(),
                        result.missing(),
                        result.naks(),
                        result.held());
                line(
                        text,
                        "                  digest %s, records %s",
                        result.ledger().digest(),
                        result.ledger().records());
            }
        }
        line(text, "source            digest %s, records %s", source.digest(), source.records());
        String messages = String.format(Locale.ROOT, "%,d messages", source.messages());
        if (interrupted) {
            line(text, "demo: interrupted after %s", messages);
        } else if (wrong().isEmpty()) {
            line(text, "demo: done, %s, both subscribers have the books and the records of the source", messages);
        } else {
            line(text, "demo: FAILED after %s: %s", messages, wrong());
        }
        return text.toString();
    }

    private String names(Set<Long> ids) {
        String names = String.join(
                ", ",
                subscribers.stream()
                        .filter(one -> ids.contains(one.id))
                        .map(Heard::label)
                        .toList());
        return names.isEmpty() ? "nobody" : names;
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
