package io.sluice.ringbuffer.product;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.RingBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs over all that a ring can do, each run by one thread at a time against a sequential model: see World. What
 * fails is made shorter until every step of it is needed, and printed.
 *
 * <p>{@code -Dio.sluice.product.steps=N} runs N steps, 100,000 otherwise; {@code -Dsluice.seed=S} the program of one
 * seed; {@code -Dio.sluice.product.text=T} one that was printed.
 */
@Timeout(value = 24, unit = TimeUnit.HOURS) // the programs have a watchdog of their own
class ProductTest {
    private static final int LENGTH = 120;
    private static final long HANGS_SECONDS = 30;

    /** The programs of the seeds from 1 on let every pair of features meet long before that. */
    private static final int MOST_FOR_PAIRS = 8_000;

    @Test
    void everyProgramFollowsTheModel() throws Exception {
        String text = System.getProperty("io.sluice.product.text");
        if (text != null) {
            follows("-Dio.sluice.product.text", Program.parsed(text));
            return;
        }
        Long given = Long.getLong("sluice.seed");
        if (given != null) {
            follows("-Dsluice.seed=" + given, Program.of(given, LENGTH));
            return;
        }
        long steps = Long.getLong("io.sluice.product.steps", 100_000);
        long seed = new SplittableRandom().nextLong();
        for (long done = 0; done < steps; seed++) {
            done += follows("-Dsluice.seed=" + seed, Program.of(seed, LENGTH)).steps;
        }
    }

    @Test
    void everyPairOfFeaturesMeetsOrIsRefusedAsTheTableSays() throws Exception {
        Matrix matrix = new Matrix();
        for (int seed = 1; !matrix.open().isEmpty() && seed <= MOST_FOR_PAIRS; seed++) {
            matrix.add(follows("-Dsluice.seed=" + seed, Program.of(seed, LENGTH)).met);
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
        RingBuffer<long[]> ring = RingBuffer.builder(() -> new long[1])
                .singleProducer()
                .multiProducer()
                .build();
        assertThat(ring.producer()).isNotSameAs(ring.producer()); // a single one is refused a second time
    }

    private static Result follows(String how, Program program) throws Exception {
        Result result = run(program, null, HANGS_SECONDS);
        if (result.failure != null) {
            throw failed(how, program, result);
        }
        return result;
    }

    record Result(@Nullable Throwable failure, int steps, EnumSet<Feature> met) {}

    private static ExecutorService runner = newRunner();

    private static ExecutorService newRunner() {
        return Executors.newSingleThreadExecutor(body -> {
            Thread thread = new Thread(body, "product");
            thread.setDaemon(true);
            return thread;
        });
    }

    static Result run(Program program, @Nullable List<String> trace, long seconds) throws InterruptedException {
        World world = new World(program, trace);
        Future<?> running = runner.submit(() -> {
            world.run();
            return null;
        });
        try {
            running.get(seconds, TimeUnit.SECONDS);
            return new Result(null, world.steps, world.met());
        } catch (ExecutionException e) {
            return new Result(e.getCause(), world.steps, world.met());
        } catch (TimeoutException e) {
            running.cancel(true);
            runner.shutdownNow();
            runner = newRunner();
            return new Result(new AssertionError("hangs in step " + world.steps), world.steps, world.met());
        }
    }

    /** What fails, without the numbers. */
    private static String kind(Throwable failure) {
        return failure.toString()
                .replaceAll("\\[[^\\]]*\\]", "")
                .replaceAll("[a-z]?-?[0-9]+", "")
                .replaceAll("(?s)(: .{60}).*", "$1");
    }

    static AssertionError failed(String how, Program program, Result result) throws InterruptedException {
        Program shortest = program;
        Throwable failure = result.failure;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        boolean shorter = true;
        while (shorter && System.nanoTime() < deadline) {
            shorter = false;
            for (int size = Math.max(1, shortest.ops().size() / 2); size > 0; size /= 2) {
                for (int at = 0; at + size <= shortest.ops().size(); ) {
                    List<Op> fewer = new ArrayList<>(shortest.ops());
                    fewer.subList(at, at + size).clear();
                    Program tried = shortest.with(fewer);
                    Throwable still = run(tried, null, 3).failure;
                    if (still != null && kind(still).equals(kind(Objects.requireNonNull(failure)))) {
                        shortest = tried;
                        failure = still;
                        shorter = true;
                    } else {
                        at += size;
                    }
                }
            }
            boolean simpler = true;
            while (simpler && System.nanoTime() < deadline) {
                simpler = false;
                for (Program tried : shortest.simpler()) {
                    Throwable still = run(tried, null, 3).failure;
                    if (still != null && kind(still).equals(kind(Objects.requireNonNull(failure)))) {
                        shortest = tried;
                        failure = still;
                        simpler = true;
                        shorter = true;
                        break;
                    }
                }
            }
        }
        List<String> trace = new ArrayList<>();
        Throwable last = run(shortest, trace, 3).failure;
        StringBuilder text = new StringBuilder(how + " fails: " + (last == null ? failure : last) + "\n  "
                + shortest.ring() + ", " + shortest.ops().size() + " steps");
        for (String line : List.copyOf(trace)) {
            text.append("\n  ").append(line);
        }
        text.append("\n  ").append(shortest.text());
        return new AssertionError(text.toString(), last == null ? failure : last);
    }
}
