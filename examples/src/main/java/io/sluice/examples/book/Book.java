package io.sluice.examples.book;

/** The book of one instrument: its price levels to buy and to sell. */
final class Book {
    private final String instrument;
    private final BookSide buys = new BookSide(true);
    private final BookSide sells = new BookSide(false);

    Book(String instrument) {
        this.instrument = instrument;
    }

    String instrument() {
        return instrument;
    }

    BookSide side(boolean buy) {
        return buy ? buys : sells;
    }
}
