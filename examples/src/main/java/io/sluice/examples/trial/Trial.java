package io.sluice.examples.trial;

import io.sluice.backpressure.nak.NakController;
import io.sluice.cli.UsageException;
import io.sluice.examples.simulate.Simulation;
import io.sluice.examples.simulate.SimulationSettings;
import io.sluice.examples.simulate.Trace;
import io.sluice.examples.trial.Schedule.Event;
import io.sluice.examples.trial.Schedule.Kind;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One run: a sender in this process, receivers in their own, a schedule of their faults, and the account of it. */
final class Trial {
    /** The part of a socket's tried capacity that is counted on: the kernel gives room back in quarters of the buffer. */
    private static final double COUNTED_ON = 0.7;

    private static final byte[] GROUP = {(byte) 239, (byte) 255, 76, 68};
    private static final int BUFFER = 1 << 20;

    /**
     * The settings of a run.
     *
     * @param receivers how many; more than one share a multicast group
     * @param naks whether receivers say NAK
     * @param perSecond messages a second that the sender wants to send
     * @param nanos for how long
     * @param seed of the schedule
     */
    record Settings(int receivers, boolean naks, double perSecond, long nanos, long seed) {}

    /** A check of a run. */
    record Finding(String text, boolean holds) {}

    private record Happened(Event event, long sentBefore, long sentAfter) {}

    private record Loss(int receiver, long first, long lost, long sent, long stallNanos) {}

    private final Settings settings;
    private final PrintStream out;
    private final Schedule schedule;
    private final List<Happened> happened = new ArrayList<>();
    private final List<Loss> losses = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();
    private long drops;
    private long counted = Long.MAX_VALUE; // messages that a socket holds for certain

    Trial(Settings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
        schedule = Schedule.of(settings.seed, settings.receivers, settings.nanos);
    }

    List<Finding> run() throws IOException, InterruptedException, UsageException {
        say(
                "%n%d receiver%s, %s, %.0f messages/s wanted for %.1f s, %d events",
                settings.receivers,
                settings.receivers == 1 ? ", UDP unicast on loopback" : "s, UDP multicast on loopback",
                settings.naks ? "with NAKs" : "without NAKs",
                settings.perSecond,
                settings.nanos / 1e9,
                schedule.events().size());
        List<ReceiverProcess> all = new ArrayList<>();
        try (Sender sender = new Sender(settings.perSecond)) {
            InetSocketAddress group = settings.receivers == 1 ? null : group();
            ReceiverProcess[] receivers = new ReceiverProcess[settings.receivers];
            for (int i = 0; i < receivers.length; i++) {
                receivers[i] = start(i + 1, sender, group, all);
            }
            int port = 0;
            for (ReceiverProcess receiver : receivers) {
                port = ready(receiver);
            }
            sender.target(group != null ? group : local(port));
            say("  %s", sender.buffers());
            sender.start();
            long begin = System.nanoTime();
            happen(sender, receivers, begin, all);
            sleepUntil(begin + settings.nanos);
            double seconds = (System.nanoTime() - begin) / 1e9;
            NakController controller = sender.stop();
            account(sender, controller, all, seconds);
        } finally {
            for (ReceiverProcess receiver : all) {
                receiver.end();
            }
        }
        return findings;
    }

    private ReceiverProcess start(int id, Sender sender, @Nullable InetSocketAddress group, List<ReceiverProcess> all)
            throws IOException {
        ReceiverProcess receiver = new ReceiverProcess(id, sender.naksArriveAt(), BUFFER, settings.naks, group);
        all.add(receiver);
        return receiver;
    }

    private int ready(ReceiverProcess receiver) throws InterruptedException {
        String[] ready = receiver.await("ready");
        if (ready.length != 4) {
            throw new IllegalStateException(
                    "receiver " + receiver.id() + " ended before it was ready: " + receiver.said());
        }
        long capacity = Long.parseLong(ready[3]) * Wire.MESSAGES;
        counted = Math.min(counted, (long) (COUNTED_ON * capacity));
        say(
                "  receiver %d: receive buffer %s bytes asked for, %s got, holds %s packets of %d messages; ring of %d",
                receiver.id(), BUFFER, ready[2], ready[3], Wire.MESSAGES, Receiver.RING);
        return Integer.parseInt(ready[1]);
    }

    private static InetSocketAddress local(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static InetSocketAddress group() throws IOException {
        try (DatagramChannel free = DatagramChannel.open()) {
            free.bind(local(0));
            return new InetSocketAddress(
                    InetAddress.getByAddress(GROUP), ((InetSocketAddress) free.getLocalAddress()).getPort());
        }
    }

    // ---- the faults

    private void happen(Sender sender, ReceiverProcess[] receivers, long begin, List<ReceiverProcess> all)
            throws IOException, InterruptedException, UsageException {
        for (Event event : schedule.events()) {
            sleepUntil(begin + event.at());
            ReceiverProcess receiver = receivers[event.receiver()];
            long before = sender.sent();
            long until = System.nanoTime() + event.nanos();
            switch (event.kind()) {
                case SLOW -> {
                    receiver.command("rate " + (long) (settings.perSecond / 8));
                    sleepUntil(until);
                    receiver.command("rate -1");
                }
                case PAUSE -> {
                    receiver.command("rate 0");
                    sleepUntil(until);
                    receiver.command("rate -1");
                }
                case FREEZE -> {
                    receiver.signal("STOP");
                    try {
                        sleepUntil(until);
                    } finally {
                        receiver.signal("CONT");
                    }
                }
                case KILL -> {
                    receiver.kill();
                    if (settings.receivers == 1) {
                        receivers[0] = start(receiver.id() + 1, sender, null, all);
                        sender.target(local(ready(receivers[0])));
                    }
                }
            }
            happened.add(new Happened(event, before, sender.sent()));
        }
    }

    private static void sleepUntil(long nanoTime) throws InterruptedException {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    // ---- the account

    private void account(Sender sender, NakController controller, List<ReceiverProcess> receivers, double seconds)
            throws IOException, InterruptedException {
        long missing = 0;
        long lostByTheLiving = 0;
        long wrong = 0;
        int alive = 0;
        boolean reported = true;
        for (ReceiverProcess receiver : receivers) {
            if (receiver.isKilled()) {
                receiver.end(); // what it has said before counts
                read(receiver);
                continue;
            }
            receiver.command("end");
            String[] end = receiver.await("end");
            reported &= end.length == 7;
            if (end.length == 7) {
                alive++;
                missing += Long.parseLong(end[2]);
                lostByTheLiving += Long.parseLong(end[3]) + Long.parseLong(end[4]);
                wrong += Long.parseLong(end[5]);
            }
            read(receiver);
        }
        double rate = sender.sent() / seconds;
        say(
                "  sent %d messages, %.0f a second; %d times the socket had no room",
                sender.sent(), rate, sender.refused());
        events();
        losses();

        Trace simulated = simulate(controller);
        say("  %-34s %14s %14s", "", "measured", "simulated");
        say("  %-34s %14.0f %14.0f", "messages a second", rate, simulated.sending(0, 0, simulated.ticks()));
        say("  %-34s %14d %14d", "limiter engaged", controller.engagements(), simulated.engagements(0));
        say("  %-34s %14d %14d", "limiter released", controller.releases(), simulated.releases(0));
        say(
                "  %-34s %14d %14d",
                "NAKs",
                controller.receivedNaks(),
                settings.naks ? simulated.naks().size() : 0);
        say("  %-34s %14d %14d", "dropped, the NAK side running", drops, droppedAwake(simulated));
        say("  loop %.3f ms as measured by the controller", controller.loopDelayNanos() / 1e6);

        check(reported, "%d receivers reported at the end", alive);
        check(wrong == 0, "%d messages came damaged, twice or out of order", wrong);
        check(
                missing == lostByTheLiving,
                "every gap is counted: the handlers of those that lived missed %d messages, their sockets and rings lost %d",
                missing,
                lostByTheLiving);
        if (settings.naks) {
            check(
                    controller.engagements() > 0 && controller.releases() > 0,
                    "the limiter engaged %d times and released %d times",
                    controller.engagements(),
                    controller.releases());
            check(drops == 0, "%d messages lost while the receiver's NAK side ran", drops);
            long beyond = 0;
            for (Loss loss : losses) {
                beyond += Math.max(0, loss.lost - predicted(loss));
            }
            check(beyond == 0, "%d messages lost beyond what G2b predicts for one that stood still", beyond);
        } else {
            check(drops > 0, "%d messages lost because nobody said that the ring was full", drops);
        }
        if (settings.naks && settings.nanos >= TimeUnit.SECONDS.toNanos(60)) {
            check(rate >= 200_000, "%.0f messages a second, 200000 demanded", rate);
            check(happened.size() >= 20, "%d slowdowns and stops, 20 demanded", happened.size());
        }
        if (settings.receivers > 1) {
            Happened death = happened.stream()
                    .filter(one -> one.event.kind() == Kind.KILL)
                    .findFirst()
                    .orElseThrow();
            long since = sender.sent() - death.sentAfter;
            check(since > 0, "%d messages sent after receiver %d had died", since, death.event.receiver() + 1);
        }
    }

    /** Takes in a receiver's report of its losses. */
    private void read(ReceiverProcess receiver) {
        for (String line : receiver.said()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("loss")) {
                losses.add(new Loss(
                        receiver.id(),
                        Long.parseLong(words[1]),
                        Long.parseLong(words[2]),
                        Long.parseLong(words[3]),
                        Long.parseLong(words[4])));
            } else if (words[0].equals("drop")) {
                drops += Long.parseLong(words[2]);
                say("  receiver %d: ring full at message %s, %s messages dropped", receiver.id(), words[1], words[2]);
            } else {
                throw new IllegalStateException("receiver " + receiver.id() + " said '" + line + "'");
            }
        }
    }

    /** G2b: the messages sent while it stood still, minus those that its socket holds for certain. */
    private long predicted(Loss loss) {
        return Math.max(0, loss.sent - counted);
    }

    private void events() {
        for (Happened one : happened) {
            say(
                    "  %7.3f s  receiver %d  %-6s %7.1f ms, %d messages sent meanwhile%s",
                    one.event.at() / 1e9,
                    one.event.receiver() + 1,
                    one.event.kind(),
                    one.event.nanos() / 1e6,
                    one.sentAfter - one.sentBefore,
                    one.event.kind() == Kind.KILL && settings.receivers == 1
                            ? ", to nobody: a new one was started"
                            : "");
        }
    }

    private void losses() {
        for (Loss loss : losses) {
            say(
                    "  receiver %d: %d messages missing from message %d on, %s for %.1f ms; predicted at most %d",
                    loss.receiver,
                    loss.lost,
                    loss.first,
                    isFrozen(loss) ? "frozen" : "held up by the machine",
                    loss.stallNanos / 1e6,
                    predicted(loss));
        }
    }

    private boolean isFrozen(Loss loss) {
        return happened.stream()
                .anyMatch(one -> one.event.kind() == Kind.FREEZE
                        && (settings.receivers == 1 || one.event.receiver() + 1 == loss.receiver)
                        && loss.first + loss.lost >= one.sentBefore
                        && loss.first <= one.sentAfter);
    }

    // ---- the same in virtual time

    private Trace simulate(NakController controller) {
        SimulationSettings virtual = new SimulationSettings();
        virtual.seed = settings.seed;
        virtual.refreshNanos = Receiver.REFRESH_NANOS;
        virtual.loopNanos = Math.max(controller.loopDelayNanos(), 100_000);
        virtual.jitterNanos = virtual.loopNanos / 20;
        virtual.ticksPerEpoch = 8;
        virtual.durationNanos = settings.nanos;
        virtual.naks = settings.naks;
        virtual.sender(t -> settings.perSecond, 0);
        for (int i = 0; i < settings.receivers; i++) {
            int receiver = i;
            virtual.receiver(
                    Receiver.RING,
                    t -> switch (kindAt(receiver, t)) {
                        case SLOW -> settings.perSecond / 8;
                        case PAUSE -> 0;
                        case FREEZE, KILL -> 10 * settings.perSecond;
                    },
                    t -> kindAt(receiver, t) == Kind.FREEZE && isFrozenAt(receiver, t)
                            ? 0
                            : isDeadAt(receiver, t) ? -1 : 1);
        }
        return Simulation.run(virtual);
    }

    /** The fault of a receiver at a time; KILL for none. */
    private Kind kindAt(int receiver, long nanos) {
        for (Event event : schedule.events()) {
            if (event.receiver() == receiver && nanos >= event.at() && nanos < event.at() + event.nanos()) {
                return event.kind();
            }
        }
        return Kind.KILL;
    }

    private boolean isFrozenAt(int receiver, long nanos) {
        return kindAt(receiver, nanos) == Kind.FREEZE;
    }

    private boolean isDeadAt(int receiver, long nanos) {
        return settings.receivers > 1
                && schedule.events().stream()
                        .anyMatch(event ->
                                event.kind() == Kind.KILL && event.receiver() == receiver && nanos >= event.at());
    }

    /** Drops of the simulated receivers, but for those of one that is frozen or dead. */
    private long droppedAwake(Trace trace) {
        long sum = 0;
        for (int receiver = 0; receiver < settings.receivers; receiver++) {
            long before = 0;
            for (int tick = 0; tick < trace.ticks(); tick++) {
                long now = trace.dropped(receiver, tick);
                long at = tick * trace.tickNanos();
                boolean frozen = isFrozenAt(receiver, at) || isFrozenAt(receiver, at - trace.tickNanos());
                if (now > before && !frozen && !isDeadAt(receiver, at)) {
                    sum += now - before;
                }
                before = now;
            }
        }
        return sum;
    }

    private void check(boolean holds, String format, Object... arguments) {
        String text = String.format(Locale.ROOT, format, arguments);
        findings.add(new Finding(text, holds));
        say("  %s %s", holds ? "passed:" : "FAILED:", text);
    }

    private void say(String format, Object... arguments) {
        out.println(String.format(Locale.ROOT, format, arguments));
    }
}
