package io.sluice.examples.itch;

import org.jspecify.annotations.Nullable;

/** The message types of NASDAQ TotalView-ITCH 5.0, in the order of the specification, each with its fixed length. */
public enum ItchType {
    /** System event: start and end of messages, system hours, market hours. */
    SYSTEM_EVENT('S', 12, "system event"),
    /** Stock directory. */
    STOCK_DIRECTORY('R', 39, "stock directory"),
    /** Stock trading action. */
    TRADING_ACTION('H', 25, "stock trading action"),
    /** Regulation SHO short sale price test. */
    REG_SHO('Y', 20, "Reg SHO restriction"),
    /** Market participant position. */
    PARTICIPANT_POSITION('L', 26, "market participant position"),
    /** Market-wide circuit breaker: the decline levels. */
    MWCB_LEVELS('V', 35, "circuit breaker levels"),
    /** Market-wide circuit breaker: a level was breached. */
    MWCB_STATUS('W', 12, "circuit breaker status"),
    /** Quoting period of an initial public offering. */
    IPO_QUOTING('K', 28, "IPO quoting period"),
    /** Limit up - limit down auction collar. */
    AUCTION_COLLAR('J', 35, "LULD auction collar"),
    /** Operational halt. */
    OPERATIONAL_HALT('h', 21, "operational halt"),
    /** Add order without attribution. */
    ADD_ORDER('A', 36, "add order"),
    /** Add order with attribution. */
    ADD_ORDER_ATTRIBUTED('F', 40, "add order, attributed"),
    /** Order executed. */
    ORDER_EXECUTED('E', 31, "order executed"),
    /** Order executed at another price. */
    ORDER_EXECUTED_WITH_PRICE('C', 36, "order executed with price"),
    /** Part of an order cancelled. */
    ORDER_CANCEL('X', 23, "order cancel"),
    /** Order deleted. */
    ORDER_DELETE('D', 19, "order delete"),
    /** Order replaced. */
    ORDER_REPLACE('U', 35, "order replace"),
    /** Trade against an order that is not displayed. */
    TRADE('P', 44, "trade"),
    /** Cross trade. */
    CROSS_TRADE('Q', 40, "cross trade"),
    /** Broken trade. */
    BROKEN_TRADE('B', 19, "broken trade"),
    /** Net order imbalance indicator. */
    IMBALANCE('I', 50, "net order imbalance"),
    /** Retail price improvement indicator. */
    RETAIL_INTEREST('N', 20, "retail price improvement"),
    /** Direct listing with capital raise: price discovery. */
    DIRECT_LISTING('O', 48, "direct listing price discovery");

    /** The length of the longest message, in bytes. */
    public static final int MAX_LENGTH = 50;

    private static final @Nullable ItchType[] BY_CODE = new ItchType[128];

    static {
        for (ItchType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final char code;
    private final int length;
    private final String title;

    ItchType(char code, int length, String title) {
        this.code = code;
        this.length = length;
        this.title = title;
    }

    /**
     * The type of a message.
     *
     * @param code the first byte of the message
     * @return the type, or null if the specification has none of that code
     */
    public static @Nullable ItchType of(byte code) {
        return code < 0 ? null : BY_CODE[code];
    }

    /**
     * The first byte of a message of this type.
     *
     * @return an ASCII letter
     */
    public char code() {
        return code;
    }

    /**
     * How long a message of this type is.
     *
     * @return bytes, the code included, the length prefix not
     */
    public int length() {
        return length;
    }

    /**
     * The name of the type.
     *
     * @return a few words
     */
    public String title() {
        return title;
    }
}
