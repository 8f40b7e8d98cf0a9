package program;

import com.lmax.disruptor.EventTranslator;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.EventTranslatorThreeArg;
import com.lmax.disruptor.EventTranslatorTwoArg;
import com.lmax.disruptor.EventTranslatorVararg;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Publishes from arrays in each way there is, with each start and size about their bounds, and arrays that are too short, on a ring
 * with room and on one that is full; and writes down what comes back and what stands in the ring then.
 */
public final class ArrayProgram {
    private static final int SIZE = 4;

    private final List<String> log = new ArrayList<>();

    private ArrayProgram() {}

    /**
     * Runs it.
     *
     * @return what happened
     */
    public static List<String> run() {
        ArrayProgram program = new ArrayProgram();
        for (ProducerType type : ProducerType.values()) {
            for (int room = SIZE; room >= 0; room--) {
                for (int length = 0; length <= SIZE + 1; length++) {
                    program.whole(type, room, length);
                    for (int from = -1; from <= 3; from++) {
                        for (int count = -1; count <= SIZE + 1; count++) {
                            program.part(type, room, length, from, count);
                        }
                    }
                }
            }
        }
        return program.log;
    }

    private void whole(ProducerType type, int room, int length) {
        Object[] a = values("a", length);
        Object[] b = values("b", length + 1);
        Object[] c = values("c", length);
        String name = "all of " + length;
        tell(type, room, name + " 0", ring -> ring.tryPublishEvents(translators(length)));
        tell(type, room, name + " 1", ring -> ring.tryPublishEvents(one(), a));
        tell(type, room, name + " 2", ring -> ring.tryPublishEvents(two(), a, b));
        tell(type, room, name + " 2, the second shorter", ring -> ring.tryPublishEvents(two(), b, a));
        tell(type, room, name + " 3", ring -> ring.tryPublishEvents(three(), a, b, c));
        tell(type, room, name + " more", ring -> ring.tryPublishEvents(more(), rows(length)));
        if (room >= length) { // else it would wait
            tell(type, room, name + " 0", ring -> done(() -> ring.publishEvents(translators(length))));
            tell(type, room, name + " 1", ring -> done(() -> ring.publishEvents(one(), a)));
            tell(type, room, name + " 2", ring -> done(() -> ring.publishEvents(two(), a, b)));
            tell(type, room, name + " 3", ring -> done(() -> ring.publishEvents(three(), a, b, c)));
            tell(type, room, name + " more", ring -> done(() -> ring.publishEvents(more(), rows(length))));
        }
    }

    private void part(ProducerType type, int room, int length, int from, int count) {
        Object[] a = values("a", length);
        Object[] b = values("b", length + 1);
        Object[] c = values("c", length);
        String name = "of " + length + " from " + from + " " + count + " by";
        tell(type, room, name + " 0", ring -> ring.tryPublishEvents(translators(length), from, count));
        tell(type, room, name + " 1", ring -> ring.tryPublishEvents(one(), from, count, a));
        tell(type, room, name + " 2", ring -> ring.tryPublishEvents(two(), from, count, a, b));
        tell(type, room, name + " 2, the second shorter", ring -> ring.tryPublishEvents(two(), from, count, b, a));
        tell(type, room, name + " 3", ring -> ring.tryPublishEvents(three(), from, count, a, b, c));
        tell(type, room, name + " more", ring -> ring.tryPublishEvents(more(), from, count, rows(length)));
        if (room >= count) { // else it would wait
            tell(type, room, name + " 0", ring -> done(() -> ring.publishEvents(translators(length), from, count)));
            tell(type, room, name + " 1", ring -> done(() -> ring.publishEvents(one(), from, count, a)));
            tell(type, room, name + " 2", ring -> done(() -> ring.publishEvents(two(), from, count, a, b)));
            tell(type, room, name + " 3", ring -> done(() -> ring.publishEvents(three(), from, count, a, b, c)));
            tell(type, room, name + " more", ring -> done(() -> ring.publishEvents(more(), from, count, rows(length))));
        }
    }

    private void tell(ProducerType type, int room, String name, Function<RingBuffer<Object[]>, Object> call) {
        RingBuffer<Object[]> ring = RingBuffer.create(type, () -> new Object[] {"-"}, SIZE, new YieldingWaitStrategy());
        ring.addGatingSequences(new Sequence());
        for (int i = room; i < SIZE; i++) {
            ring.publish(ring.next());
        }
        Object answer;
        try {
            answer = call.apply(ring);
        } catch (RuntimeException e) {
            answer = e.getClass().getSimpleName();
        }
        StringBuilder slots = new StringBuilder();
        for (int i = 0; i < SIZE; i++) {
            slots.append(ring.get(i)[0]).append(' ');
        }
        log.add(type + " room " + room + " " + name + ": " + answer + ", cursor " + ring.getCursor() + ", room "
                + ring.remainingCapacity() + ", " + slots);
    }

    private static Object done(Runnable call) {
        call.run();
        return "done";
    }

    private static Object[] values(String name, int length) {
        Object[] values = new Object[length];
        Arrays.setAll(values, i -> name + i);
        return values;
    }

    private static Object[][] rows(int length) {
        Object[][] rows = new Object[length][];
        Arrays.setAll(rows, i -> values("row" + i + "-", i));
        return rows;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static EventTranslator<Object[]>[] translators(int length) {
        EventTranslator<Object[]>[] translators = new EventTranslator[length];
        Arrays.setAll(
                translators, i -> (EventTranslator<Object[]>) (event, sequence) -> event[0] = "t" + i + "@" + sequence);
        return translators;
    }

    private static EventTranslatorOneArg<Object[], Object> one() {
        return (event, sequence, a) -> event[0] = a + "@" + sequence;
    }

    private static EventTranslatorTwoArg<Object[], Object, Object> two() {
        return (event, sequence, a, b) -> event[0] = "" + a + b + "@" + sequence;
    }

    private static EventTranslatorThreeArg<Object[], Object, Object, Object> three() {
        return (event, sequence, a, b, c) -> event[0] = "" + a + b + c + "@" + sequence;
    }

    private static EventTranslatorVararg<Object[]> more() {
        return (event, sequence, args) -> event[0] = Arrays.toString(args) + "@" + sequence;
    }
}
