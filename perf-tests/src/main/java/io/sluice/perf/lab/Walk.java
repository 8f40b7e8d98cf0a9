package io.sluice.perf.lab;

import io.sluice.core.check.Check;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.jmh.JmhContestant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A walk over one table of words in the heap, in two ways. Either each step adds the word at a place that was computed, as the article's
 * did, so that the processor has many steps under way. Or each word holds the place of the next one, one word to a cache line, so that each
 * step waits for the last. JMH times {@value #STEPS} steps at a time.
 */
final class Walk implements JmhContestant.Operation {
    private static final int LINE_WORDS = 8;
    private static final int PAGE_WORDS = 512;
    static final int STEPS = 4096;
    private static final long STRIDE = 514_229;
    private static final long SEED = 20_261_123;
    private static final int MIB = 1 << 20;
    private static final long LARGER_BYTES = 512L * MIB;
    private static final long LEAST_BYTES = 8192;
    private static final long MOST_BYTES = 8L << 30;

    /** The order in which places follow each other. */
    enum Order {
        /** One after the other. */
        LINEAR,
        /** At random within a page of 4 KiB, then the next page. */
        PAGE,
        /** At random over the whole table. */
        ALL
    }

    private final long[] table;
    private final Order order;
    private final boolean chained;
    private int at;
    private int from;
    private long sum;

    /**
     * @param order of the places
     * @param bytes of the table, a power of two 8 KiB to 8 GiB
     * @param chained whether each step waits for the last
     */
    Walk(Order order, long bytes, boolean chained) {
        Check.powerOfTwo(bytes, LEAST_BYTES, MOST_BYTES, "bytes");
        this.order = order;
        this.chained = chained;
        table = new long[(int) (bytes / Long.BYTES)];
        if (chained) {
            chain();
            checkChain();
        } else {
            for (int i = 0; i < table.length; i++) {
                table[i] = i;
            }
            checkSteps();
        }
    }

    /** The contestants: 64 MiB in both ways; larger tables where there is room; large pages where the system has some. */
    static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        long small = 64L * MIB;
        entries.add(entry("linear", "64 MiB, one word after the other", Order.LINEAR, small, false, ""));
        entries.add(entry("page", "64 MiB, at random within a page", Order.PAGE, small, false, ""));
        entries.add(entry("all", "64 MiB, at random over all", Order.ALL, small, false, ""));
        entries.add(entry("chain-linear", "64 MiB, each step waits, lines in order", Order.LINEAR, small, true, ""));
        entries.add(entry("chain-page", "64 MiB, each step waits, within a page", Order.PAGE, small, true, ""));
        entries.add(entry("chain-all", "64 MiB, each step waits, over all", Order.ALL, small, true, ""));
        String flag = Space.largePagesFlag(2 * small);
        if (!flag.isEmpty()) {
            entries.add(entry(
                    "chain-all-pages", "64 MiB, each step waits, over all, large pages", Order.ALL, small, true, flag));
        }
        for (long bytes : largerTables(Settings.room(), Settings.large())) {
            String size = bytes >= 1 << 30 ? (bytes >> 30) + " GiB" : bytes / MIB + " MiB";
            String id = "all-" + bytes / MIB;
            if (bytes == LARGER_BYTES) { // of half of the memory there is room for one
                String words = "-" + bytes / MIB;
                entries.add(
                        entry("linear" + words, size + ", one word after the other", Order.LINEAR, bytes, false, ""));
                entries.add(entry("page" + words, size + ", at random within a page", Order.PAGE, bytes, false, ""));
            }
            entries.add(entry(id, size + ", at random over all", Order.ALL, bytes, false, ""));
            String pages = Space.largePagesFlag(bytes + bytes / 4);
            if (!pages.isEmpty() && bytes <= LARGER_BYTES) { // a second one of half of the memory has no room
                entries.add(entry(
                        id + "-pages", size + ", at random over all, large pages", Order.ALL, bytes, false, pages));
            }
        }
        return entries;
    }

    /** 512 MiB where there is room; on request one of half of the memory, or the power of two below, and of 8 GiB at most. */
    static List<Long> largerTables(long room, boolean large) {
        List<Long> tables = new ArrayList<>();
        if (room <= 4096L * MIB) {
            return tables;
        }
        tables.add(LARGER_BYTES);
        long most = Math.min(MOST_BYTES, Long.highestOneBit(Math.max(1, room / 2)));
        if (large && most > LARGER_BYTES) {
            tables.add(most);
        }
        return tables;
    }

    /** The note for the case that a table has no room. */
    static List<String> notes(long room) {
        return largerTables(room, false).isEmpty()
                ? List.of("Memory is small, " + room / MIB + " MiB, so there is no table of 512 MiB.")
                : List.of();
    }

    private static Entry entry(String id, String label, Order order, long bytes, boolean chained, String pages) {
        long heap = bytes + bytes / 8 + 64L * MIB;
        List<String> flags = new ArrayList<>(
                List.of("-XX:+UseSerialGC", "-Xms" + heap / MIB + "m", "-Xmx" + heap / MIB + "m", "-Xmn16m"));
        if (!pages.isEmpty()) {
            flags.add(pages);
        }
        JmhContestant.Maker maker = () -> {
            Walk walk = new Walk(order, bytes, chained);
            return () -> walk;
        };
        return JmhContestant.entry(id, label, maker, STEPS, flags);
    }

    /** Lines follow each other in one circle. */
    private void chain() {
        int lines = table.length / LINE_WORDS;
        for (int i = 0; i < lines; i++) {
            table[i * LINE_WORDS] = (long) (i + 1) % lines * LINE_WORDS;
        }
        SplittableRandom random = new SplittableRandom(SEED);
        if (order == Order.ALL) {
            for (int i = 0; i < lines; i++) {
                table[i * LINE_WORDS] = (long) i * LINE_WORDS;
            }
            for (int i = lines - 1; i > 0; i--) { // swaps of this kind leave one circle of all
                swap(i * LINE_WORDS, random.nextInt(i) * LINE_WORDS);
            }
        } else if (order == Order.PAGE) {
            int[] visited = new int[PAGE_WORDS / LINE_WORDS];
            for (int from = 0; from < table.length; from += PAGE_WORDS) {
                for (int i = 0; i < visited.length; i++) {
                    int other = random.nextInt(i + 1);
                    visited[i] = visited[other];
                    visited[other] = from + i * LINE_WORDS;
                }
                for (int i = 0; i + 1 < visited.length; i++) {
                    table[visited[i]] = visited[i + 1];
                }
                table[visited[visited.length - 1]] = -1L - visited[0]; // the next page's first is not known yet
            }
            joinPages();
        }
    }

    /** The last line of each page leads to the first of the next one. */
    private void joinPages() {
        int pages = table.length / PAGE_WORDS;
        int[] firsts = new int[pages];
        int[] lasts = new int[pages];
        for (int i = 0; i < table.length; i += LINE_WORDS) {
            if (table[i] < 0) {
                firsts[i / PAGE_WORDS] = (int) (-1 - table[i]);
                lasts[i / PAGE_WORDS] = i;
            }
        }
        for (int page = 0; page < pages; page++) {
            table[lasts[page]] = firsts[(page + 1) % pages];
        }
    }

    private void swap(int one, int other) {
        long swapped = table[one];
        table[one] = table[other];
        table[other] = swapped;
    }

    /** One turn visits each line once. */
    private void checkChain() {
        int lines = table.length / LINE_WORDS;
        long sum = 0;
        int place = 0;
        for (int i = 0; i < lines; i++) {
            sum += place / LINE_WORDS;
            place = (int) table[place];
        }
        long expected = (long) lines * (lines - 1) / 2;
        if (place != 0 || sum != expected) {
            throw new IllegalStateException(
                    "a turn must visit each of " + lines + " lines once, sum " + expected + ", but the sum was " + sum);
        }
    }

    /** As many steps as there are words visit each word once. */
    private void checkSteps() {
        long sum = steps(0, table.length);
        long expected = (long) table.length * (table.length - 1) / 2;
        if (sum != expected) {
            throw new IllegalStateException("a turn must visit each of " + table.length + " words once, sum " + expected
                    + ", but the sum was " + sum);
        }
    }

    /** The sum of the words of some steps, from a step on. */
    private long steps(int from, int count) {
        return switch (order) {
            case LINEAR -> linear(from, count);
            case PAGE -> page(from, count);
            case ALL -> all(from, count);
        };
    }

    private long linear(int from, int count) {
        int mask = table.length - 1;
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += table[(from + i) & mask];
        }
        return sum;
    }

    private long page(int from, int count) {
        int mask = table.length - 1;
        int inPage = PAGE_WORDS - 1;
        long sum = 0;
        for (int i = 0; i < count; i++) {
            int step = (from + i) & mask;
            sum += table[
                    (step & ~inPage) | ((int) (step * STRIDE) & inPage)]; // the stride is odd: each word of a page once
        }
        return sum;
    }

    private long all(int from, int count) {
        int mask = table.length - 1;
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += table[(int) ((from + i) * STRIDE) & mask]; // the stride is odd: each word once
        }
        return sum;
    }

    @Override
    public long run() {
        if (chained) {
            int place = at;
            for (int i = 0; i < STEPS; i++) {
                place = (int) table[place];
            }
            at = place;
            return place;
        }
        long some = steps(at, STEPS);
        sum += some;
        at = (at + STEPS) & (table.length - 1);
        return some;
    }

    @Override
    public void check(long operations) {
        if (chained) {
            checkPlace();
        } else {
            checkWords(operations);
        }
        from = at;
        sum = 0;
    }

    private void checkPlace() {
        if (at % LINE_WORDS != 0) {
            throw new IllegalStateException("the walk must stay on lines, but is at " + at);
        }
    }

    /** Checks the sum of the words without the table: it is computed for whole turns, and step by step for the rest. */
    private void checkWords(long operations) {
        long words = table.length;
        long expected = operations / words * (words * (words - 1) / 2);
        for (long step = 0; step < operations % words; step++) {
            expected += place((int) ((from + step) & (words - 1)));
        }
        if (sum != expected) {
            throw new IllegalStateException("the words must add up to " + expected + ", but did to " + sum);
        }
    }

    private int place(int step) {
        int mask = table.length - 1;
        int inPage = PAGE_WORDS - 1;
        return switch (order) {
            case LINEAR -> step;
            case PAGE -> (step & ~inPage) | ((int) (step * STRIDE) & inPage);
            case ALL -> (int) (step * STRIDE) & mask;
        };
    }
}
