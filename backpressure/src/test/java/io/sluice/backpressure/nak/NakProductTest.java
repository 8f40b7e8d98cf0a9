package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.testing.RandomProgram;
import io.sluice.testing.RandomPrograms;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs over all that NAKs can do at once, in virtual time: a sender that starts again, leaves receivers behind and
 * takes them back, and cannot hear for a while; receivers with suppression that fill up, drain, stop and go on, leave, start again, forget
 * the session and lie; all of them standing still; a network that loses, delays and repeats. The shipped controller, monitors, signs of
 * life, suppressions and codec run against a simple model:
 *
 * <ul>
 *   <li>What counts: a NAK counts if its session is the sender's, its receiver is not left behind, and its positions were sent.
 *       The controller's counters agree with the model's after each step.
 *   <li>What does not count changes nothing: a twin of the controller, which is handed only what counts, has the same rate, loop,
 *       window and silence after each step.
 *   <li>Who is silent and who is back, with position and time, is told when the {@link SilenceModel} says so. The twin watches nobody, so
 *       signs of life and silence change no rate.
 *   <li>A full receiver that counts pauses the sender at once.
 *   <li>Nobody is silenced by what does not count: if an honest receiver has been at or above the lowest level for so long, then
 *       the sender has heard a NAK that counts, of it or of another one, at least as strong. (On a network that loses nothing.)
 *   <li>What an honest receiver says was true a moment ago: since then there was time for three back-offs and a few steps at most.
 * </ul>
 *
 * <p>{@link RandomPrograms} runs them; {@code io.sluice.naks.steps} says how many steps.
 */
@Tag("once")
class NakProductTest {
    private static final int PROGRAM = 250;
    private static final int RECEIVERS = 6;
    private static final long STREAM = 3;
    private static final long CAPACITY = 1_000;
    private static final long TICK = 50_000;
    private static final long REFRESH = 1_000_000;
    private static final long BACK_OFF = 400_000;
    private static final long DELAY = 100_000;
    private static final long SIGN = 1_000_000;
    private static final long SILENT_AFTER = 3_000_000;

    /** The receiver that is left behind as soon as it is silent. */
    private static final long NOT_WAITED_FOR = RECEIVERS - 1;

    /** What happens in a step; the number says to whom, how much, which. */
    private record Step(What what, int who, int much) {}

    private enum What {
        TICK,
        SEND,
        FILL,
        DRAIN,
        LEAVE_BEHIND,
        TAKE_BACK,
        SENDER_RESTARTS,
        EVERYTHING_STANDS_STILL,
        SENDER_CANNOT_HEAR,
        RECEIVER_STOPS_OR_GOES_ON,
        RECEIVER_LEAVES,
        RECEIVER_RESTARTS,
        RECEIVER_FORGETS_SESSION,
        LIE_AHEAD,
        LIE_FULL,
        LIE_ALIVE,
        REPEAT_OLD
    }

    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    @Test
    @Timeout(600)
    void randomProgramsAgreeWithTheModel() throws Exception {
        long[] counts = new long[5];
        RandomPrograms.Totals totals = RandomPrograms.of(seed -> new Program(seed, steps(seed)), program -> {
                    World world = new World(program.seed);
                    world.run(program.steps);
                    counts[0] += world.counted;
                    counts[1] += world.refused;
                    counts[2] += world.silenced();
                    counts[3] += world.silences + world.silence.silences();
                    counts[4] += world.returns + world.silence.returns();
                    return program.size();
                })
                .budget("io.sluice.naks.steps", 100_000)
                .from(1)
                .run();
        if (!totals.replay()) {
            assertThat(counts[0]).as("NAKs that counted").isGreaterThan(100);
            assertThat(counts[1]).as("NAKs that did not").isGreaterThan(100);
            assertThat(counts[2]).as("NAKs that were not sent").isGreaterThan(100);
            assertThat(counts[3]).as("receivers that fell silent").isGreaterThan(100);
            assertThat(counts[4]).as("receivers that came back").isGreaterThan(100);
        }
    }

    private record Program(long seed, List<Step> steps) implements RandomProgram<Program> {
        @Override
        public int size() {
            return steps.size();
        }

        @Override
        public Program keep(List<Integer> kept) {
            return new Program(seed, kept.stream().map(steps::get).toList());
        }
    }

    private static List<Step> steps(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        What[] all = What.values();
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < PROGRAM; i++) {
            int dice = random.nextInt(100);
            What what = dice < 45
                    ? What.TICK
                    : dice < 60
                            ? What.SEND
                            : dice < 72
                                    ? What.FILL
                                    : dice < 78
                                            ? What.DRAIN
                                            : dice < 83
                                                    ? What.RECEIVER_STOPS_OR_GOES_ON
                                                    : all[random.nextInt(all.length)];
            steps.add(new Step(what, random.nextInt(RECEIVERS), random.nextInt(1, 1_000)));
        }
        return steps;
    }

    private record Packet(long due, Nak nak) {}

    /** A sender, its receivers, and the group that they speak on. */
    private static final class World {
        private final SplittableRandom random;
        private final boolean lossless;
        private final List<Packet> toSender = new ArrayList<>();
        private final List<Nak> said = new ArrayList<>();
        private final Receiver[] receivers = new Receiver[RECEIVERS];
        private long now;
        private long session = 1_000;
        private long sent;
        private Side real;
        private Side twin;
        private long ignored;
        private long otherSession;
        private long impossible;
        private long naks;
        private long counted;
        private long refused;
        private final boolean[] full =
                new boolean[RECEIVERS]; // the last that counted of it in this step said 100 percent
        private final List<String> told = new ArrayList<>();
        private final List<Long> silentOnes = new ArrayList<>(); // that are to be left behind at the twin too
        private SilenceModel silence;
        private long silences;
        private long returns;
        private final boolean[] setBack =
                new boolean[RECEIVERS]; // its positions may be behind what it or a lie has said: old for four epochs
        private boolean deaf;
        private int liesOfThisTick;

        World(long seed) {
            random = new SplittableRandom(~seed);
            lossless = random.nextInt(3) > 0;
            silence = new SilenceModel(SILENT_AFTER, session, RECEIVERS, now);
            real = new Side(true);
            twin = new Side(false);
            for (int i = 0; i < RECEIVERS; i++) {
                receivers[i] = new Receiver(i, random.nextLong());
            }
        }

        void run(List<Step> program) {
            for (Step step : program) {
                take(step);
            }
        }

        private long silenced() {
            long sum = 0;
            for (Receiver receiver : receivers) {
                sum += receiver.suppression.suppressedNaks();
            }
            return sum;
        }

        private void take(Step step) {
            Receiver receiver = receivers[step.who];
            boolean lie = step.what.name().startsWith("LIE_") || step.what == What.REPEAT_OLD;
            if (lie && liesOfThisTick++ >= 1) {
                return; // more than the controller looks at in a millisecond is another story
            }
            switch (step.what) {
                case TICK -> {
                    for (int i = 0; i <= step.much % 8; i++) {
                        tick();
                    }
                }
                case SEND -> {
                    sent += step.much;
                    for (Receiver each : receivers) {
                        if (random.nextInt(8) > 0) {
                            each.arrived();
                        }
                    }
                }
                case FILL -> receiver.fill = Math.min(CAPACITY, receiver.fill + step.much);
                case DRAIN -> receiver.drain(step.much);
                case LEAVE_BEHIND -> {
                    if (!real.controller.isLeftBehind(step.who)) {
                        silence.forget(step.who);
                    }
                    real.controller.leaveBehind(step.who);
                    twin.controller.leaveBehind(step.who);
                }
                case TAKE_BACK -> {
                    if (real.controller.readmit(step.who) != twin.controller.readmit(step.who)) {
                        throw new Failure("taken back or not");
                    }
                }
                case SENDER_RESTARTS -> {
                    session++;
                    sent = step.much % 3 == 0 ? sent : step.much;
                    ignored = 0;
                    otherSession = 0;
                    impossible = 0;
                    naks = 0;
                    silences += silence.silences();
                    returns += silence.returns();
                    silence = new SilenceModel(SILENT_AFTER, session, RECEIVERS, now);
                    real = new Side(true);
                    twin = new Side(false);
                }
                case EVERYTHING_STANDS_STILL -> {
                    long still = step.much * 5_000L;
                    now += still;
                    for (Receiver each : receivers) {
                        each.unheardSince += each.unheardSince < 0 ? 0 : still;
                        each.stoodStill(each.stopped ? 0 : still); // else it is part of its stop
                    }
                }
                case SENDER_CANNOT_HEAR -> {
                    deaf = true;
                    for (int i = 0; i <= step.much % 40; i++) {
                        tick();
                    }
                    deaf = false;
                }
                case RECEIVER_STOPS_OR_GOES_ON -> receiver.stopOrGoOn();
                case RECEIVER_LEAVES -> receiver.leave();
                case RECEIVER_RESTARTS -> receivers[step.who] = new Receiver(step.who, random.nextLong());
                case RECEIVER_FORGETS_SESSION -> {
                    receiver.session = step.much % 2 == 0 ? 0 : session - 1;
                    setBack[step.who] = true;
                }
                case LIE_AHEAD -> {
                    setBack[step.who] = true;
                    long ahead = step.much % 2 == 0 ? 1L << 62 : 1;
                    boolean arrived = step.much % 3 == 0;
                    say(new Nak()
                            .set(
                                    STREAM,
                                    step.who,
                                    CAPACITY,
                                    CAPACITY / 2,
                                    50,
                                    arrived ? 0 : sent + ahead,
                                    arrived ? sent + ahead : sent,
                                    now,
                                    arrived ? 1 + step.much % 5 : 1)
                            .session(session));
                }
                case LIE_FULL ->
                    say(new Nak()
                            .set(
                                    STREAM,
                                    step.who,
                                    CAPACITY,
                                    CAPACITY,
                                    100,
                                    receiver.consumedPosition(),
                                    receiver.newest,
                                    now,
                                    1)
                            .session(receiver.session));
                case LIE_ALIVE ->
                    say(new Nak()
                            .set(STREAM, step.who, CAPACITY, 0, 1, sent, sent, now, 1)
                            .session(step.much % 3 == 0 ? session - 1 : session)
                            .asSign(step.much % 4 == 0));
                case REPEAT_OLD -> {
                    if (!said.isEmpty()) {
                        say(new Nak().copy(said.get(step.much % said.size())));
                    }
                }
            }
        }

        private void tick() {
            now += TICK;
            Arrays.fill(full, false);
            liesOfThisTick = 0;
            for (Receiver receiver : receivers) {
                receiver.poll();
            }
            List<Nak> arrived = new ArrayList<>();
            toSender.removeIf(packet -> {
                boolean due = packet.due <= now;
                if (due) {
                    arrived.add(packet.nak);
                }
                return due;
            });
            for (Nak nak : arrived) {
                for (Receiver receiver : receivers) {
                    receiver.hear(nak);
                }
                if (!deaf) {
                    deliver(nak);
                }
            }
            callReal();
            twin.controller.doWork();
            leaveSilentOnesBehind();
            check();
        }

        private void callReal() {
            silence.called(now, !deaf);
            real.controller.doWork();
            silence.tell();
        }

        /** The real controller did so within the call that told of them. */
        private void leaveSilentOnesBehind() {
            for (long receiver : silentOnes) {
                twin.controller.leaveBehind(receiver);
                silence.forget((int) receiver);
            }
            silentOnes.clear();
        }

        /** The model: what counts. */
        private void deliver(Nak nak) {
            real.inbox.add(nak);
            naks += nak.isSign() ? 0 : 1;
            boolean counts = false;
            silence.called(now, true);
            silence.heard(nak, real.controller.isLeftBehind(nak.receiver()));
            if (nak.isSign()) {
                passOver();
                return;
            }
            if (nak.session() != session) {
                otherSession++;
            } else if (real.controller.isLeftBehind(nak.receiver())) {
                ignored++;
            } else if (nak.senders() == 1 && (nak.newestPosition() > sent || nak.consumedPosition() > sent)) {
                impossible++;
            } else {
                counts = true;
            }
            if (counts) {
                counted++;
                twin.inbox.add(nak);
                long stale = twin.controller.staleNaks();
                twin.controller.doWork(); // one at a time, so that it is known which of them was stale
                boolean fresh = twin.controller.staleNaks() == stale;
                if (fresh) {
                    full[(int) nak.receiver()] = nak.level() == 100;
                }
                for (Receiver receiver : receivers) {
                    receiver.answered(nak, fresh);
                }
            } else {
                refused++;
                twin.empty++;
            }
            callReal();
            twin.controller.doWork();
            leaveSilentOnesBehind();
        }

        /** The twin has looked at a packet that says nothing. */
        private void passOver() {
            twin.empty++;
            callReal();
            twin.controller.doWork();
            leaveSilentOnesBehind();
        }

        private void check() {
            NakController controller = real.controller;
            same("NAKs", controller.receivedNaks(), naks);
            same("signs", controller.receivedSigns(), silence.signs());
            List<String> expected = silence.told();
            List<String> sorted = told.stream().sorted().toList();
            told.clear();
            if (!sorted.equals(expected)) {
                throw new Failure("told: " + sorted + ", expected " + expected);
            }
            same("watched", controller.watchedReceivers(), silence.watched());
            same("silent", controller.silentReceivers(), silence.silent());
            same("silences", controller.silences(), silence.silences());
            same("NAKs of other sessions", controller.otherSessionNaks(), otherSession);
            same("NAKs of those left behind", controller.ignoredNaks(), ignored);
            same("NAKs that cannot be", controller.impossibleNaks(), impossible);
            same("stale NAKs", controller.staleNaks(), twin.controller.staleNaks());
            same("cuts", controller.overloadEpochs(), twin.controller.overloadEpochs());
            same("engagements", controller.engagements(), twin.controller.engagements());
            same("releases", controller.releases(), twin.controller.releases());
            same("loop", controller.loopDelayNanos(), twin.controller.loopDelayNanos());
            same("rate", Double.doubleToLongBits(controller.rate()), Double.doubleToLongBits(twin.controller.rate()));
            same("limit", Double.doubleToLongBits(real.limiter.rate()), Double.doubleToLongBits(twin.limiter.rate()));
            for (int i = 0; i < RECEIVERS; i++) {
                if (full[i] && controller.rate() != 0) {
                    throw new Failure("receiver " + i + " was heard to be full, and the rate is " + controller.rate());
                }
            }
            if (lossless) {
                for (Receiver receiver : receivers) {
                    receiver.checkHeard();
                }
            }
        }

        private static void same(String what, long got, long expected) {
            if (got != expected) {
                throw new Failure(what + ": " + got + ", expected " + expected);
            }
        }

        /** A NAK goes out to the group. */
        private void say(Nak nak) {
            said.add(new Nak().copy(nak));
            long late = lossless || random.nextInt(4) > 0 ? 0 : random.nextLong(4 * REFRESH);
            if (lossless || random.nextInt(10) > 0) {
                toSender.add(new Packet(now + DELAY + late, new Nak().copy(nak)));
            }
        }

        /** A controller with its limiter and its end of the group. */
        private final class Side implements NakTransport {
            private final ArrayDeque<Nak> inbox = new ArrayDeque<>();
            private final boolean echoes;
            private final RateLimiter limiter = RateLimiter.singleWriter(() -> now, 64);
            private final NakController controller;
            private int empty; // packets that the other side looked at

            Side(boolean echoes) {
                this.echoes = echoes;
                NakController.Builder builder = NakController.builder(this, limiter, () -> sent, () -> now)
                        .session(session)
                        .refreshNanos(REFRESH);
                controller = echoes
                        ? builder.onSilentReceiver(SILENT_AFTER, handler()).build()
                        : builder.build();
            }

            private SilentReceiverHandler handler() {
                SilentReceiverHandler teller = SilenceModel.teller(told);
                return new SilentReceiverHandler() {
                    @Override
                    public void onSilent(long receiver, long position, long nanos) {
                        teller.onSilent(receiver, position, nanos);
                        if (receiver == NOT_WAITED_FOR) {
                            real.controller.leaveBehind(receiver);
                            silentOnes.add(receiver);
                        }
                    }

                    @Override
                    public void onReturn(long receiver, long position, long nanos) {
                        teller.onReturn(receiver, position, nanos);
                    }
                };
            }

            @Override
            public boolean isListening() {
                return !deaf;
            }

            @Override
            public boolean isGroup() {
                return echoes;
            }

            @Override
            public boolean send(Nak nak) {
                if (!nak.isEcho()) {
                    throw new Failure("the sender said " + nak);
                }
                Nak echo = new Nak().copy(nak);
                for (Receiver receiver : receivers) {
                    if (lossless || random.nextInt(10) > 0) {
                        receiver.hear(echo);
                    }
                }
                return true;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                int looked = 0;
                for (; looked < limit && !inbox.isEmpty(); looked++) {
                    handler.onNak(inbox.remove());
                }
                for (; looked < limit && empty > 0; empty--) {
                    looked++;
                }
                return looked;
            }
        }

        /** A monitor with its suppression; honest but for what the steps make of it. */
        private final class Receiver implements FillSource, NakTransport {
            private final int id;
            private final NakSuppression suppression;
            private final FillMonitor monitor;
            private final LifeSigns signs;
            private boolean stopped;
            private boolean left;
            private final ArrayDeque<Nak> inbox = new ArrayDeque<>();
            private long session = World.this.session;
            private long newest;
            private long fill;
            private long consumed;
            private long unheardSince =
                    -1; // at a level, in the sender's session and known, and nobody was heard for it
            private int level;
            private final long[] trueAt = new long[101]; // when it was last seen at that level or above
            private long stoppedAt;

            Receiver(int id, long seed) {
                this.id = id;
                newest = sent;
                consumed = sent;
                suppression = new NakSuppression(this, () -> now, id, RECEIVERS, BACK_OFF, seed);
                monitor = new FillMonitor(this, suppression, () -> now, STREAM, id, REFRESH);
                signs = new LifeSigns(this, this, () -> now, STREAM, id, SIGN);
            }

            void poll() {
                if (!stopped) {
                    Arrays.fill(trueAt, 0, level() + 1, now);
                    monitor.poll();
                    suppression.poll();
                    signs.poll();
                }
            }

            /** Says farewell if somebody can miss it, and nothing of its life behind that. */
            void leave() {
                boolean isMissed = signs.sentSigns() > 0 && !left;
                int before = said.size();
                boolean taken = signs.farewell();
                boolean isSaid = said.size() == before + 1 && said.get(before).isFarewell();
                if (taken != isMissed || isSaid != isMissed) {
                    throw new Failure(
                            "receiver " + id + " leaves, and its farewell is " + (isSaid ? "" : "not ") + "said");
                }
                left = true;
                stoppedAt = stopped ? stoppedAt : now;
                stopped = true;
            }

            /** As by SIGSTOP and SIGCONT: what it was sent meanwhile is there when it goes on. */
            void stopOrGoOn() {
                stopped = !stopped;
                if (stopped) {
                    stoppedAt = now;
                } else {
                    stoodStill(now - stoppedAt);
                }
                while (!stopped && !inbox.isEmpty()) {
                    suppression.receive(other -> {}, 10);
                }
            }

            /** Such a time makes nothing older. */
            void stoodStill(long nanos) {
                for (int i = 0; i < trueAt.length; i++) {
                    trueAt[i] += nanos;
                }
            }

            void drain(int much) {
                long gone = Math.min(fill, much);
                fill -= gone;
                consumed = Math.min(newest, consumed + gone);
            }

            /** Something of the sender has arrived, all that it has sent. */
            void arrived() {
                if (session != World.this.session) {
                    session = World.this.session;
                    consumed = 0;
                }
                newest = sent;
            }

            void hear(Nak nak) {
                inbox.add(nak);
                if (!stopped) {
                    suppression.receive(other -> {}, 10);
                }
            }

            /** The sender has acted on a NAK that says as much as this receiver would. */
            void answered(Nak nak, boolean fresh) {
                if (fresh && nak.level() >= level()) {
                    unheardSince = -1;
                }
            }

            private int level() {
                int percent = (int) (fill * 100 / CAPACITY);
                return percent >= 100 ? 100 : percent >= 87 ? 87 : percent >= 75 ? 75 : percent >= 50 ? 50 : 0;
            }

            void checkHeard() {
                boolean speaks = !stopped
                        && !deaf
                        && session == World.this.session
                        && newest <= sent
                        && !real.controller.isLeftBehind(id);
                if (level() == 0 || !speaks || level() != level) {
                    level = level();
                    unheardSince = -1;
                    return;
                }
                if (unheardSince < 0) {
                    unheardSince = now;
                }
                // Refreshes, a back-off that each other one's echo begins anew, the way there and back,
                // and the steps of time.
                long patience = 2 * REFRESH + RECEIVERS * (BACK_OFF + 2 * DELAY) + 4 * TICK;
                patience += setBack[id] ? 4 * real.controller.epochNanos() : 0;
                if (now - unheardSince > patience) {
                    throw new Failure("receiver " + id + " is " + level + " percent full for " + (now - unheardSince)
                            + " ns, and the sender has heard of nothing");
                }
            }

            @Override
            public long capacity() {
                return CAPACITY;
            }

            @Override
            public long fill() {
                return fill;
            }

            @Override
            public long consumedPosition() {
                return consumed;
            }

            @Override
            public long newestPosition() {
                return newest;
            }

            @Override
            public long session() {
                return session;
            }

            @Override
            public boolean isGroup() {
                return true;
            }

            @Override
            public boolean send(Nak nak) {
                if (left && nak.isSign()) {
                    throw new Failure("receiver " + id + " has left, and says " + nak);
                }
                long age = now - trueAt[nak.level()];
                if (!nak.isSign() && age > 3 * BACK_OFF + REFRESH + 4 * TICK) {
                    throw new Failure("receiver " + id + " says " + nak + ", which was true " + age + " ns ago");
                }
                say(nak);
                return true;
            }

            @Override
            public int receive(NakHandler handler, int limit) {
                int looked = 0;
                for (; looked < limit && !inbox.isEmpty(); looked++) {
                    handler.onNak(inbox.remove());
                }
                return looked;
            }
        }
    }
}
