package program;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.LiteTimeoutBlockingWaitStrategy;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.SleepingWaitStrategy;
import com.lmax.disruptor.TimeoutBlockingWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Asks each wait strategy to wait, by its own method and through a barrier, for each place of the cursor and of whom the consumer
 * follows, with and without an alert and an interrupt: wherever the Disruptor's would not wait for ever. Writes down what comes
 * back, and what is left of the interrupt.
 */
public final class WaitProgram {
    private static final long WANTED = 5;

    private final List<String> log = new ArrayList<>();

    private WaitProgram() {}

    /**
     * Runs it.
     *
     * @return what happened
     */
    public static List<String> run() {
        WaitProgram program = new WaitProgram();
        for (Map.Entry<String, WaitStrategy> one : strategies().entrySet()) {
            for (long cursor = WANTED - 1; cursor <= WANTED + 2; cursor++) {
                for (long followed = WANTED - 2; followed <= cursor; followed++) {
                    for (int flags = 0; flags < 4; flags++) {
                        program.step(one.getKey(), one.getValue(), cursor, followed, (flags & 1) > 0, (flags & 2) > 0);
                    }
                }
            }
        }
        return program.log;
    }

    private static Map<String, WaitStrategy> strategies() {
        Map<String, WaitStrategy> all = new LinkedHashMap<>();
        all.put("busy", new BusySpinWaitStrategy());
        all.put("yielding", new YieldingWaitStrategy());
        all.put("sleeping", new SleepingWaitStrategy());
        all.put("sleeping at once", new SleepingWaitStrategy(0, 1));
        all.put("blocking", new BlockingWaitStrategy());
        all.put("lite", new LiteBlockingWaitStrategy());
        all.put("timeout", new TimeoutBlockingWaitStrategy(1, TimeUnit.MILLISECONDS));
        all.put("lite timeout", new LiteTimeoutBlockingWaitStrategy(1, TimeUnit.MILLISECONDS));
        all.put("phased lock", PhasedBackoffWaitStrategy.withLock(1, 1, TimeUnit.MICROSECONDS));
        all.put("phased lite lock", PhasedBackoffWaitStrategy.withLiteLock(1, 1, TimeUnit.MICROSECONDS));
        all.put("phased sleep", PhasedBackoffWaitStrategy.withSleep(1, 1, TimeUnit.MICROSECONDS));
        all.put(
                "phased timeout",
                new PhasedBackoffWaitStrategy(
                        1, 1, TimeUnit.MICROSECONDS, new TimeoutBlockingWaitStrategy(1, TimeUnit.MILLISECONDS)));
        return all;
    }

    private void step(
            String name, WaitStrategy strategy, long cursor, long followed, boolean alerted, boolean interrupted) {
        boolean parks = name.contains("lock") || name.equals("lite") || name.contains("timeout");
        boolean sleeps = cursor < WANTED;
        boolean wakes = name.contains("timeout") || (interrupted && parks);
        boolean ends = followed >= WANTED || alerted || (sleeps && wakes);
        boolean eitherIsRight = sleeps && alerted && interrupted;
        if (!ends || eitherIsRight) {
            return;
        }
        Sequence cursorSequence = new Sequence(cursor);
        Sequence followedSequence = new Sequence(followed);
        SequenceBarrier barrier =
                RingBuffer.createMultiProducer(() -> "", 8, strategy).newBarrier();
        if (alerted) {
            barrier.alert();
        }
        tell(
                name + " " + cursor + " " + followed + " " + alerted + " " + interrupted,
                interrupted,
                () -> strategy.waitFor(WANTED, cursorSequence, followedSequence, barrier));

        RingBuffer<String> ring = RingBuffer.createSingleProducer(() -> "", 8, strategy);
        ring.publish(ring.next((int) cursor + 1));
        SequenceBarrier following = ring.newBarrier(followedSequence);
        if (alerted) {
            following.alert();
        }
        tell(
                name + " by its barrier " + following.getCursor() + " " + following.isAlerted(),
                interrupted,
                () -> following.waitFor(WANTED));
    }

    private interface Wait {
        long get() throws Exception;
    }

    private void tell(String name, boolean interrupted, Wait wait) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        String answer;
        try {
            answer = String.valueOf(wait.get());
        } catch (AlertException e) {
            answer = "alert";
        } catch (Exception e) {
            answer = e.getClass().getSimpleName();
        }
        log.add(name + ": " + answer + ", interrupted " + Thread.interrupted());
    }
}
