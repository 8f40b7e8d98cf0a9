package io.sluice.examples.generator;

import io.sluice.examples.feed.MessageTally;
import io.sluice.examples.itch.ItchType;
import io.sluice.examples.itch.ItchWriter;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Generates a trading session in NASDAQ TotalView-ITCH 5.0: system events, the directory with its states, a day of
 * orders, and closing crosses. Every type of the specification occurs in a session of some ten thousand messages.
 *
 * <p>Orders rest by price and time: executions take the oldest order of the best level, new orders come close to the
 * best level of their side, so that prices wander and books are never crossed. Only live orders are executed, cancelled,
 * deleted and replaced. Used by one thread.
 */
public final class SessionGenerator {
    /** The messages of a session if nobody says otherwise. */
    public static final long DEFAULT_MESSAGES = 1_000_000;

    /** The most messages of a session. */
    public static final long MAX_MESSAGES = 2_000_000_000;

    /** The seed if nobody says otherwise. */
    public static final long DEFAULT_SEED = 20_260_101;

    private static final long NANOS_A_SECOND = 1_000_000_000;
    private static final long MESSAGES_BEGIN = 4 * 3600 * NANOS_A_SECOND;
    private static final long MARKET_OPENS = (9 * 3600 + 30 * 60) * NANOS_A_SECOND;
    private static final long MARKET_CLOSES = 16 * 3600 * NANOS_A_SECOND;
    private static final int MAX_INSTRUMENTS = 100;
    private static final int MESSAGES_FOR_AN_INSTRUMENT = 2_000;
    private static final int CLOSING_EVENTS = 3;
    private static final int MAX_LIVE_ORDERS = 50_000;
    private static final String[] PARTICIPANTS = {"ALFA", "BRVO", "CHRL", "DLTA"};

    private final long messages;
    private final SplitMix random;
    private final int instruments;
    private final String[] symbols;
    private final int[] firstCents;
    private final RestingOrders orders;
    private final MessageTally tally = new MessageTally();
    private final int wantedLive;
    private final long meanGap;
    private long timestamp = MESSAGES_BEGIN;
    private long lastReference;
    private long lastMatch;

    /**
     * Prepares a session.
     *
     * @param messages how many messages, from 1 to {@link #MAX_MESSAGES}
     * @param seed any number; another seed gives another session
     */
    public SessionGenerator(long messages, long seed) {
        if (messages < 1 || messages > MAX_MESSAGES) {
            throw new IllegalArgumentException("messages is " + messages + ", must be from 1 to " + MAX_MESSAGES);
        }
        this.messages = messages;
        this.random = new SplitMix(seed);
        this.instruments = (int) Math.max(1, Math.min(MAX_INSTRUMENTS, messages / MESSAGES_FOR_AN_INSTRUMENT));
        this.symbols = new String[instruments];
        this.firstCents = new int[instruments];
        for (int i = 0; i < instruments; i++) {
            symbols[i] = symbol(i);
            firstCents[i] = 500 + random.below(40_000);
        }
        this.orders = new RestingOrders(instruments);
        this.wantedLive = (int) Math.max(10, Math.min(MAX_LIVE_ORDERS, messages / 20));
        this.meanGap = Math.max(1, (MARKET_CLOSES - MARKET_OPENS) / messages);
    }

    /**
     * Writes the session. To be called once.
     *
     * @param out where to; not closed, not flushed
     * @return how many messages of each type were written
     * @throws IOException if the stream throws it
     */
    public MessageTally writeTo(OutputStream out) throws IOException {
        ItchWriter writer = new ItchWriter(out);
        open(writer);
        long closing = 2L * instruments + CLOSING_EVENTS;
        while (messages - tally.total() > closing) {
            tick();
            oneOfTheDay(writer);
        }
        close(writer);
        // A session that is too short for a close ends in the middle of the day.
        while (!full()) {
            tick();
            add(writer, random.below(instruments));
        }
        return tally;
    }

    private void open(ItchWriter writer) throws IOException {
        systemEvent(writer, 'O');
        for (int i = 0; i < instruments && !full(); i++) {
            directory(writer, i);
        }
        for (int i = 0; i < instruments && !full(); i++) {
            rare(writer, ItchType.TRADING_ACTION, i);
        }
        systemEvent(writer, 'S');
        if (!full()) {
            rare(writer, ItchType.MWCB_LEVELS, 0);
        }
        timestamp = MARKET_OPENS;
        systemEvent(writer, 'Q');
    }

    private void close(ItchWriter writer) throws IOException {
        timestamp = Math.max(timestamp, MARKET_CLOSES);
        if (messages - tally.total() < 2L * instruments + CLOSING_EVENTS) {
            return;
        }
        systemEvent(writer, 'M');
        for (int i = 0; i < instruments; i++) {
            rare(writer, ItchType.IMBALANCE, i);
            rare(writer, ItchType.CROSS_TRADE, i);
        }
        systemEvent(writer, 'E');
        systemEvent(writer, 'C');
    }

    private void oneOfTheDay(ItchWriter writer) throws IOException {
        int dice = random.below(10_000);
        int live = orders.live();
        if (dice < 60) {
            rareOfTheDay(writer, dice);
        } else if (dice < 200) {
            trade(writer);
        } else if (live == 0) {
            add(writer, random.below(instruments));
        } else if (dice < 800) {
            execute(writer);
        } else if (dice < 1_050) {
            cancel(writer);
        } else if (dice < 1_900) {
            replace(writer);
        } else if (random.below(1_000) < (live < wantedLive ? 620 : 440)) {
            add(writer, random.below(instruments));
        } else {
            int slot = orders.pick(random.below(live));
            begin(writer, ItchType.ORDER_DELETE, orders.instrument(slot))
                    .number8(orders.reference(slot))
                    .end();
            orders.remove(slot);
        }
    }

    private void rareOfTheDay(ItchWriter writer, int dice) throws IOException {
        ItchType type;
        if (dice < 25) {
            type = ItchType.IMBALANCE;
        } else if (dice < 34) {
            type = ItchType.RETAIL_INTEREST;
        } else if (dice < 38) {
            type = ItchType.TRADING_ACTION;
        } else if (dice < 41) {
            type = ItchType.REG_SHO;
        } else if (dice < 46) {
            type = ItchType.PARTICIPANT_POSITION;
        } else if (dice < 48) {
            type = ItchType.OPERATIONAL_HALT;
        } else if (dice < 51) {
            type = ItchType.AUCTION_COLLAR;
        } else if (dice < 53) {
            type = ItchType.CROSS_TRADE;
        } else if (dice < 55) {
            type = ItchType.BROKEN_TRADE;
        } else if (dice < 57) {
            type = ItchType.IPO_QUOTING;
        } else if (dice < 59) {
            type = ItchType.DIRECT_LISTING;
        } else {
            type = ItchType.MWCB_STATUS;
        }
        rare(writer, type, random.below(instruments));
    }

    private void add(ItchWriter writer, int instrument) throws IOException {
        boolean buy = random.below(2) == 0;
        int tick = newTick(instrument, buy);
        if (tick < 0 || tick >= RestingOrders.TICKS) {
            buy = !buy;
            tick = newTick(instrument, buy);
        }
        lastReference += 1 + random.below(4);
        int shares = newShares();
        boolean attributed = random.below(20) == 0;
        begin(writer, attributed ? ItchType.ADD_ORDER_ATTRIBUTED : ItchType.ADD_ORDER, instrument)
                .number8(lastReference)
                .character(buy ? 'B' : 'S')
                .number4(shares)
                .text(symbols[instrument], 8)
                .number4(price(instrument, tick));
        if (attributed) {
            writer.text(participant(), 4);
        }
        writer.end();
        orders.add(instrument, buy, tick, lastReference, shares);
    }

    private void execute(ItchWriter writer) throws IOException {
        int any = orders.pick(random.below(orders.live()));
        int instrument = orders.instrument(any);
        int slot = orders.front(instrument, orders.buy(any));
        int left = orders.shares(slot);
        int executed = random.below(3) == 0 ? 1 + random.below(left) : left;
        lastMatch++;
        boolean otherPrice = random.below(16) == 0;
        begin(writer, otherPrice ? ItchType.ORDER_EXECUTED_WITH_PRICE : ItchType.ORDER_EXECUTED, instrument)
                .number8(orders.reference(slot))
                .number4(executed)
                .number8(lastMatch);
        if (otherPrice) {
            writer.character(random.below(2) == 0 ? 'Y' : 'N').number4(price(instrument, orders.tick(slot)) + 50);
        }
        writer.end();
        reduce(slot, executed);
    }

    private void cancel(ItchWriter writer) throws IOException {
        int slot = orders.pick(random.below(orders.live()));
        int cancelled = 1 + random.below(orders.shares(slot));
        begin(writer, ItchType.ORDER_CANCEL, orders.instrument(slot))
                .number8(orders.reference(slot))
                .number4(cancelled)
                .end();
        reduce(slot, cancelled);
    }

    private void replace(ItchWriter writer) throws IOException {
        int slot = orders.pick(random.below(orders.live()));
        int instrument = orders.instrument(slot);
        boolean buy = orders.buy(slot);
        int oldTick = orders.tick(slot);
        long oldReference = orders.reference(slot);
        orders.remove(slot);
        int tick = newTick(instrument, buy);
        if (tick < 0 || tick >= RestingOrders.TICKS) {
            tick = oldTick;
        }
        int shares = newShares();
        lastReference += 1 + random.below(4);
        begin(writer, ItchType.ORDER_REPLACE, instrument)
                .number8(oldReference)
                .number8(lastReference)
                .number4(shares)
                .number4(price(instrument, tick))
                .end();
        orders.add(instrument, buy, tick, lastReference, shares);
    }

    private void trade(ItchWriter writer) throws IOException {
        int instrument = random.below(instruments);
        lastMatch++;
        begin(writer, ItchType.TRADE, instrument)
                .number8(0)
                .character('B')
                .number4(newShares())
                .text(symbols[instrument], 8)
                .number4(price(instrument, anchor(instrument)))
                .number8(lastMatch)
                .end();
    }

    private void directory(ItchWriter writer, int instrument) throws IOException {
        tick();
        begin(writer, ItchType.STOCK_DIRECTORY, instrument)
                .text(symbols[instrument], 8)
                .text("Q", 1)
                .text("N", 1)
                .number4(100)
                .text("N", 1)
                .text("C", 1)
                .text("Z", 2)
                .text("PN", 2)
                .text("N", 1)
                .text("1", 1)
                .text("N", 1)
                .number4(0)
                .text("N", 1)
                .end();
    }

    /** Everything that touches no book. */
    private void rare(ItchWriter writer, ItchType type, int instrument) throws IOException {
        String symbol = symbols[instrument];
        long price = price(instrument, anchor(instrument));
        begin(writer, type, instrument);
        switch (type) {
            case TRADING_ACTION ->
                writer.text(symbol, 8).text("T", 1).text("", 1).text("", 4);
            case REG_SHO -> writer.text(symbol, 8).text("0", 1);
            case PARTICIPANT_POSITION ->
                writer.text(participant(), 4).text(symbol, 8).text("YNA", 3);
            case MWCB_LEVELS ->
                writer.number8(465_000_000_000L).number8(435_000_000_000L).number8(400_000_000_000L);
            case MWCB_STATUS -> writer.text("1", 1);
            case IPO_QUOTING ->
                writer.text(symbol, 8).number4(36_000).text("A", 1).number4(price);
            case AUCTION_COLLAR ->
                writer.text(symbol, 8)
                        .number4(price)
                        .number4(price + 500)
                        .number4(price - 500)
                        .number4(0);
            case OPERATIONAL_HALT -> writer.text(symbol, 8).text("QT", 2);
            case CROSS_TRADE -> {
                lastMatch++;
                writer.number8(100L * random.below(10_000))
                        .text(symbol, 8)
                        .number4(price)
                        .number8(lastMatch)
                        .text("C", 1);
            }
            case BROKEN_TRADE -> writer.number8(Math.max(1, lastMatch));
            case IMBALANCE ->
                writer.number8(100L * random.below(1_000))
                        .number8(100L * random.below(1_000))
                        .text("B", 1)
                        .text(symbol, 8)
                        .number4(price + 100)
                        .number4(price)
                        .number4(price)
                        .text("CL", 2);
            case RETAIL_INTEREST -> writer.text(symbol, 8).text("A", 1);
            case DIRECT_LISTING ->
                writer.text(symbol, 8)
                        .text("Y", 1)
                        .number4(price - 1_000)
                        .number4(price + 1_000)
                        .number4(price)
                        .number8(timestamp)
                        .number4(price - 500)
                        .number4(price + 500);
            default -> throw new IllegalArgumentException("type " + type.code() + " has its own method");
        }
        writer.end();
    }

    private void systemEvent(ItchWriter writer, char event) throws IOException {
        if (!full()) {
            tally.count(ItchType.SYSTEM_EVENT.code());
            writer.begin(ItchType.SYSTEM_EVENT, 0, timestamp).character(event).end();
        }
    }

    private ItchWriter begin(ItchWriter writer, ItchType type, int instrument) {
        tally.count(type.code());
        boolean ofTheMarket = type == ItchType.MWCB_LEVELS || type == ItchType.MWCB_STATUS;
        return writer.begin(type, ofTheMarket ? 0 : instrument + 1, timestamp);
    }

    private void reduce(int slot, int by) {
        if (by == orders.shares(slot)) {
            orders.remove(slot);
        } else {
            orders.reduce(slot, by);
        }
    }

    /** A tick close to the best of its side that does not cross the other side; out of the window if there is none. */
    private int newTick(int instrument, boolean buy) {
        int own = orders.best(instrument, buy);
        int other = orders.best(instrument, !buy);
        boolean none = own < 0 || own >= RestingOrders.TICKS;
        int away = random.heads(40) + (random.below(4) == 0 ? random.below(60) : random.below(8));
        if (buy) {
            int base = none ? anchor(instrument) - 1 : own + 1;
            return Math.min(base - away, other - 1);
        }
        int base = none ? anchor(instrument) + 1 : own - 1;
        return Math.max(base + away, other + 1);
    }

    /** A tick around which an instrument trades. */
    private int anchor(int instrument) {
        int buy = orders.best(instrument, true);
        int sell = orders.best(instrument, false);
        if (buy < 0) {
            return sell >= RestingOrders.TICKS ? RestingOrders.TICKS / 2 : Math.max(1, sell - 1);
        }
        return sell >= RestingOrders.TICKS ? Math.min(RestingOrders.TICKS - 2, buy + 1) : (buy + sell) / 2;
    }

    /** In 1/10,000. */
    private long price(int instrument, int tick) {
        return 100L * (firstCents[instrument] + tick);
    }

    private int newShares() {
        return random.below(5) == 0 ? 1 + random.below(99) : 100 * (1 + random.heads(9));
    }

    private String participant() {
        return PARTICIPANTS[random.below(PARTICIPANTS.length)];
    }

    private void tick() {
        timestamp += 1 + (random.next() >>> 1) % (2 * meanGap);
    }

    private boolean full() {
        return tally.total() == messages;
    }

    /** Four letters, different for each number below 2,500. */
    private static String symbol(int number) {
        String consonants = "BDFGKLMNPRSTVZ";
        String vowels = "AEIOU";
        int pairs = consonants.length() * vowels.length();
        int one = number * 37 % pairs;
        int two = (number / pairs + number * 11) % pairs;
        return "" + consonants.charAt(one / 5) + vowels.charAt(one % 5) + consonants.charAt(two / 5)
                + vowels.charAt(two % 5);
    }
}
