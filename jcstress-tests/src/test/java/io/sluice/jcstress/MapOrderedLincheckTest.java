package io.sluice.jcstress;

import io.sluice.ordered.MapOrdered;
import io.sluice.ordered.TicketRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A mapper that is closed while somebody maps, on an executor that drops what it is given: no future is left open. */
@Tag("once")
@Tag("any-jdk")
class MapOrderedLincheckTest {
    @Test
    void everyFutureCompletesWhenTheMapperIsClosed() {
        Interleavings.check(Mapper.class, Anything.class, 2, 2, 900);
    }

    /** One thread maps, another one closes. */
    public static class Mapper {
        private final MapOrdered<Integer, Integer> mapper = new MapOrdered<>(task -> {}, 8, input -> input);
        private final List<CompletableFuture<Integer>> futures = new ArrayList<>();
        private boolean closed;

        @Operation(nonParallelGroup = "map")
        public void map() {
            try {
                futures.add(mapper.map(1));
            } catch (TicketRefusedException refused) {
                return; // closed before
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Operation(nonParallelGroup = "close")
        public void close() {
            mapper.close();
            closed = true;
        }

        @Validate
        public void noFutureIsLeftOpen() {
            for (CompletableFuture<Integer> future : futures) {
                if (closed && !future.isDone()) {
                    throw new IllegalStateException("of " + futures.size() + " futures one is open");
                }
            }
        }
    }

    /** Nothing is said about the order of the calls. */
    public static class Anything {
        public void map() {}

        public void close() {}
    }
}
