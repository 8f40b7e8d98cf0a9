package io.sluice.examples.book;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/** The output about books: the table of best prices, and the digest of all levels. */
public final class BookTable {
    /** The first line of the table. */
    public static final String HEADER = "instrument,bestBid,bidSize,bestAsk,askSize";

    private BookTable() {}

    /**
     * The best level of each side of each instrument, a line for each instrument, sorted by name; prices in 1/10,000. A
     * name that could be taken for two columns or two lines is quoted.
     *
     * @param books the books
     * @return the header and the lines, each with a line feed at its end
     */
    public static String table(OrderBooks books) {
        StringBuilder table = new StringBuilder(HEADER).append('\n');
        for (Book book : books.sorted()) {
            table.append(quoted(book.instrument())).append(',');
            appendBest(table, book.side(true));
            table.append(',');
            appendBest(table, book.side(false));
            table.append('\n');
        }
        return table.toString();
    }

    /**
     * SHA-256 over all levels of all books, each as {@code instrument,side,price,size} and a line feed, side {@code B} or
     * {@code S}, price in 1/10,000, the lines sorted as text.
     *
     * @param books the books
     * @return 64 hexadecimal digits
     */
    public static String digest(OrderBooks books) {
        List<String> lines = new ArrayList<>();
        for (Book book : books.sorted()) {
            addLevels(lines, book.instrument(), book.side(true));
            addLevels(lines, book.instrument(), book.side(false));
        }
        Collections.sort(lines);
        MessageDigest digest = sha256();
        for (String line : lines) {
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * The levels of all books.
     *
     * @param books the books
     * @return how many
     */
    public static long levels(OrderBooks books) {
        long levels = 0;
        for (Book book : books.sorted()) {
            levels += book.side(true).levels() + book.side(false).levels();
        }
        return levels;
    }

    private static void appendBest(StringBuilder table, BookSide side) {
        if (side.levels() == 0) {
            table.append(',');
        } else {
            table.append(side.price(0)).append(',').append(side.size(0));
        }
    }

    private static void addLevels(List<String> lines, String instrument, BookSide side) {
        for (int i = 0; i < side.levels(); i++) {
            lines.add(instrument + (side.isBuy() ? ",B," : ",S,") + side.price(i) + ',' + side.size(i) + '\n');
        }
    }

    private static String quoted(String name) {
        return name.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                ? '"' + name.replace("\"", "\"\"") + '"'
                : name;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
