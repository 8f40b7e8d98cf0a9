package io.sluice.perf.ordered;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Reactor's {@code flatMapSequential}, on its parallel scheduler. */
public final class ReactorStage implements PeerStage {
    /** For the service loader. */
    public ReactorStage() {}

    @Override
    public String id() {
        return "reactor";
    }

    @Override
    public String label() {
        return "Reactor flatMapSequential";
    }

    @Override
    public String needs() {
        return "reactor.core.publisher.Flux";
    }

    @Override
    public void run(LongSupplier source, int workers, LongUnaryOperator work, LongConsumer output) {
        Flux.fromIterable(() -> new Items(source))
                .flatMapSequential(
                        item -> Mono.fromCallable(() -> work.applyAsLong(item)).subscribeOn(Schedulers.parallel()),
                        workers)
                .doOnNext(output::accept)
                .blockLast();
    }
}
