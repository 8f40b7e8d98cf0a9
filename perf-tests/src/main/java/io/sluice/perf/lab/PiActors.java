package io.sluice.perf.lab;

import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Jobs as messages to Pekko's actors, one actor for each core; each is asked for its results at the end. */
final class PiActors implements Pi.Crew {
    private static final long LIMIT_SECONDS = 60;

    /** A message to an actor. */
    private sealed interface Message permits Job, Report {}

    /**
     * One job.
     *
     * @param number of the job
     */
    private record Job(long number) implements Message {}

    /**
     * Asks for the results so far; it comes behind all jobs that were sent before.
     *
     * @param into where the actor adds it
     * @param done counted down then
     */
    private record Report(Tally into, CountDownLatch done) implements Message {}

    private final ActorSystem<Void> system;
    private final List<ActorRef<Message>> workers = new ArrayList<>();

    PiActors() throws InterruptedException {
        AtomicReference<List<ActorRef<Message>>> made = new AtomicReference<>(List.of());
        CountDownLatch there = new CountDownLatch(1);
        Behavior<Void> root = Behaviors.setup(context -> {
            List<ActorRef<Message>> all = new ArrayList<>();
            for (int i = 0; i < Pi.WORKERS; i++) {
                all.add(context.spawn(worker(), "worker-" + i));
            }
            made.set(all);
            there.countDown();
            return Behaviors.empty();
        });
        system = ActorSystem.create(
                root,
                "pi",
                ConfigFactory.parseMap(Map.of(
                                "pekko.daemonic", "on",
                                "pekko.loglevel", "OFF",
                                "pekko.stdout-loglevel", "OFF",
                                "pekko.log-dead-letters", "off",
                                "pekko.jvm-shutdown-hooks", "off",
                                "pekko.use-slf4j", "off"))
                        .withFallback(ConfigFactory.load()));
        if (!there.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the actors must be there in time, but were not");
        }
        workers.addAll(made.get());
    }

    private static Behavior<Message> worker() {
        return Behaviors.setup(context -> {
            Tally tally = new Tally();
            return Behaviors.receiveMessage(message -> {
                if (message instanceof Job job) {
                    tally.add(job.number, Pi.job(job.number));
                } else if (message instanceof Report report) {
                    report.into.take(tally);
                    report.done.countDown();
                }
                return Behaviors.same();
            });
        });
    }

    @Override
    public Pi.Done all(int jobs) throws InterruptedException {
        int next = 0;
        for (int number = 0; number < jobs; number++) {
            workers.get(next).tell(new Job(number));
            next = next + 1 == workers.size() ? 0 : next + 1;
        }
        List<Tally> tallies = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(workers.size());
        for (ActorRef<Message> worker : workers) {
            Tally tally = new Tally();
            tallies.add(tally);
            worker.tell(new Report(tally, done));
        }
        if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("all jobs must be done in time, but were not");
        }
        return Pi.done(tallies);
    }

    @Override
    public void close() {
        system.terminate();
    }
}
