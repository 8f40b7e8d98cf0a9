package io.sluice.ringbuffer.pipeline;

import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Puts consumers into a pipeline before its start, each behind those that it follows. For the thread that builds the pipeline. */
final class ConsumerDeclarations<E> {
    private final FollowedRing<E> ring;
    private final PipelineThreads<E> threads;
    private final ConsumerMembership<E> membership;
    private final ConsumerRegistry<E> consumers;
    private final PipelineConsumers<E> followers;

    ConsumerDeclarations(
            FollowedRing<E> ring,
            PipelineThreads<E> threads,
            ConsumerMembership<E> membership,
            ConsumerRegistry<E> consumers,
            PipelineConsumers<E> followers) {
        this.ring = ring;
        this.threads = threads;
        this.membership = membership;
        this.consumers = consumers;
        this.followers = followers;
    }

    /** Consumers for handlers that come without settings. */
    static <E, H> NewConsumer<E>[] unnamed(H[] handlers, ConsumerKind kind, String argument) {
        Check.notNull(handlers, argument);
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type cannot be made otherwise
        NewConsumer<E>[] made = new NewConsumer[handlers.length];
        for (int i = 0; i < handlers.length; i++) {
            made[i] = new NewConsumer<>(null, Check.notNull(handlers[i], argument + "[" + i + "]"), kind);
        }
        return made;
    }

    /** Declares a stage of consumers that each get all events. */
    List<ConsumerNode<E>> declare(List<ConsumerNode<E>> upstream, NewConsumer<E>[] stage, String argument) {
        check(stage, argument);
        for (NewConsumer<E> one : stage) {
            MessageRingRules.check(ring, one, one.kind);
        }
        return threads.declare(() ->
                Stream.of(stage).map(one -> add(one, one.kind, upstream, null)).toList());
    }

    /** Declares a stage of workers, which share the events. */
    List<ConsumerNode<E>> declareWorkers(List<ConsumerNode<E>> upstream, NewConsumer<E>[] workers) {
        check(workers, "workers");
        checkEventHandlers(workers, "workers");
        for (NewConsumer<E> one : workers) {
            MessageRingRules.check(ring, one, ConsumerKind.WORKER);
            if (one.policy != null) {
                NewConsumer.checkWorkerPolicy(consumers.nameFor(one), one.policy);
            }
        }
        WorkerPoolState work = new WorkerPoolState((int) ring.capacity());
        return threads.declare(() -> Stream.of(workers)
                .map(one -> add(one, ConsumerKind.WORKER, upstream, work))
                .toList());
    }

    /** Declares a stage of consumers that divide the events by key. */
    List<ConsumerNode<E>> declarePartitions(
            List<ConsumerNode<E>> upstream, ToLongFunction<? super E> key, NewConsumer<E>[] handlers) {
        Check.notNull(key, "key");
        check(handlers, "handlers");
        checkEventHandlers(handlers, "handlers");
        MessageRingRules.checkKey(ring, key);
        for (NewConsumer<E> one : handlers) {
            MessageRingRules.check(ring, one, ConsumerKind.PARTITION);
        }
        return threads.declare(() -> {
            List<ConsumerNode<E>> stage = Stream.of(handlers)
                    .map(one -> add(one, ConsumerKind.PARTITION, upstream, null))
                    .toList();
            for (int i = 0; i < handlers.length; i++) {
                stage.get(i).partition = new Partition<>(key, i, handlers.length);
            }
            return stage;
        });
    }

    EventPoller<E> declarePoller(List<ConsumerNode<E>> upstream, String name) {
        NewConsumer<E> poller = new NewConsumer<>(Check.notNull(name, "name"), new Object(), ConsumerKind.POLLER);
        return new EventPoller<>(threads.declare(() -> add(poller, ConsumerKind.POLLER, upstream, null)));
    }

    void declareClearer(NewConsumer<E> clearer) {
        MessageRingRules.refuse(ring, "clearEventsWith", "messages hold no objects to let go");
        if (consumers.clearing() != null) {
            throw new IllegalStateException(
                    "clearEventsWith must be called once, but the pipeline has a clearer already");
        }
        if (clearer.kind != ConsumerKind.CLEARER) {
            throw new IllegalArgumentException("clearer must be made by Pipeline.clearer, but " + clearer + " was not");
        }
        clearer.checkNew("clearer");
        if (consumers.find(clearer.handler) != null) {
            throw new IllegalArgumentException("clearer must be no handler of the pipeline, but this "
                    + clearer.handler.getClass().getName() + " is in the pipeline already");
        }
        threads.declare(() -> add(clearer, ConsumerKind.CLEARER, List.of(), null));
    }

    private ConsumerNode<E> add(
            NewConsumer<E> consumer,
            ConsumerKind kind,
            List<ConsumerNode<E>> upstream,
            @Nullable WorkerPoolState work) {
        threads.checkDeclarable();
        upstream.forEach(this::checkMayBeFollowed);
        String name = consumers.nameFor(consumer);
        consumers.checkNameFree(name);
        ConsumerNode<E> node = new ConsumerNode<>(membership, ring, consumer, kind, name, upstream, work);
        ring.beforeFirstClaim("a consumer", () -> {
            if (consumer.finishesEvents) {
                node.allowFinishing();
            }
            gate(node);
            for (ConsumerNode<E> one : upstream) {
                one.dependedOn = true;
            }
        });
        consumer.declaredAs(node);
        consumers.add(node);
        followers.add(node);
        return node;
    }

    private void checkMayBeFollowed(ConsumerNode<E> one) {
        membership.checkMember(one); // a poller may have left before the start
        if (one.kind == ConsumerKind.CLEARER) { // from the start on it follows all others
            throw new IllegalArgumentException("consumers must be declared behind consumers that handle events, but "
                    + one.name() + " clears events, behind all others");
        }
    }

    private void gate(ConsumerNode<E> node) {
        if (!ring.gating().contains(node.sequence)) { // workers share one
            ring.gating().add(node.sequence);
        }
    }

    // refusals, before anything is changed

    private void check(NewConsumer<E>[] stage, String argument) {
        checkSome(stage.length, argument);
        for (int i = 0; i < stage.length; i++) {
            String place = argument + "[" + i + "]";
            NewConsumer<E> one = Check.notNull(stage[i], place);
            one.checkNew(place);
            if (one.kind == ConsumerKind.CLEARER) {
                throw new IllegalArgumentException(place + " must be a consumer of events, but " + one
                        + " clears them: give it to clearEventsWith");
            }
            boolean again = consumers.find(one.handler) != null;
            boolean nameAgain = false;
            for (int j = 0; j < i && !again; j++) {
                again = stage[j].handler == one.handler;
                nameAgain |= one.name != null && one.name.equals(stage[j].name);
            }
            if (again) {
                throw new IllegalArgumentException(
                        place + " must be declared once, since a second place would be a cycle, but this handler "
                                + one.handler.getClass().getName() + " is in the pipeline already");
            }
            if (nameAgain) {
                throw new IllegalArgumentException(
                        "name must be unused, but another consumer of the stage has the name " + one.name);
            }
            if (one.name != null) {
                consumers.checkNameFree(one.name);
            }
        }
    }

    static void checkSome(int count, String argument) {
        if (count == 0) {
            throw new IllegalArgumentException(argument + " must have 1 element or more, but had 0");
        }
    }

    private void checkEventHandlers(NewConsumer<E>[] stage, String argument) {
        for (int i = 0; i < stage.length; i++) {
            if (stage[i].kind != ConsumerKind.EVENTS) {
                throw new IllegalArgumentException(argument + "[" + i + "] must have a handler of events, since the"
                        + " stage divides single events, but " + stage[i] + " has a handler of ranges");
            }
        }
    }
}
