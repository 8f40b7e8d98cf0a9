package io.sluice.ringbuffer.product;

import io.sluice.ringbuffer.product.Op.Kind;
import io.sluice.testing.RandomProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A ring, and what is done with it.
 *
 * @param salt what the events' content is made of
 */
@SuppressWarnings({"EnumOrdinal", "StringSplitter"}) // a program is written as numbers between fixed separators
record Program(
        int capacity,
        int retain,
        boolean single,
        boolean tracked,
        boolean shed,
        boolean watched,
        int idle,
        long salt,
        Item.Kind slots,
        List<Op> ops)
        implements RandomProgram<Program> {

    /** The first of the threads that a step may ask for which are the other one: see World. */
    private static final int ON_THE_OTHER = 44;

    /** How many messages the smallest ring holds. */
    private static final int SMALLEST_OF_MESSAGES = 4;

    /** The program of a seed. Each has its own mixture of operations, so that some have much of a few. */
    static Program of(long seed, int steps) {
        SplittableRandom random = new SplittableRandom(seed);
        int capacity = 1 << random.nextInt(5);
        int retain = random.nextInt(3) == 0 ? random.nextInt(capacity) : 0;
        // of its own, so that what else a seed gives is the same with all kinds
        SplittableRandom own = new SplittableRandom(~seed);
        int drawn = own.nextInt(4);
        Item.Kind slots = drawn == 0 ? Item.Kind.BYTES : drawn == 1 ? Item.Kind.MESSAGES : Item.Kind.OBJECTS;
        boolean messages = slots == Item.Kind.MESSAGES;
        List<Op> ops = new ArrayList<>();
        Theme theme = Theme.values()[random.nextInt(Theme.values().length)];
        boolean shed = random.nextInt(4) == 0
                || ((theme == Theme.DROPPING || theme == Theme.WAITING_DROPPING) && random.nextBoolean());
        int declared = 1 + random.nextInt(4);
        for (int i = 0; i < declared; i++) {
            ops.add(theme.bent(op(Kind.DECLARE, random), random));
        }
        if (random.nextInt(4) == 0) {
            ops.add(op(Kind.CLEAR, random));
        }
        for (int i = random.nextInt(4) - 1; i > 0; i--) { // accepted before the first claim only
            ops.add(op(Kind.GATE, random));
        }
        int early = random.nextInt(8) == 0 ? random.nextInt(6) : 0;
        int[] weights = weights(random);
        for (int i = 0; i < early; i++) {
            ops.add(op(pick(weights, random), random));
        }
        ops.add(op(Kind.START, random));
        while (ops.size() < steps) {
            ops.add(theme.bent(op(pick(weights, random), random), random));
        }
        if (messages && shed && own.nextBoolean()) {
            ops.replaceAll(op -> needsMoreRoom(op, own));
        }
        return new Program(
                messages ? Math.max(SMALLEST_OF_MESSAGES, capacity) : capacity,
                messages ? 0 : retain,
                random.nextBoolean(),
                random.nextInt(3) == 0,
                shed,
                random.nextInt(4) == 0,
                random.nextInt(3),
                seed,
                slots,
                List.copyOf(ops));
    }

    /** What some programs have more of, so that rare things meet. */
    private enum Theme {
        NONE,
        ALSO_NONE,
        FINISHING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return switch (op.kind()) {
                    case DECLARE ->
                        new Op(
                                op.kind(),
                                op.a(),
                                random.nextBoolean() ? 0b01010101 : op.b(),
                                op.c(),
                                op.d() | 1 << 9,
                                op.thread());
                    case ARM ->
                        random.nextBoolean()
                                ? new Op(op.kind(), op.a(), 46 + random.nextInt(10), 0, 1 + 2 * random.nextInt(100), 0)
                                : op;
                    default -> op;
                };
            }
        },
        WORKING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return op.kind() == Kind.DECLARE && random.nextBoolean()
                        ? new Op(op.kind(), 6, op.b(), op.c(), op.d(), op.thread())
                        : op.kind() == Kind.JOIN && random.nextBoolean()
                                ? new Op(Kind.SHARE, op.a(), op.b(), op.c(), op.d(), op.thread())
                                : op;
            }
        },
        RECOVERING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return op.kind() == Kind.CLAIM && random.nextInt(3) == 0
                        ? new Op(op.kind(), op.a(), op.b(), op.c(), op.d(), 50 + random.nextInt(14))
                        : op.kind() == Kind.DUMP || op.kind() == Kind.PAUSE
                                ? new Op(Kind.WATCH, op.a(), op.b(), op.c(), op.d(), op.thread())
                                : op;
            }
        },
        CHAINED {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return op.kind() == Kind.DECLARE && random.nextInt(3) > 0
                        ? new Op(
                                op.kind(),
                                random.nextInt(6),
                                0b0101 << (2 * random.nextInt(4)),
                                op.c(),
                                op.d(),
                                op.thread())
                        : op;
            }
        },
        BATCHED {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return op.kind() == Kind.DECLARE && random.nextBoolean()
                        ? new Op(op.kind(), 3, op.b(), op.c(), op.d(), op.thread())
                        : op.kind() == Kind.ARM && random.nextInt(4) == 0
                                ? new Op(op.kind(), op.a(), 60, 0, op.d(), 0)
                                : op;
            }
        },
        DROPPING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return (op.kind() == Kind.CLAIM && random.nextInt(3) == 0)
                                || (op.kind() == Kind.EVENT && random.nextInt(3) > 0)
                        ? new Op(Kind.DROP, op.a(), op.b(), op.c(), op.d(), op.thread())
                        : op;
            }
        },
        WAITING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return switch (op.kind()) {
                    case PRODUCER, EVENT ->
                        new Op(op.kind(), op.a(), op.b(), op.c(), op.d(), ON_THE_OTHER + random.nextInt(14));
                    case CLAIM -> {
                        int drawn = random.nextInt(4);
                        int how = drawn == 0
                                ? 3 + random.nextInt(2)
                                : drawn == 1 ? 12 + random.nextInt(4) : random.nextInt(16);
                        yield random.nextBoolean()
                                ? new Op(
                                        op.kind(),
                                        op.a(),
                                        op.b(),
                                        3 + random.nextInt(2),
                                        1 + 4 * (how + 16 * random.nextInt(64)),
                                        ON_THE_OTHER + random.nextInt(14))
                                : op;
                    }
                    case PUBLISH ->
                        random.nextInt(4) == 0
                                ? new Op(op.kind(), op.a(), op.b(), op.c(), 6 + 16 * random.nextInt(256), op.thread())
                                : op;
                    case RUN -> new Op(op.kind(), op.a(), op.b(), op.c(), op.d(), 0);
                    case DUMP ->
                        random.nextInt(4) == 0 ? new Op(Kind.CLOSE, op.a(), op.b(), op.c(), op.d(), op.thread()) : op;
                    default -> op;
                };
            }
        },
        WAITING_DROPPING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                Op waits = WAITING.bent(op, random);
                return waits.kind() == Kind.EVENT && random.nextInt(3) == 0
                        ? new Op(Kind.DROP, waits.a(), waits.b(), waits.c(), waits.d(), waits.thread())
                        : waits;
            }
        },
        LEAVING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return switch (op.kind()) {
                    case DECLARE ->
                        random.nextInt(3) == 0
                                ? new Op(Kind.PRODUCER, op.a(), op.b(), op.c(), op.d(), op.thread())
                                : op;
                    case JOIN, PAUSE, RESUME, DUMP, LATEST, AWAIT ->
                        random.nextBoolean() ? new Op(Kind.REMOVE, op.a(), op.b(), op.c(), op.d(), op.thread()) : op;
                    case GATE -> new Op(op.kind(), op.a(), 7, 1 + op.c() % 7, op.d(), op.thread());
                    case EVENT ->
                        random.nextInt(4) == 0 ? new Op(Kind.CLAIM, op.a(), op.b(), op.c(), op.d(), op.thread()) : op;
                    default -> op;
                };
            }
        },
        FAILING {
            @Override
            Op bent(Op op, SplittableRandom random) {
                return op.kind() == Kind.ARM
                        ? new Op(op.kind(), op.a(), 2 + random.nextInt(28), op.c(), op.d(), op.thread())
                        : op;
            }
        };

        Op bent(Op op, SplittableRandom random) {
            return op;
        }
    }

    /** Has messages dropped for longer ones, which need the room of several, also while a handler is at work on an earlier one. */
    private static Op needsMoreRoom(Op op, SplittableRandom random) {
        return switch (op.kind()) {
            case CLAIM, DROP ->
                random.nextBoolean()
                        ? new Op(
                                Kind.DROP,
                                op.a(),
                                1 + 4 * random.nextInt(7),
                                3 + 12 * (8 + random.nextInt(3)),
                                op.d(),
                                op.thread())
                        : op;
            case ARM ->
                random.nextInt(3) == 0
                        ? new Op(op.kind(), op.a(), 30 + random.nextInt(16), 0, random.nextInt(6), 0)
                        : op;
            default -> op;
        };
    }

    private static Op op(Kind kind, SplittableRandom random) {
        return new Op(
                kind,
                random.nextInt(1 << 12),
                random.nextInt(1 << 12),
                random.nextInt(1 << 12),
                random.nextInt(1 << 12),
                random.nextInt(1 << 6));
    }

    private static int[] weights(SplittableRandom random) {
        int[] weights = new int[Kind.values().length];
        for (Kind kind : Kind.values()) {
            int weight = switch (kind) {
                case DECLARE, CLEAR, START -> 0;
                case PRODUCER -> 3;
                case CLAIM -> 14;
                case PUBLISH -> 16;
                case EVENT -> 14;
                case WRAP -> 1;
                case DROP -> 6;
                case CLOSE_PRODUCER -> 2;
                case WATCH -> 4;
                case RUN -> 44;
                case ARM -> 14;
                case JOIN -> 6;
                case SHARE -> 2;
                case REMOVE -> 4;
                case PAUSE -> 2;
                case RESUME -> 3;
                case HALT, END_PROCESSOR -> 0;
                case DRAIN, CLOSE -> 0;
                case AWAIT -> 2;
                case DUMP -> 1;
                case LATEST -> 1;
                case GATE -> 3;
                case STRANGER -> 3;
                case WATCHDOG -> 3;
            };
            weights[kind.ordinal()] = weight * (random.nextInt(4) == 0 ? 0 : random.nextInt(5) == 0 ? 40 : 10);
        }
        weights[Kind.RUN.ordinal()] = Math.max(weights[Kind.RUN.ordinal()], 100);
        weights[Kind.EVENT.ordinal()] = Math.max(weights[Kind.EVENT.ordinal()], 40);
        for (Kind last : List.of(Kind.HALT, Kind.END_PROCESSOR, Kind.DRAIN, Kind.CLOSE)) {
            weights[last.ordinal()] = random.nextInt(4) == 0 ? 8 : 0;
        }
        return weights;
    }

    private static Kind pick(int[] weights, SplittableRandom random) {
        int sum = 0;
        for (int weight : weights) {
            sum += weight;
        }
        int at = random.nextInt(sum);
        for (Kind kind : Kind.values()) {
            at -= weights[kind.ordinal()];
            if (at < 0) {
                return kind;
            }
        }
        throw new AssertionError("no kind");
    }

    @Override
    public int size() {
        return ops.size();
    }

    @Override
    public Program keep(List<Integer> steps) {
        return with(steps.stream().map(ops::get).toList());
    }

    private Program with(List<Op> others) {
        return new Program(capacity, retain, single, tracked, shed, watched, idle, salt, slots, List.copyOf(others));
    }

    /** Programs that are one thing simpler. */
    @Override
    public List<Program> simpler() {
        List<Program> all = new ArrayList<>();
        if (slots != Item.Kind.OBJECTS) {
            all.add(new Program(capacity, retain, single, tracked, shed, watched, idle, salt, Item.Kind.OBJECTS, ops));
        }
        if (watched) {
            all.add(new Program(capacity, retain, single, tracked, shed, false, idle, salt, slots, ops));
        }
        if (shed) {
            all.add(new Program(capacity, retain, single, tracked, false, watched, idle, salt, slots, ops));
        }
        if (tracked) {
            all.add(new Program(capacity, retain, single, false, shed, watched, idle, salt, slots, ops));
        }
        if (retain > 0) {
            all.add(new Program(capacity, 0, single, tracked, shed, watched, idle, salt, slots, ops));
        }
        if (idle > 0) {
            all.add(new Program(capacity, retain, single, tracked, shed, watched, 0, salt, slots, ops));
        }
        int smallest = slots == Item.Kind.MESSAGES ? SMALLEST_OF_MESSAGES : 1;
        if (capacity > smallest && retain < capacity / 2) {
            all.add(new Program(capacity / 2, retain, single, tracked, shed, watched, idle, salt, slots, ops));
        }
        for (int i = 0; i < ops.size(); i++) {
            Op op = ops.get(i);
            if (op.thread() != 0) {
                all.add(changed(i, new Op(op.kind(), op.a(), op.b(), op.c(), op.d(), 0)));
            }
            if (op.d() != 0) {
                all.add(changed(i, new Op(op.kind(), op.a(), op.b(), op.c(), 0, op.thread())));
            }
            if (op.c() != 0) {
                all.add(changed(i, new Op(op.kind(), op.a(), op.b(), 0, op.d(), op.thread())));
            }
            if (op.b() != 0) {
                all.add(changed(i, new Op(op.kind(), op.a(), 0, op.c(), op.d(), op.thread())));
            }
            if (op.a() != 0) {
                all.add(changed(i, new Op(op.kind(), 0, op.b(), op.c(), op.d(), op.thread())));
            }
        }
        return all;
    }

    private Program changed(int index, Op op) {
        List<Op> changed = new ArrayList<>(ops);
        changed.set(index, op);
        return with(changed);
    }

    /** In one line, for {@link #parsed}. */
    String text() {
        StringBuilder text = new StringBuilder(capacity + " " + retain + " " + single + " " + tracked + " " + shed + " "
                + watched + " " + idle + " " + salt
                + (slots == Item.Kind.OBJECTS ? "" : " " + slots.name().toLowerCase(Locale.ROOT)));
        for (Op op : ops) {
            text.append("; ")
                    .append(op.kind())
                    .append(' ')
                    .append(op.a())
                    .append(' ')
                    .append(op.b())
                    .append(' ');
            text.append(op.c()).append(' ').append(op.d()).append(' ').append(op.thread());
        }
        return text.toString();
    }

    static Program parsed(String text) {
        String[] parts = text.split("; ");
        String[] head = parts[0].split(" ");
        List<Op> ops = new ArrayList<>();
        for (int i = 1; i < parts.length; i++) {
            String[] op = parts[i].split(" ");
            ops.add(new Op(
                    Kind.valueOf(op[0]),
                    Integer.parseInt(op[1]),
                    Integer.parseInt(op[2]),
                    Integer.parseInt(op[3]),
                    Integer.parseInt(op[4]),
                    Integer.parseInt(op[5])));
        }
        return new Program(
                Integer.parseInt(head[0]),
                Integer.parseInt(head[1]),
                Boolean.parseBoolean(head[2]),
                Boolean.parseBoolean(head[3]),
                Boolean.parseBoolean(head[4]),
                Boolean.parseBoolean(head[5]),
                Integer.parseInt(head[6]),
                Long.parseLong(head[7]),
                head.length > 8 ? Item.Kind.valueOf(head[8].toUpperCase(Locale.ROOT)) : Item.Kind.OBJECTS,
                ops);
    }

    String ring() {
        return "ring of " + capacity + (single ? ", single producer" : ", many producers")
                + (slots == Item.Kind.OBJECTS ? "" : ", of " + slots.name().toLowerCase(Locale.ROOT))
                + (retain > 0 ? ", retains " + retain : "")
                + (tracked ? ", trackClaims" : "")
                + (shed ? ", shedding" : "")
                + (watched ? ", onAbandonedClaim(1 ns)" : "")
                + (idle == 0 ? "" : idle == 1 ? ", timed idle" : ", exact idle");
    }
}
