package io.sluice.examples.feed;

import io.sluice.examples.itch.ItchType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The formats that can be read. */
public enum FeedFormat {
    /** NASDAQ TotalView-ITCH 5.0, each message after its length in 2 bytes, big-endian. */
    ITCH("NASDAQ TotalView-ITCH 5.0"),
    /** A LOBSTER message file. */
    LOBSTER("LOBSTER messages");

    private static final String[] LOBSTER_TYPES = {
        "new order",
        "partial cancel",
        "deletion",
        "execution, visible",
        "execution, hidden",
        "cross trade",
        "trading halt"
    };

    private final String title;

    FeedFormat(String title) {
        this.title = title;
    }

    /**
     * The name of the format.
     *
     * @return as its publisher writes it
     */
    public String title() {
        return title;
    }

    /**
     * Every message type of the format, in the order of its specification.
     *
     * @return a new list
     */
    public List<Character> types() {
        List<Character> types = new ArrayList<>();
        if (this == ITCH) {
            for (ItchType type : ItchType.values()) {
                types.add(type.code());
            }
        } else {
            for (char type = '1'; type <= '7'; type++) {
                types.add(type);
            }
        }
        return types;
    }

    /**
     * The name of a message type.
     *
     * @param type a type of {@link #types()}
     * @return a few words
     */
    public String describe(char type) {
        if (this == ITCH) {
            @Nullable ItchType known = ItchType.of((byte) type);
            return known == null ? "unknown" : known.title();
        }
        return type >= '1' && type <= '7' ? LOBSTER_TYPES[type - '1'] : "unknown";
    }
}
