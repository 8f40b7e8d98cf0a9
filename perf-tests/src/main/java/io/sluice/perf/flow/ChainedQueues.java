package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.IntFunction;

/**
 * Three consumers behind bounded queues, as people build them who have queues and no ring. A queue lies between each two threads of which
 * one hands events to the other; a consumer with several queues before it takes from each in turn. A thread that waits yields. The events
 * are made beforehand and go round.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields where threads share cores, as the rows say
public final class ChainedQueues implements Exchange {
    /** The number of events beyond those that the queues on the longest way hold: each thread on it has one in hand. */
    private static final int SPARE = 64;

    private static final int TOLD_EVERY = 32;

    /** One consumer, and the queues around it. */
    private final class Stage extends PaddedSum {
        final List<Queue<Event>> before = new ArrayList<>();
        final List<Queue<Event>> behind = new ArrayList<>();
        final Sequence handled = new Sequence(0);

        @SuppressWarnings({"unchecked", "rawtypes"}) // arrays of queues
        void run() {
            Queue<Event>[] from = before.toArray(Queue[]::new);
            Queue<Event>[] to = behind.toArray(Queue[]::new);
            long total = 0;
            long count = 0;
            while (!closed) {
                Event event = from[0].poll();
                if (event == null) {
                    tell(total, count);
                    Thread.yield();
                    continue;
                }
                for (int i = 1; i < from.length; i++) {
                    take(from[i]);
                }
                total += event.value;
                offer(event, to);
                if (++count % TOLD_EVERY == 0) {
                    tell(total, count);
                }
            }
        }

        private void tell(long total, long count) {
            sum = total;
            handled.setRelease(count); // release: the sum
        }

        /** Takes the same event from another queue: the stage that hands it on has handled it. */
        private void take(Queue<Event> from) {
            while (from.poll() == null && !closed) {
                Thread.yield();
            }
        }
    }

    private final List<Stage> stages;
    private final Queue<Event>[] first;
    private final int pooled;

    private volatile boolean closed;

    /**
     * Starts the consumers.
     *
     * @param maker makes an empty bounded queue of so many events
     * @param capacity how many events each queue holds
     * @param shape the shape of the consumers
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // arrays of queues
    public ChainedQueues(IntFunction<Queue<Event>> maker, int capacity, Shape shape) {
        stages = List.of(new Stage(), new Stage(), new Stage());
        List<Queue<Event>> published = new ArrayList<>();
        for (Link link : links(shape)) {
            Queue<Event> queue = maker.apply(capacity);
            (link.from < 0 ? published : stages.get(link.from).behind).add(queue);
            stages.get(link.to).before.add(queue);
        }
        first = published.toArray(Queue[]::new);
        pooled = stages.size() * capacity + SPARE;
        for (Stage stage : stages) {
            Thread thread = new Thread(stage::run, "queue");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** A queue from one stage to another; from -1 it is the producer's. */
    private record Link(int from, int to) {}

    private static List<Link> links(Shape shape) {
        return switch (shape) {
            case MULTICAST -> List.of(new Link(-1, 0), new Link(-1, 1), new Link(-1, 2));
            case PIPELINE -> List.of(new Link(-1, 0), new Link(0, 1), new Link(1, 2));
            case DIAMOND -> List.of(new Link(-1, 0), new Link(-1, 1), new Link(0, 2), new Link(1, 2));
            case ONE -> throw new IllegalArgumentException("shape must have three consumers, but was ONE");
        };
    }

    private void offer(Event event, Queue<Event>[] to) {
        for (Queue<Event> queue : to) {
            while (!queue.offer(event) && !closed) {
                Thread.yield();
            }
        }
    }

    @Override
    public Source source(int producer) {
        Event[] pool = new Event[pooled];
        for (int i = 0; i < pool.length; i++) {
            pool[i] = new Event();
        }
        return new Pooled(pool);
    }

    private final class Pooled implements Source {
        private final Event[] pool;
        private int next;

        Pooled(Event[] pool) {
            this.pool = pool;
        }

        @Override
        public void produce(long from, int count) {
            Queue<Event>[] to = first;
            long value = from;
            for (int i = 0; i < count; i++) {
                Event event = pool[next];
                next = next + 1 == pool.length ? 0 : next + 1;
                event.value = value++;
                offer(event, to);
            }
        }
    }

    @Override
    public long handled() {
        long least = Long.MAX_VALUE;
        for (Stage stage : stages) {
            least = Math.min(least, stage.handled.getAcquire()); // acquire: pairs with tell()
        }
        return least;
    }

    @Override
    public long[] sums() {
        return stages.stream().mapToLong(stage -> stage.sum).toArray();
    }

    @Override
    public void close() {
        closed = true;
    }
}
