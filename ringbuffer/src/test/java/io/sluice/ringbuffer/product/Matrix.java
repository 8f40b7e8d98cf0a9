package io.sluice.ringbuffer.product;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which features have met in one program, and which a ring refuses to have together. */
@SuppressWarnings("EnumOrdinal") // rows and columns stand in the order of the features
final class Matrix {
    /**
     * Two features that a ring does not have together.
     *
     * @param letter stands for it in the table
     * @param one the first
     * @param other the second, behind the first in the list of features
     * @param answer what whoever asks for both is told: the message, or in words what happens
     */
    record Refusal(char letter, Feature one, Feature other, String answer) {}

    static final List<Refusal> REFUSALS = List.of(
            new Refusal(
                    'a', Feature.SINGLE, Feature.MULTI, "a ring is of one kind: what the builder was told last counts"),
            kinds(Feature.OBJECTS, Feature.BYTES),
            kinds(Feature.OBJECTS, Feature.MESSAGES),
            kinds(Feature.BYTES, Feature.MESSAGES),
            oneSize(Feature.RETAIN),
            oneSize(Feature.CLEAR),
            oneSize(Feature.BATCHES),
            oneSize(Feature.FROM),
            oneSize(Feature.PROGRESS),
            noProducer(Feature.UP_TO),
            noProducer(Feature.TRANSLATOR),
            noProducer(Feature.SPARE),
            noProducer(Feature.SETTLES),
            nobodyGates(Feature.FAILS),
            nobodyGates(Feature.WAIT_CLOSED),
            nobodyGates(Feature.WAIT_FAILED),
            twoEnds(Feature.DRAIN_LIMIT, Feature.WAIT_FAILED),
            twoEnds(Feature.WAIT_CLOSED, Feature.WAIT_FAILED));

    private static Refusal twoEnds(Feature one, Feature other) {
        return new Refusal(
                'e',
                one,
                other,
                "the first end of a ring ends all waits that there are: later ones are refused at once");
    }

    private static Refusal nobodyGates(Feature what) {
        return new Refusal(
                'f',
                what,
                Feature.OVERTAKEN,
                "a ring that nobody gates has no consumer that fails, and nobody waits; one that has ended takes no claims");
    }

    private static Refusal kinds(Feature one, Feature other) {
        return new Refusal('b', one, other, "a ring has events of one kind: each has a builder");
    }

    private static Refusal oneSize(Feature what) {
        return new Refusal(
                'c', Feature.MESSAGES, what, "not on a ring of messages: the call is refused, and nothing changes");
    }

    private static Refusal noProducer(Feature what) {
        return new Refusal(
                'd', Feature.MESSAGES, what, "a message has a length: its ring has a MessageProducer, and no Producer");
    }

    private final int[][] together = new int[Feature.values().length][Feature.values().length];

    void add(EnumSet<Feature> met) {
        for (Feature one : met) {
            for (Feature other : met) {
                together[one.ordinal()][other.ordinal()]++;
            }
        }
    }

    static @Nullable Refusal refusal(Feature one, Feature other) {
        for (Refusal refusal : REFUSALS) {
            if ((refusal.one == one && refusal.other == other) || (refusal.one == other && refusal.other == one)) {
                return refusal;
            }
        }
        return null;
    }

    /** Pairs that have neither met nor are refused. */
    List<String> open() {
        List<String> open = new ArrayList<>();
        for (Feature one : Feature.values()) {
            for (Feature other : Feature.values()) {
                if (other.ordinal() < one.ordinal()
                        && together[one.ordinal()][other.ordinal()] == 0
                        && refusal(one, other) == null) {
                    open.add(other.label + " with " + one.label);
                }
            }
        }
        return open;
    }

    /** Pairs that have met though they are refused. */
    List<String> wronglyMet() {
        List<String> met = new ArrayList<>();
        for (Refusal refusal : REFUSALS) {
            if (together[refusal.one.ordinal()][refusal.other.ordinal()] > 0) {
                met.add(refusal.toString());
            }
        }
        return met;
    }

    /** The table of docs/testing.md. */
    static List<String> table() {
        List<String> lines = new ArrayList<>();
        StringBuilder tens = new StringBuilder(" ".repeat(36));
        StringBuilder ones = new StringBuilder(" ".repeat(36));
        for (int i = 1; i <= Feature.values().length; i++) {
            tens.append(i % 10 == 0 ? (char) ('0' + i / 10) : ' ');
            ones.append((char) ('0' + i % 10));
        }
        lines.add(tens.toString().stripTrailing());
        lines.add(ones.toString());
        for (Feature one : Feature.values()) {
            StringBuilder line = new StringBuilder();
            String number = Integer.toString(one.ordinal() + 1);
            line.append(" ".repeat(2 - number.length()))
                    .append(number)
                    .append("  ")
                    .append(one.label);
            line.append(" ".repeat(36 - line.length()));
            for (Feature other : Feature.values()) {
                if (other.ordinal() <= one.ordinal()) {
                    Refusal refusal = refusal(one, other);
                    line.append(other == one ? '\\' : refusal == null ? '+' : refusal.letter);
                }
            }
            lines.add(line.toString());
        }
        lines.add("");
        REFUSALS.stream()
                .map(refusal -> refusal.letter + "  " + refusal.answer)
                .distinct()
                .forEach(lines::add);
        return lines;
    }
}
