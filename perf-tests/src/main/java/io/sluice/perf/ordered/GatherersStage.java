package io.sluice.perf.ordered;

import java.lang.reflect.Method;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The JDK's {@code Gatherers.mapConcurrent}, from 24 on: looked up by name, since we are compiled for 17. */
public final class GatherersStage implements Stage {
    /** For the service loader. */
    public GatherersStage() {}

    @Override
    public String id() {
        return "gatherers";
    }

    @Override
    public String label() {
        return "JDK Gatherers.mapConcurrent";
    }

    @Override
    public boolean isAvailable() {
        return Runtime.version().feature() >= 24;
    }

    @Override
    @SuppressWarnings("unchecked") // a gatherer from Long to Long
    public void run(LongSupplier source, int workers, LongUnaryOperator work, LongConsumer output) throws Exception {
        Class<?> gatherers = Class.forName("java.util.stream.Gatherers");
        Class<?> gatherer = Class.forName("java.util.stream.Gatherer");
        Method mapConcurrent = gatherers.getMethod("mapConcurrent", int.class, Function.class);
        Method gather = Stream.class.getMethod("gather", gatherer);
        Function<Long, Long> function = work::applyAsLong;
        Stream<Long> results =
                (Stream<Long>) gather.invoke(stream(source), mapConcurrent.invoke(null, workers, function));
        results.forEachOrdered(output::accept);
    }

    private static Stream<Long> stream(LongSupplier source) {
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(new Items(source), Spliterator.ORDERED | Spliterator.NONNULL),
                false);
    }
}
