package io.sluice.examples.demo;

import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.Feeds;
import io.sluice.examples.feed.Memory;
import io.sluice.examples.feed.MessageTally;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.itch.ItchReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The input of the demo: a file, or a session generated into memory. Can be read more than once. */
interface Input {
    /** The name of this input, in a few words. */
    String title();

    /** A reader at the first message. */
    FeedReader open() throws FeedFault;

    /** The counts of the generator, or null if the input is a file. */
    @Nullable
    MessageTally generated();

    /** The first messages of this, at most so many. The generator's counts are of all, so there are none here. */
    default Input first(long messages) {
        Input all = this;
        return new Input() {
            @Override
            public String title() {
                return all.title();
            }

            @Override
            public FeedReader open() throws FeedFault {
                return new FirstMessages(all.open(), messages);
            }

            @Override
            public @Nullable MessageTally generated() {
                return null;
            }
        };
    }

    /** A file. */
    static Input file(String name) {
        return new Input() {
            @Override
            public String title() {
                return name;
            }

            @Override
            public FeedReader open() throws FeedFault {
                return Feeds.open(name, Path.of(name));
            }

            @Override
            public @Nullable MessageTally generated() {
                return null;
            }
        };
    }

    /** A session, generated now. */
    static Input generated(long messages, long seed) throws IOException {
        Memory memory = new Memory();
        MessageTally tally = new SessionGenerator(messages, seed).writeTo(memory);
        String title = String.format(Locale.ROOT, "generated session of %,d messages, seed %d", messages, seed);
        return new Input() {
            @Override
            public String title() {
                return title;
            }

            @Override
            public FeedReader open() {
                return new ItchReader("generated session", memory.source());
            }

            @Override
            public MessageTally generated() {
                return tally;
            }
        };
    }
}
