package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.ordered.TicketRefusedException.Reason;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random calls by one thread, each answer compared with a sequential model of a few lines. */
class OrderedSchedulerModelTest {
    private static final int CALLS = 200;

    /** What is expected: completed[t] is the line that ticket t will write, null while it is open. */
    private static final class Model {
        final int window;
        final List<@Nullable String> completed = new ArrayList<>();
        final List<String> lines = new ArrayList<>();
        int head;

        Model(int window) {
            this.window = window;
        }

        long tryNext() {
            if (completed.size() - head >= window) {
                return OrderedScheduler.FULL;
            }
            completed.add(null);
            return completed.size() - 1L;
        }

        @Nullable
        Reason finish(long ticket, String line) {
            if (ticket < 0 || ticket >= completed.size()) {
                return Reason.NOT_ISSUED;
            }
            if (ticket < head) {
                return Reason.LATE;
            }
            if (completed.get((int) ticket) != null) {
                return Reason.DUPLICATE;
            }
            completed.set((int) ticket, line);
            while (head < completed.size()) {
                String next = completed.get(head);
                if (next == null) {
                    break;
                }
                lines.add(next);
                head++;
            }
            return null;
        }
    }

    @Test
    void agreesWithTheModel() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, CALLS), program -> {
                    compare(program);
                    return program.size();
                })
                .budget("io.sluice.model.steps", 2_000 * CALLS)
                .from(20261121)
                .run();
    }

    private static void compare(SeededProgram program) {
        SplittableRandom random = program.random();
        int window = 1 << random.nextInt(8);
        List<String> lines = new ArrayList<>();
        List<Runnable> given = new ArrayList<>();
        OrderedSchedulerBuilder<String> builder = OrderedScheduler.builder(new OrderedHandler<String>() {
                    @Override
                    public void onCompleted(long ticket, String value) throws Exception {
                        lines.add(value);
                        if (value.endsWith("throws")) {
                            throw new Exception("as asked");
                        }
                    }

                    @Override
                    public void onFailed(long ticket, Throwable cause) {
                        lines.add(String.valueOf(cause.getMessage()));
                    }

                    @Override
                    public void onTrashed(long ticket) {
                        lines.add(ticket + " trashed");
                    }
                })
                .window(window)
                .tickets(random.nextBoolean() ? TicketMode.SINGLE : TicketMode.MANY)
                .onFailure(FailurePolicies.skip((cause, ticket, attempt) -> {}));
        if (random.nextBoolean()) {
            builder.unchecked();
        }
        if (random.nextBoolean()) {
            builder.batchLimit(1 + random.nextInt(4), given::add);
        }
        OrderedScheduler<String> scheduler = builder.build();
        Model model = new Model(window);
        for (int call : program.steps()) {
            random = program.random(call);
            if (random.nextInt(3) == 0) {
                assertThat(scheduler.tryNext()).as("call %d", call).isEqualTo(model.tryNext());
            } else {
                long ticket = model.head - 2L + random.nextInt(window + 4);
                String line = ticket + " " + call;
                Reason expected;
                Reason got;
                switch (random.nextInt(5)) {
                    case 0 -> {
                        expected = model.finish(ticket, ticket + " trashed");
                        got = reasonOf(() -> scheduler.trash(ticket));
                    }
                    case 1 -> {
                        expected = model.finish(ticket, line);
                        got = reasonOf(() -> scheduler.fail(ticket, new Exception(line)));
                    }
                    case 2 -> {
                        expected = model.finish(ticket, line);
                        got = reasonOf(() -> scheduler.run(ticket, () -> lines.add(line)));
                    }
                    case 3 -> {
                        expected = model.finish(ticket, line + " throws");
                        got = reasonOf(() -> scheduler.complete(ticket, line + " throws"));
                    }
                    default -> {
                        expected = model.finish(ticket, line);
                        got = reasonOf(() -> scheduler.complete(ticket, line));
                    }
                }
                assertThat(got).as("call %d, ticket %d", call, ticket).isEqualTo(expected);
                while (!given.isEmpty()) {
                    given.remove(0).run();
                }
            }
            assertThat(lines).as("call %d", call).hasSize(model.lines.size());
        }
        assertThat(lines).isEqualTo(model.lines);
        scheduler.close();
        TicketTotals account = scheduler.totals();
        assertThat(account.settled()).isTrue();
        assertThat(account.issued()).isEqualTo(model.completed.size());
        long left = model.completed.stream()
                .skip(model.head)
                .filter(java.util.Objects::nonNull)
                .count();
        assertThat(account.discarded()).isEqualTo(left);
        assertThat(account.delivered() + account.failed() + account.trashed() + account.expired())
                .isEqualTo(model.head);
        assertThat(account.open()).isEqualTo(model.completed.size() - model.head - left);
    }

    private static @Nullable Reason reasonOf(Runnable call) {
        try {
            call.run();
            return null;
        } catch (TicketRefusedException e) {
            return e.reason();
        }
    }
}
