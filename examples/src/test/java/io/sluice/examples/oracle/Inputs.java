package io.sluice.examples.oracle;

import io.sluice.examples.feed.ByteSource;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Feeds bytes to readers. */
public final class Inputs {
    private Inputs() {}

    /** What a reader made of its input. */
    public record Outcome(List<String> records, @Nullable FeedFault fault) {
        /** The fault's message, or an empty text. */
        public String message() {
            return fault == null ? "" : String.valueOf(fault.getMessage());
        }
    }

    /** A source that hands out the bytes in pieces. */
    public static ByteSource source(byte[] bytes, int piece) {
        return new ByteSource() {
            private int position;

            @Override
            public int read(byte[] into, int offset, int length) {
                if (position == bytes.length) {
                    return -1;
                }
                int count = Math.min(Math.min(piece, length), bytes.length - position);
                System.arraycopy(bytes, position, into, offset, count);
                position += count;
                return count;
            }

            @Override
            public boolean compressed() {
                return false;
            }

            @Override
            public void close() {}
        };
    }

    /** Reads to the end or to the fault, and once more: the reader must stick to what it said. */
    public static Outcome readAll(FeedReader reader) {
        List<String> records = new ArrayList<>();
        MarketEvent event = new MarketEvent();
        FeedFault fault = null;
        try (reader) {
            while (reader.next()) {
                reader.copyTo(event);
                records.add(ItchBytes.text(event.raw(), 0, event.rawLength()));
            }
        } catch (FeedFault e) {
            fault = e;
            try {
                if (reader.next()) {
                    throw new AssertionError("a message after the fault " + e.getMessage());
                }
                throw new AssertionError("an end after the fault " + e.getMessage());
            } catch (FeedFault again) {
                if (again != e) {
                    throw new AssertionError("another fault after " + e.getMessage(), again);
                }
            }
        }
        return new Outcome(records, fault);
    }

    public static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }
}
