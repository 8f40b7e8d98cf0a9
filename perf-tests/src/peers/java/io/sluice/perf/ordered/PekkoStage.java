package io.sluice.perf.ordered;

import com.typesafe.config.ConfigFactory;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.javadsl.Source;

/** Pekko's {@code mapAsync}, with futures that its own dispatcher runs. */
public final class PekkoStage implements PeerStage {
    /** For the service loader. */
    public PekkoStage() {}

    @Override
    public String id() {
        return "pekko";
    }

    @Override
    public String label() {
        return "Pekko mapAsync";
    }

    @Override
    public String needs() {
        return "org.apache.pekko.stream.javadsl.Source";
    }

    @Override
    public void run(LongSupplier source, int workers, LongUnaryOperator work, LongConsumer output) throws Exception {
        Running.run(source, workers, work, output);
    }

    /** Apart, so that the stage itself can be loaded without its library. One system for all samples of a JVM. */
    private static final class Running {
        private static final ActorSystem SYSTEM = ActorSystem.create(
                "peer",
                ConfigFactory.parseMap(Map.of("pekko.daemonic", "on", "pekko.log-dead-letters", "off"))
                        .withFallback(ConfigFactory.load()));

        private Running() {}

        static void run(LongSupplier source, int workers, LongUnaryOperator work, LongConsumer output)
                throws Exception {
            Executor dispatcher = SYSTEM.dispatcher();
            Source.fromIterator(() -> new Items(source))
                    .mapAsync(
                            workers,
                            item -> CompletableFuture.supplyAsync(() -> work.applyAsLong(item), dispatcher))
                    .runForeach(output::accept, SYSTEM)
                    .toCompletableFuture()
                    .get();
        }
    }
}
