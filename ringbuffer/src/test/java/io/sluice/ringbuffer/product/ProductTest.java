package io.sluice.ringbuffer.product;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.testing.RandomPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs over all that a ring can do, each run by one thread at a time against a sequential model: see World. What
 * fails is made shorter until every step of it is needed, and printed.
 *
 * <p>{@code -Dio.sluice.product.steps=N} runs N steps, 100,000 otherwise; {@code -Dsluice.seed=S} the program of one
 * seed; {@code -Dio.sluice.product.text=T} one that was printed.
 */
@Tag("once")
@Timeout(value = 24, unit = TimeUnit.HOURS) // the programs have a watchdog of their own
class ProductTest {
    private static final int LENGTH = 120;

    /** The programs of the seeds from 1 on let every pair of features meet long before that. */
    private static final int MOST_FOR_PAIRS = 50_000;

    /**
     * Programs in which all pairs meet. They come first, to save the others their time; without them the rest finds the pairs too. Of the
     * seeds from 1 on until all pairs had met, each time the one was taken whose new pairs were the rarest.
     */
    private static final int[] SEEDS_OF_RARE_PAIRS = {
        17, 29, 136, 236, 331, 768, 823, 928, 1088, 1150, 2274, 3258, 3435, 4003, 4007, 4139, 4279, 4443, 4772, 4955,
        5190, 5218, 5286, 5380, 5475, 5485, 5581, 5619, 5621, 5637, 6281, 6477, 6663, 6738, 6842, 7291, 7370, 7831,
        8164, 8191, 8447, 8601, 8976, 9052, 9931, 10211, 10849, 10963, 11177, 11354
    };

    @Test
    @Tag("any-jdk")
    void everyProgramFollowsTheModel() throws Exception {
        RandomPrograms<Program> programs = programs(met -> {}).budget("io.sluice.product.steps", 100_000);
        String text = System.getProperty("io.sluice.product.text");
        if (text != null) {
            programs.run("-Dio.sluice.product.text", Program.parsed(text));
        } else {
            programs.run();
        }
    }

    @Test
    void everyPairOfFeaturesMeetsOrIsRefusedAsTheTableSays() throws Exception {
        Matrix matrix = new Matrix();
        RandomPrograms<Program> programs = programs(matrix::add);
        PrimitiveIterator.OfInt seeds = IntStream.concat(
                        IntStream.of(SEEDS_OF_RARE_PAIRS), IntStream.rangeClosed(1, MOST_FOR_PAIRS))
                .iterator();
        while (!matrix.open().isEmpty() && seeds.hasNext()) {
            int seed = seeds.nextInt();
            programs.run("-Dsluice.seed=" + seed, Program.of(seed, LENGTH));
        }
        assertThat(matrix.open())
                .as("pairs that never meet, and are not refused")
                .isEmpty();
        assertThat(matrix.wronglyMet())
                .as("pairs that meet, though the table says they are refused")
                .isEmpty();
        String document = Files.readString(Path.of("..", "docs", "testing.md"));
        assertThat(document)
                .as("the matrix in docs/testing.md")
                .contains("```text\n" + String.join("\n", Matrix.table()) + "\n```");
    }

    /** The one refusal of the table. */
    @Test
    void aRingIsOfTheKindThatTheBuilderWasToldLast() {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .singleProducer()
                .multiProducer()
                .build();
        assertThat(ring.producer()).isNotSameAs(ring.producer()); // a single one is refused a second time
    }

    /** Runs programs beside the model, and says which features met in each. */
    static RandomPrograms<Program> programs(Consumer<EnumSet<Feature>> met) {
        return RandomPrograms.of(seed -> Program.of(seed, LENGTH), program -> {
                    World world = new World(program, null);
                    world.run();
                    met.accept(world.met());
                    return world.steps;
                })
                .limit(Duration.ofSeconds(30))
                .describedBy(ProductTest::traced);
    }

    /** What happens step by step, and the program itself. */
    private static String traced(Program program) {
        List<String> trace = new CopyOnWriteArrayList<>();
        FutureTask<?> run = new FutureTask<>(
                () -> { // which keeps the failure to itself: it is known
                    new World(program, trace).run();
                    return null;
                });
        Thread thread = new Thread(run, "product-trace");
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join(3_000); // it may hang
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return program.ring() + "\n" + String.join("\n", trace) + "\n-Dio.sluice.product.text='" + program.text() + "'";
    }
}
