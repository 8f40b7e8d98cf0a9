package io.sluice.examples.oracle;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The slow and simple book: a map of orders, from which the levels are added up only when somebody asks. Reads whole
 * inputs by itself.
 */
public final class MapBooks {
    private record Resting(String instrument, char side, long price, long shares) {}

    private final Map<Long, Resting> orders = new HashMap<>();
    private final Set<Long> everAdded = new HashSet<>();
    private final TreeSet<String> instruments = new TreeSet<>();
    private final Map<Character, Long> counts = new TreeMap<>();
    private long unknown;

    /** The books after a whole ITCH session without faults. */
    public static MapBooks ofItch(byte[] session) {
        MapBooks books = new MapBooks();
        ByteBuffer in = ByteBuffer.wrap(session);
        while (in.hasRemaining()) {
            int length = in.getShort();
            ByteBuffer message = in.slice(in.position(), length);
            in.position(in.position() + length);
            books.message(message);
        }
        return books;
    }

    /** The books after a whole LOBSTER file without faults. */
    public static MapBooks ofLobster(String instrument, String text) {
        MapBooks books = new MapBooks();
        for (String line : text.lines().toList()) {
            String[] fields = line.split(",", -1);
            long reference = Long.parseLong(fields[2]);
            long shares = Long.parseLong(fields[3]);
            books.count(fields[1].charAt(0));
            switch (fields[1]) {
                case "1" ->
                    books.add(
                            instrument,
                            reference,
                            fields[5].equals("1") ? 'B' : 'S',
                            Long.parseLong(fields[4]),
                            shares);
                case "2", "4" -> books.take(reference, shares);
                case "3" -> books.take(reference, Long.MAX_VALUE);
                default -> {}
            }
        }
        return books;
    }

    private void message(ByteBuffer m) {
        char type = (char) m.get(0);
        count(type);
        switch (type) {
            case 'R' -> instruments.add(name(m, 11));
            case 'A', 'F' -> add(name(m, 24), m.getLong(11), (char) m.get(19), unsigned(m, 32), unsigned(m, 20));
            case 'E', 'C', 'X' -> take(m.getLong(11), unsigned(m, 19));
            case 'D' -> take(m.getLong(11), Long.MAX_VALUE);
            case 'U' -> {
                Resting old = orders.get(m.getLong(11));
                take(m.getLong(11), Long.MAX_VALUE);
                if (old != null) {
                    add(old.instrument, m.getLong(19), old.side, unsigned(m, 31), unsigned(m, 27));
                }
            }
            default -> {}
        }
    }

    private void count(char type) {
        counts.merge(type, 1L, Long::sum);
    }

    private void add(String instrument, long reference, char side, long price, long shares) {
        instruments.add(instrument);
        everAdded.add(reference);
        orders.remove(reference);
        if (shares > 0) {
            orders.put(reference, new Resting(instrument, side, price, shares));
        }
    }

    private void take(long reference, long shares) {
        if (!everAdded.contains(reference)) {
            unknown++;
            return;
        }
        orders.computeIfPresent(
                reference,
                (key, order) -> order.shares <= shares
                        ? null
                        : new Resting(order.instrument, order.side, order.price, order.shares - shares));
    }

    public long unknown() {
        return unknown;
    }

    public long count(String type) {
        return counts.getOrDefault(type.charAt(0), 0L);
    }

    /** The shares of each level of one side of one instrument, by price. */
    public NavigableMap<Long, Long> levels(String instrument, char side) {
        NavigableMap<Long, Long> levels = new TreeMap<>();
        for (Resting order : orders.values()) {
            if (order.instrument.equals(instrument) && order.side == side) {
                levels.merge(order.price, order.shares, Long::sum);
            }
        }
        return levels;
    }

    public String table() {
        StringBuilder table = new StringBuilder("instrument,bestBid,bidSize,bestAsk,askSize\n");
        for (String instrument : instruments) {
            Map.Entry<Long, Long> bid = levels(instrument, 'B').lastEntry();
            Map.Entry<Long, Long> ask = levels(instrument, 'S').firstEntry();
            table.append(instrument)
                    .append(',')
                    .append(bid == null ? "," : bid.getKey() + "," + bid.getValue())
                    .append(',')
                    .append(ask == null ? "," : ask.getKey() + "," + ask.getValue())
                    .append('\n');
        }
        return table.toString();
    }

    public String digest() throws Exception {
        List<String> lines = new ArrayList<>();
        for (String instrument : instruments) {
            levels(instrument, 'B').forEach((price, size) -> lines.add(instrument + ",B," + price + "," + size + "\n"));
            levels(instrument, 'S').forEach((price, size) -> lines.add(instrument + ",S," + price + "," + size + "\n"));
        }
        lines.sort(null);
        byte[] sum = MessageDigest.getInstance("SHA-256")
                .digest(String.join("", lines).getBytes(StandardCharsets.UTF_8));
        StringBuilder hex = new StringBuilder();
        for (byte b : sum) {
            hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return hex.toString();
    }

    private static long unsigned(ByteBuffer m, int at) {
        return Integer.toUnsignedLong(m.getInt(at));
    }

    private static String name(ByteBuffer m, int at) {
        byte[] name = new byte[8];
        m.get(at, name);
        return new String(name, StandardCharsets.ISO_8859_1).stripTrailing();
    }
}
