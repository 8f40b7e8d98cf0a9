package io.sluice.perf.flow;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.agrona.concurrent.ringbuffer.RingBuffer;

/** As many of Agrona's ring buffers as there are consumers, each with a consumer; every message is written to one after the other. */
public final class AgronaCopies implements Exchange {
    private final List<AgronaClaims> rings;

    /**
     * Starts the consumers.
     *
     * @param maker makes an empty ring
     * @param length how many bytes a message has, a multiple of 8
     * @param consumers how many
     * @param idle what a consumer does where there is nothing
     */
    public AgronaCopies(Supplier<RingBuffer> maker, int length, int consumers, Runnable idle) {
        rings = IntStream.range(0, consumers)
                .mapToObj(i -> new AgronaClaims(maker.get(), length, false, idle))
                .toList();
    }

    @Override
    public Source source(int producer) {
        List<Source> sources = rings.stream().map(ring -> ring.source(producer)).toList();
        Source[] each = sources.toArray(Source[]::new);
        return (from, count) -> {
            for (int i = 0; i < count; i++) {
                for (Source one : each) {
                    one.produce(from + i, 1);
                }
            }
        };
    }

    @Override
    public long handled() {
        return rings.stream().mapToLong(Exchange::handled).min().orElse(0);
    }

    @Override
    public long[] sums() {
        return rings.stream().mapToLong(ring -> ring.sums()[0]).toArray();
    }

    @Override
    public void close() {
        rings.forEach(Exchange::close);
    }
}
