package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever begins to gate a ring in use gets each event behind the place where it begins, and none that was written over. */
@Tag("concurrency")
class JoinersTest {
    @Test
    void whoJoinsWhileTheOneProducerHasClaimsOpenGetsTheirEvents() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 4);
        for (int i = 0; i < 3; i++) {
            ring.publish(claim(ring));
        }
        long first = claim(ring);
        long second = claim(ring);
        Joiner joiner = new Joiner(ring);
        ring.publish(first);
        ring.publish(second);
        while (ring.hasAvailableCapacity(1)) {
            ring.publish(claim(ring));
        }
        assertThat(joiner.poll()).isEqualTo(4);
        assertThat(ring.getCursor()).isEqualTo(6);
    }

    /** Claims, publications, joiners that come, read and leave, in random order on one thread, beside a model of the room. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void noJoinerFindsAnEventWrittenOverInAnyOrderOfSteps(ProducerType type) throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println("JoinersTest: -Dsluice.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int program = 0; program < 2_000; program++) {
            int size = 1 << random.nextInt(4);
            RingBuffer<long[]> ring = RingBuffer.create(type, () -> new long[1], size, new YieldingWaitStrategy());
            Deque<Long> open = new ArrayDeque<>();
            List<Joiner> joiners = new ArrayList<>();
            long claimed = -1;
            for (int step = 0; step < 100; step++) {
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> {
                        long room = size - (claimed - slowest(joiners, claimed));
                        if (open.size() < size) { // a program that claims more writes over its own claims
                            boolean granted = ring.hasAvailableCapacity(1);
                            assertThat(granted)
                                    .as("program %d of seed %d", program, seed)
                                    .isEqualTo(room > 0);
                            if (granted) {
                                claimed = claim(ring);
                                open.add(claimed);
                            }
                        }
                    }
                    case 3, 4 -> {
                        if (!open.isEmpty()) {
                            ring.publish(open.remove());
                        }
                    }
                    case 5 -> joiners.add(new Joiner(ring));
                    case 6 -> {
                        for (Joiner joiner : joiners) {
                            joiner.poll();
                        }
                    }
                    default -> {
                        if (!joiners.isEmpty()) {
                            Joiner leaves = joiners.remove(random.nextInt(joiners.size()));
                            leaves.poll();
                            assertThat(leaves.leave()).isTrue();
                        }
                    }
                }
            }
        }
    }

    private static long slowest(List<Joiner> joiners, long claimed) {
        return joiners.stream()
                .mapToLong(joiner -> joiner.poller.getSequence().get())
                .reduce(claimed, Math::min);
    }

    /** In a ring of one slot each claim looks at who gates, right after a publication that is but a store. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void noJoinerFindsAnEventWrittenOverWhileTheProducerRuns(ProducerType type) throws Exception {
        RingBuffer<long[]> ring = RingBuffer.create(type, () -> new long[1], 1, new BusySpinWaitStrategy());
        AtomicBoolean over = new AtomicBoolean();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            while (!over.get()) {
                ring.publish(claim(ring));
            }
        });
        producer.start();
        try {
            for (int round = 0; round < 10_000; round++) {
                Joiner joiner = new Joiner(ring);
                long limit = System.nanoTime() + SECONDS.toNanos(30);
                while (joiner.poll() == 0) {
                    assertThat(System.nanoTime()).isLessThan(limit);
                    Thread.onSpinWait();
                }
                assertThat(joiner.leave()).isTrue();
            }
        } finally {
            over.set(true);
        }
        producer.join(30_000);
        assertThat(producer.isAlive()).isFalse();
    }

    /** Claims, and writes its number into the slot at once. */
    private static long claim(RingBuffer<long[]> ring) {
        long sequence = ring.next();
        ring.get(sequence)[0] = sequence;
        return sequence;
    }

    /** Gates from its making on, and checks what it reads. */
    private static final class Joiner {
        private final RingBuffer<long[]> ring;
        private final EventPoller<long[]> poller;
        private long next;

        Joiner(RingBuffer<long[]> ring) {
            this.ring = ring;
            poller = ring.newPoller();
            ring.addGatingSequences(poller.getSequence());
            next = poller.getSequence().get() + 1;
        }

        int poll() throws Exception {
            int[] read = {0};
            poller.poll((event, sequence, endOfBatch) -> {
                assertThat(sequence).isEqualTo(next++);
                assertThat(event[0]).as("the number of the event").isEqualTo(sequence);
                read[0]++;
                return true;
            });
            return read[0];
        }

        boolean leave() {
            return ring.removeGatingSequence(poller.getSequence());
        }
    }
}
