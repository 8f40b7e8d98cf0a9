package io.sluice.perf.ordered;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Another library's stage that works in parallel and puts out in order. Named in {@code META-INF/services}, each where its
 * library is: those of the optional profile {@code peers} in that profile's sources.
 */
interface Stage {
    /** The id that {@code --peers} names. */
    String id();

    /** The label for people. */
    String label();

    /** Whether it is there: not every JDK has every stage. */
    default boolean isAvailable() {
        return true;
    }

    /**
     * Runs items through it until the source ends and all are put out.
     *
     * @param source what comes next, below 0 at its end; one call at a time
     * @param workers how many items are worked on at once, at most
     * @param work makes a result of an item, in parallel
     * @param output takes the results in the order of the items
     * @throws Exception if it fails
     */
    void run(LongSupplier source, int workers, LongUnaryOperator work, LongConsumer output) throws Exception;

    /** Those on this class path and JDK, in the order of their ids. */
    static List<Stage> available() {
        List<Stage> stages = new ArrayList<>();
        ServiceLoader.load(Stage.class).forEach(stages::add);
        ServiceLoader.load(PeerStage.class).forEach(stages::add);
        stages.removeIf(stage -> !stage.isAvailable());
        stages.sort(java.util.Comparator.comparing(Stage::id));
        return stages;
    }
}
