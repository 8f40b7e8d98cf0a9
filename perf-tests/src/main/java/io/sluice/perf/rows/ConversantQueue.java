package io.sluice.perf.rows;

import com.conversantmedia.util.concurrent.ConcurrentQueue;
import io.sluice.perf.flow.Event;
import java.util.AbstractQueue;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Conversant's queue behind the interface that the comparison speaks. */
final class ConversantQueue extends AbstractQueue<Event> {
    private final ConcurrentQueue<Event> queue;

    ConversantQueue(ConcurrentQueue<Event> queue) {
        this.queue = queue;
    }

    @Override
    public boolean offer(Event event) {
        return queue.offer(event);
    }

    @Override
    public @Nullable Event poll() {
        return queue.poll();
    }

    @Override
    public @Nullable Event peek() {
        return queue.peek();
    }

    @Override
    public Iterator<Event> iterator() {
        throw new UnsupportedOperationException("a comparison only offers and polls");
    }

    @Override
    public int size() {
        return queue.size();
    }
}
