package io.sluice.perf.lab;

import io.sluice.perf.compare.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The contestants of an experiment that have room: all of them live at the same time, each in a JVM of its own.
 *
 * @param entries who takes part, in the experiment's order
 * @param notes who does not, and why; none if all do
 */
record Fit(List<Entry> entries, List<String> notes) {
    private static final Pattern HEAP = Pattern.compile("-Xmx([0-9]+)m");
    private static final long MIB = 1 << 20;

    /** The memory of a JVM whose contestant needs hardly any heap. */
    private static final long USUAL_MIB = 96;

    /** The memory that a JVM takes beside a heap that is in use. */
    private static final long BESIDE_HEAP_MIB = 64;

    private static final int LEAST = 2;

    Fit {
        entries = List.copyOf(entries);
        notes = List.copyOf(notes);
    }

    /**
     * Chooses the contestants. The reference and those that an order names come first; two take part in any case.
     *
     * @param experiment whose contestants
     * @param room so many bytes of memory are there; 0 if that is not known
     */
    static Fit of(Experiment experiment, long room) {
        List<Entry> all = experiment.row().entries();
        Set<String> first = new LinkedHashSet<>(List.of(experiment.row().reference()));
        for (Experiment.Must must : experiment.musts()) {
            first.add(must.less());
            first.add(must.more());
        }
        all.forEach(entry -> first.add(entry.id()));
        Set<String> chosen = new HashSet<>();
        long left = room / MIB;
        for (String id : first) {
            long need = all.stream()
                    .filter(entry -> entry.id().equals(id))
                    .mapToLong(Fit::mebibytes)
                    .sum();
            if (room == 0 || need <= left || chosen.size() < LEAST) {
                chosen.add(id);
                left -= need;
            }
        }
        List<Entry> fitting =
                all.stream().filter(entry -> chosen.contains(entry.id())).toList();
        List<String> notes = new ArrayList<>();
        if (fitting.size() < all.size()) {
            notes.add("Memory is small, " + room / MIB + " MiB, so these are left out: "
                    + String.join(
                            ", ",
                            all.stream()
                                    .filter(entry -> !chosen.contains(entry.id()))
                                    .map(Entry::label)
                                    .toList())
                    + ".");
        }
        return new Fit(fitting, notes);
    }

    /** The memory that a contestant takes, about. */
    private static long mebibytes(Entry entry) {
        long heap = 0;
        for (String flag : entry.flags()) {
            Matcher matcher = HEAP.matcher(flag);
            if (matcher.matches()) {
                heap = Long.parseLong(matcher.group(1));
            }
        }
        return heap == 0 ? USUAL_MIB : heap + BESIDE_HEAP_MIB;
    }
}
