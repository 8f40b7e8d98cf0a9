package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.Runner;
import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingFailedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * The consumers of a ring and who waits for whom. Handlers are declared before the first claim, and gate the ring from then
 * on; so what is published before {@link #start} is handled after it, up to the capacity. After the start others {@link
 * #join}, and any may leave.
 *
 * <pre>{@code
 * Pipeline<Order> pipeline = Pipeline.on(ring);
 * pipeline.handleEventsWith(journal, risk).then(books);
 * pipeline.start();
 * }</pre>
 *
 * <p>Building is for one thread. Once started, every method may be called by any thread; none but those named so block.
 *
 * @param <E> the events' type
 */
public final class Pipeline<E> implements AutoCloseable {
    private static final long CLOSE_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long AWAIT_PARK_NANOS = 50_000;

    private final FollowedRing<E> ring;
    private final List<ConsumerNode<E>> nodes = new CopyOnWriteArrayList<>();
    private final PipelineConsumers<E> consumers;
    private final FailureReports reports = new FailureReports();
    final ConsumerMembership<E> graph;
    private final Map<String, Supplier<? extends IdleStrategy>> idles = new LinkedHashMap<>();

    private FailurePolicy<? super E> policy = FailurePolicies.halt();
    private ThreadFactory factory = Thread::new;
    private java.util.function.Consumer<String> threadStart = name -> {};
    private boolean namesThreads = true;
    private @Nullable String oneThread;
    private boolean started;
    private @Nullable ConsumerNode<E> clearing;

    // under the lock of this
    private List<Thread> threads = List.of();

    private Pipeline(FollowedRing<E> ring) {
        this.ring = ring;
        this.graph = new ConsumerMembership<>(this, ring);
        this.consumers = new PipelineConsumers<>(this, ring);
        ring.follow(consumers);
    }

    /**
     * Begins a pipeline.
     *
     * @param ring one of this library's object rings, without a pipeline and without claims
     * @param <E> the events' type
     * @return a pipeline without consumers
     * @throws IllegalArgumentException if the ring is of the caller's own making
     * @throws IllegalStateException if the ring has a pipeline already
     */
    public static <E> Pipeline<E> on(RingBuffer<E> ring) {
        return new Pipeline<>(FollowedRing.of(Check.notNull(ring, "ring")));
    }

    /**
     * The ring.
     *
     * @return the ring that the pipeline was begun with
     */
    public RingBuffer<E> ring() {
        return ring;
    }

    // the graph

    /**
     * Declares handlers that follow the publications.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsWith(EventHandler<? super E>... handlers) {
        Check.notNull((Object) handlers, "handlers");
        return declare(List.of(), ConsumerNode.Kind.EVENTS, Arrays.asList(handlers));
    }

    /**
     * Declares handlers of ranges that follow the publications.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleBatchesWith(BatchHandler<E>... handlers) {
        Check.notNull((Object) handlers, "handlers");
        return declare(List.of(), ConsumerNode.Kind.BATCHES, Arrays.asList(handlers));
    }

    /**
     * Declares workers that share the events: each event is handled by exactly one of them, by whichever is free first. Who
     * follows the stage, and producers, follow what is done without a gap, in order; a slow event holds back only what is
     * behind it, while other workers go on with later events.
     *
     * <p>Every event is a batch of its own, {@code endOfBatch} always true; so no worker has to wait for another's, and a
     * failure policy that rewinds is refused. A worker finishes its event before it leaves, pauses or is halted, retries
     * included, and then owes nothing; others may {@linkplain Join#sharingWith join}. The last one that leaves takes the
     * stage with it. A worker whose policy halts stops its colleagues after their present events, and fails the ring: nothing
     * behind its event is handed on. A worker's {@link ConsumerHandle#sequence} and {@link ConsumerHandle#lag} are those of the stage.
     *
     * <p>Costs a compare-and-set and a volatile store an event, and each publication wakes every worker that is parked.
     *
     * @param workers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, the ring has handed out claims, or its consumers shed
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsWithWorkerPool(EventHandler<? super E>... workers) {
        Check.notNull((Object) workers, "workers");
        return declare(List.of(), ConsumerNode.Kind.WORKER, Arrays.asList(workers));
    }

    /**
     * Declares handlers that divide the events among themselves by key.
     *
     * <p>The handler at index {@code i} of {@code n} gets the events whose key, by {@code Math.floorMod(key, n)}, is {@code i},
     * in their order; so all events of one key come to one handler. The others are passed over: they cost a call of the key
     * function. {@code endOfBatch} is true for the last own event of a batch; a batch without any calls nobody. Who follows the
     * stage gets an event once every handler has passed it.
     *
     * <p>What the key function throws goes to the failure policy as if the handler had thrown it, with each consumer that asks.
     * One that is removed takes its keys with it: nobody handles them from there on.
     *
     * @param key gives an event's key: always the same one for the same event. Called by every consumer's thread for every
     *     event, so it has to be thread-safe, and should be cheap. Keys that have a common factor with the number of handlers
     *     spread badly; mix them here
     * @param handlers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, the ring has handed out claims, or its consumers shed
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsPartitionedBy(
            ToLongFunction<? super E> key, EventHandler<? super E>... handlers) {
        Check.notNull((Object) handlers, "handlers");
        return declarePartitions(List.of(), Check.notNull(key, "key"), Arrays.asList(handlers));
    }

    /**
     * Declares a consumer that is polled by hand and follows the publications.
     *
     * @param name its name, unique in the pipeline
     * @return the poller
     * @throws IllegalArgumentException if another consumer has the name
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    public EventPoller<E> poller(String name) {
        return declarePoller(List.of(), name);
    }

    /**
     * The stage of handlers declared before, for others to follow.
     *
     * @param handlers one or more {@link EventHandler}s or {@link BatchHandler}s of this pipeline; a worker stands for all
     *     that share the events with it
     * @return their stage
     * @throws IllegalArgumentException if there is none, or one is not in the pipeline
     */
    public Stage<E> after(Object... handlers) {
        checkSome(Arrays.asList(Check.notNull(handlers, "handlers")), "handlers");
        List<ConsumerNode<E>> found = new ArrayList<>();
        for (Object handler : handlers) {
            found.add(node(handler));
        }
        return new Stage<>(this, graph.withColleagues(found));
    }

    /**
     * Begins to let a handler join after the start. Any thread but a handler's.
     *
     * @param handler a handler that is not in the pipeline
     * @return what says where and how; it has not joined yet
     */
    public Join<E> join(EventHandler<? super E> handler) {
        return newJoin(handler, ConsumerNode.Kind.EVENTS);
    }

    /**
     * Begins to let a handler of ranges join after the start.
     *
     * @param handler a handler that is not in the pipeline
     * @return what says where and how; it has not joined yet
     */
    public Join<E> joinBatches(BatchHandler<E> handler) {
        return newJoin(handler, ConsumerNode.Kind.BATCHES);
    }

    /**
     * Begins to let a poller join after the start.
     *
     * @param name its name, unique in the pipeline
     * @return what says where and how; it has not joined yet
     */
    public Join<E> joinPoller(String name) {
        return new Join<>(this, new Object(), ConsumerNode.Kind.POLLER, Check.notNull(name, "name"));
    }

    private Join<E> newJoin(Object handler, ConsumerNode.Kind kind) {
        return new Join<>(this, Check.notNull(handler, "handler"), kind, defaultName(handler));
    }

    /** Under the lock of the graph. */
    void checkNewcomer(ConsumerNode<E> node) {
        checkNameFree(node.name());
        if (find(node.handler) != null) {
            throw new IllegalArgumentException("handler of " + node.name() + " must be in the pipeline once, but this "
                    + node.handler.getClass().getName() + " is in the pipeline already");
        }
    }

    List<ConsumerNode<E>> nodes() {
        return nodes;
    }

    PipelineConsumers<E> members() {
        return consumers;
    }

    FailureReports reports() {
        return reports;
    }

    FollowedRing<E> followedRing() {
        return ring;
    }

    /** Whether the graph is complete, so that consumers may leave. Any thread; once true, true for ever. */
    boolean hasStarted() {
        return started;
    }

    synchronized void checkStarted(String what) {
        if (!started) {
            throw new IllegalStateException(
                    what
                            + " must be called after the start, but the pipeline has not started: declare the consumer instead");
        }
    }

    AbstractLoop<E> loop(ConsumerNode<E> node) {
        return loops(List.of(node)).get(0);
    }

    synchronized void startJoined(ConsumerNode<E> node, IdleStrategy idle) {
        Thread thread = makeThread(node.name(), idle, loops(List.of(node)));
        State state = ring.state(); // close() looks for threads after it has set the state, under the lock of this
        if (state == State.CLOSED) {
            throw new IllegalStateException("the ring must be RUNNING or DRAINING for a join, but is CLOSED");
        }
        List<Thread> alive = new ArrayList<>(threads);
        alive.removeIf(one -> one.getState() == Thread.State.TERMINATED);
        alive.add(thread);
        thread.start();
        node.threaded = true;
        threads = alive;
    }

    Stage<E> declare(List<ConsumerNode<E>> upstream, ConsumerNode.Kind kind, List<?> handlers) {
        String argument = kind == ConsumerNode.Kind.WORKER ? "workers" : "handlers";
        checkSome(handlers, argument);
        if (ring.dropOldest() != null && (kind == ConsumerNode.Kind.WORKER || kind == ConsumerNode.Kind.PARTITION)) {
            throw new IllegalStateException(
                    "consumers of a ring built with shedding must be handlers of events or ranges, or pollers, but were workers, or a stage divided by key");
        }
        for (int i = 0; i < handlers.size(); i++) {
            Object handler = Check.notNull(handlers.get(i), argument + "[" + i + "]");
            boolean again = find(handler) != null;
            for (int j = 0; j < i && !again; j++) {
                again = handlers.get(j) == handler;
            }
            if (again) {
                throw new IllegalArgumentException(argument + "[" + i
                        + "] must be in the pipeline once, since a second place would be a cycle or a double, but this "
                        + handler.getClass().getName() + " is in the pipeline already");
            }
        }
        WorkerPoolState work = kind == ConsumerNode.Kind.WORKER ? new WorkerPoolState(ring.slots().length) : null;
        List<ConsumerNode<E>> stage = new ArrayList<>();
        for (Object handler : handlers) {
            stage.add(add(handler, kind, defaultName(handler), upstream, work));
        }
        return new Stage<>(this, stage);
    }

    Stage<E> declarePartitions(
            List<ConsumerNode<E>> upstream,
            ToLongFunction<? super E> key,
            List<? extends EventHandler<? super E>> handlers) {
        Stage<E> stage = declare(upstream, ConsumerNode.Kind.PARTITION, handlers);
        for (int i = 0; i < handlers.size(); i++) {
            node(handlers.get(i)).partition = new Partition<>(key, i, handlers.size());
        }
        return stage;
    }

    EventPoller<E> declarePoller(List<ConsumerNode<E>> upstream, String name) {
        checkNameFree(Check.notNull(name, "name"));
        return EventPoller.of(add(new Object(), ConsumerNode.Kind.POLLER, name, upstream, null));
    }

    private ConsumerNode<E> add(
            Object handler,
            ConsumerNode.Kind kind,
            String name,
            List<ConsumerNode<E>> upstream,
            @Nullable WorkerPoolState work) {
        if (started) {
            throw new IllegalStateException(
                    "a consumer must be declared before the start, but the pipeline has started");
        }
        ConsumerNode<E> node = new ConsumerNode<>(this, ring, handler, kind, name, upstream, work);
        ring.beforeFirstClaim("a consumer", () -> {
            if (!ring.gating().contains(node.sequence)) { // workers share one
                ring.gating().add(node.sequence);
            }
            for (ConsumerNode<E> one : upstream) {
                one.dependedOn = true;
                ring.gating().remove(one.sequence); // the new one is behind it, and gates instead
            }
        });
        nodes.add(node);
        consumers.add(node);
        return node;
    }

    private static void checkSome(List<?> handlers, String argument) {
        if (handlers.isEmpty()) {
            throw new IllegalArgumentException(argument + " must have 1 element or more, but had 0");
        }
    }

    private @Nullable ConsumerNode<E> find(Object handler) {
        for (ConsumerNode<E> node : nodes) {
            if (node.handler == handler) {
                return node;
            }
        }
        return null;
    }

    private ConsumerNode<E> node(Object handler) {
        ConsumerNode<E> found = find(Check.notNull(handler, "handler"));
        if (found == null) {
            throw new IllegalArgumentException("handler must be one of the " + nodes.size()
                    + " declared before, but this " + handler.getClass().getName() + " is not in the pipeline");
        }
        return found;
    }

    private String defaultName(Object handler) {
        String simple = handler.getClass().isHidden() || handler.getClass().isAnonymousClass()
                ? ""
                : handler.getClass().getSimpleName();
        return simple.isEmpty() || nameTaken(simple) ? freeName() : simple;
    }

    private boolean nameTaken(String name) {
        return nodes.stream().anyMatch(node -> node.name().equals(name));
    }

    private String freeName() {
        int number = nodes.size() + 1;
        while (nameTaken("consumer-" + number)) {
            number++;
        }
        return "consumer-" + number;
    }

    void checkNameFree(String name) {
        if (nameTaken(name)) {
            throw new IllegalArgumentException("name must be unused, but another consumer has the name " + name);
        }
    }

    void checkNotStarted(String what) {
        if (started) {
            throw new IllegalStateException(what + " must be set before the start, but the pipeline has started");
        }
    }

    /**
     * Has events emptied once every consumer has finished them, so that the ring keeps nothing alive that they refer to: by one
     * more consumer, behind all that nobody follows, those that join and leave later included. Publishers wait for it, as for any
     * consumer; the batches of those it follows are cut as for any dependent ({@link ConsumerSettings#batchLimit}). On a ring that
     * {@link RingBuffer.Builder#retain retains} events, these are kept, and emptied so much later. It runs from the start on,
     * also where all others are pollers.
     *
     * @param clearer empties an event; what it throws goes to the failure policy
     * @return its settings: by default its name is {@code clear}, its thread its own
     * @throws IllegalArgumentException if it is a handler of this pipeline too
     * @throws IllegalStateException if there is one already, the pipeline has started, or the ring has handed out claims
     */
    public ConsumerSettings<E> clearEventsWith(EventClearer<? super E> clearer) {
        Check.notNull(clearer, "clearer");
        if (clearing != null) {
            throw new IllegalStateException(
                    "clearEventsWith must be called once, but the pipeline has a clearer already");
        }
        if (find(clearer) != null) {
            throw new IllegalArgumentException("clearer must be no handler of the pipeline, but this "
                    + clearer.getClass().getName() + " is in the pipeline already");
        }
        clearing = add(clearer, ConsumerNode.Kind.CLEARER, nameTaken("clear") ? freeName() : "clear", List.of(), null);
        return clearing;
    }

    // settings

    /**
     * The settings of one consumer.
     *
     * @param handler a handler of this pipeline
     * @return its settings
     * @throws IllegalArgumentException if the handler is not in the pipeline
     */
    public ConsumerSettings<E> settings(Object handler) {
        return node(handler);
    }

    /**
     * Sets the failure policy of all consumers that have none of their own. The default halts.
     *
     * @param all the policy
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    public Pipeline<E> onFailure(FailurePolicy<? super E> all) {
        Check.notNull(all, "policy");
        checkNotStarted("onFailure");
        policy = all;
        return this;
    }

    /**
     * Sets who is told of what would else be silent: the failure that halts a consumer, once, as a {@link
     * ConsumerFailedException} whose cause is what the handler threw; a thread that failed; and, as an {@link
     * EventsLeftException}, what {@link #close} left unhandled. Without one all this is logged by the platform's {@code
     * System.Logger} named {@code io.sluice.ringbuffer}: failures as errors, what was left as a warning.
     *
     * <p>It is called on the thread that fails or closes, after the ring has failed, and before that thread ends; it must not wait
     * for this ring. What it throws is logged, with what it was told.
     *
     * @param handler the error handler
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    public Pipeline<E> errorHandler(ErrorHandler handler) {
        Check.notNull(handler, "handler");
        checkNotStarted("errorHandler");
        reports.handler(handler);
        return this;
    }

    FailurePolicy<? super E> policy() {
        return policy;
    }

    /**
     * Sets where threads come from. The default makes platform threads named {@code sluice-} and the thread's name in the
     * pipeline. A factory names its threads itself. What a thread's uncaught handler gets is a bug of this library: handlers'
     * failures go to the failure policies.
     *
     * @param threads makes threads, not started; virtual ones are refused where the idle strategy spins
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    public Pipeline<E> threads(ThreadFactory threads) {
        Check.notNull(threads, "threads");
        checkNotStarted("threads");
        factory = threads;
        namesThreads = false;
        return this;
    }

    /**
     * Sets what each thread does first, for instance to pin itself to a core.
     *
     * @param hook called on the new thread with its name in the pipeline; what it throws fails the ring, and is reported
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    public Pipeline<E> onThreadStart(java.util.function.Consumer<String> hook) {
        Check.notNull(hook, "hook");
        checkNotStarted("onThreadStart");
        threadStart = hook;
        return this;
    }

    /**
     * Runs all consumers on one thread, in the order of their declaration.
     *
     * @param name the thread's name
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    public Pipeline<E> oneThread(String name) {
        Check.notNull(name, "name");
        checkNotStarted("oneThread");
        oneThread = name;
        return this;
    }

    /**
     * Sets the idle strategy of one thread, instead of the ring's.
     *
     * @param thread the thread's name in the pipeline
     * @param supplier makes the idle strategy; a {@link SignalledIdle} only if the ring's is one, and exact only if that is
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    public Pipeline<E> idle(String thread, Supplier<? extends IdleStrategy> supplier) {
        Check.notNull(thread, "thread");
        Check.notNull(supplier, "supplier");
        checkNotStarted("idle");
        idles.put(thread, supplier);
        return this;
    }

    // life

    /**
     * Starts the consumers on their threads. Blocks only for starting threads.
     *
     * @return this
     * @throws IllegalStateException if there is no consumer, the pipeline has started, or the ring is closed or has failed
     * @throws IllegalArgumentException if an idle strategy, a thread or a worker's failure policy does not fit; then nothing
     *     has started. What a thread's own start throws fails the ring, since other threads may have started by then
     */
    public synchronized Pipeline<E> start() {
        begin();
        Map<String, List<ConsumerNode<E>>> groups = new LinkedHashMap<>();
        for (ConsumerNode<E> node : nodes) {
            if (!isPoller(node)) {
                groups.computeIfAbsent(threadOf(node), name -> new ArrayList<>())
                        .add(node);
            }
        }
        for (String thread : idles.keySet()) {
            if (!groups.containsKey(thread)) {
                throw new IllegalArgumentException("thread must be one of " + groups.keySet()
                        + ", but an idle strategy is set for thread " + thread);
            }
        }
        Map<ConsumerNode<E>, String> threadOf = new LinkedHashMap<>();
        Map<String, IdleStrategy> idleOf = new LinkedHashMap<>();
        groups.forEach((thread, members) -> {
            members.forEach(node -> threadOf.put(node, thread));
            Supplier<? extends IdleStrategy> own = idles.get(thread);
            IdleStrategy idle =
                    Check.notNull((own == null ? ring.consumersIdle() : own).get(), "idle strategy of " + thread);
            idleOf.forEach((other, taken) -> {
                if (taken == idle && idle instanceof SignalledIdle) {
                    throw new IllegalArgumentException(
                            "each thread must have an idle strategy of its own, but the one of thread " + thread + ", "
                                    + idle + ", is that of thread " + other + " too");
                }
            });
            idleOf.put(thread, idle);
        });
        connectSignals(threadOf, idleOf);
        List<Thread> made = new ArrayList<>();
        groups.forEach((thread, members) ->
                made.add(makeThread(thread, Check.notNull(idleOf.get(thread), thread), loops(members))));
        started = true;
        threads = made;
        Iterator<List<ConsumerNode<E>>> members = groups.values().iterator();
        for (Thread thread : made) {
            try {
                thread.start();
                members.next().forEach(node -> node.threaded = true);
            } catch (Throwable t) {
                // Its consumers will never run: publishers, and whoever awaits them, must not wait in silence.
                ring.fail(t);
                throw t;
            }
        }
        return this;
    }

    /**
     * Starts the consumers without threads: the caller runs them all by calling the agent, for instance with Agrona's
     * {@code AgentInvoker}, from one thread at a time.
     *
     * @return the agent: {@code onStart}, then {@code doWork} again and again, then {@code onClose}
     * @throws IllegalStateException as {@link #start()}
     */
    public RunnerAgent startInvoked() {
        return new InvokedPipeline(startLoops());
    }

    /**
     * Starts the consumers without threads and hands out their processors, for the caller's own agent runners. Idle
     * strategies are the runners' then; nothing signals them.
     *
     * @return one processor for each consumer but the pollers, in the order of their declaration; each for one thread at a
     *     time
     * @throws IllegalStateException as {@link #start()}
     */
    public List<EventProcessor> startProcessors() {
        return List.copyOf(startLoops());
    }

    private synchronized List<AbstractLoop<E>> startLoops() {
        begin();
        List<AbstractLoop<E>> loops =
                loops(nodes.stream().filter(node -> !isPoller(node)).toList());
        started = true;
        return loops;
    }

    private void begin() {
        State state = ring.state();
        if (state == State.CLOSED || state == State.FAILED) {
            throw new IllegalStateException("the ring must be RUNNING or DRAINING for start(), but is " + state);
        }
        if (started) {
            throw new IllegalStateException("start() must be called once, but the pipeline has started already");
        }
        Rehearsal.done();
        if (nodes.size() == (clearing == null ? 0 : 1)) {
            throw new IllegalStateException(
                    "a pipeline must have 1 consumer or more before start(), but has no consumers");
        }
        nodes.forEach(node -> node.checkPolicy(node.policy()));
        if (clearing != null) {
            followLeaves(clearing);
        }
        nodes.forEach(ConsumerNode::fixFinishedBefore);
    }

    /** Only now are all consumers declared; the clearing one gates from its declaration on. */
    private void followLeaves(ConsumerNode<E> node) {
        List<ConsumerNode<E>> leaves = new ArrayList<>(nodes);
        leaves.remove(node);
        for (ConsumerNode<E> one : nodes) {
            if (one != node) {
                leaves.removeAll(one.upstreamAcquire());
            }
        }
        node.follow(List.copyOf(leaves));
        for (ConsumerNode<E> leaf : leaves) {
            leaf.dependedOn = true;
            ring.gating().remove(leaf.sequence); // the clearing one is behind it, and gates instead
        }
    }

    /** The consumer that clears events, null if there is none or it has left. Under the lock of the graph. */
    @Nullable
    ConsumerNode<E> clearing() {
        return clearing != null && nodes.contains(clearing) ? clearing : null;
    }

    private boolean isPoller(ConsumerNode<E> node) {
        return node.kind == ConsumerNode.Kind.POLLER;
    }

    private String threadOf(ConsumerNode<E> node) {
        return oneThread == null ? node.thread() : oneThread;
    }

    /** Publications wake the first consumers, progress wakes dependents on other threads, the end wakes everyone. */
    private void connectSignals(Map<ConsumerNode<E>, String> threadOf, Map<String, IdleStrategy> idleOf) {
        threadOf.forEach((node, thread) -> {
            if (!(idleOf.get(thread) instanceof SignalledIdle idle)) {
                return;
            }
            SignalGroup publications = ring.publicationSignals();
            if (publications == null) {
                throw new IllegalArgumentException(
                        "consumersIdle of the ring must be a SignalledIdle for the idle strategy of thread " + thread
                                + ", " + idle + ", but the ring was built without");
            }
            ring.wakeWithAll(idle);
            node.idlesBy(idle);
            if (node.upstreamAcquire().isEmpty()) {
                publications.add(idle);
            }
            for (ConsumerNode<E> one : node.upstreamAcquire()) {
                if (!thread.equals(threadOf.get(one))) {
                    if (one.downstream == null) {
                        one.downstream = publications.empty();
                    }
                    one.downstream.add(idle);
                }
            }
        });
    }

    @SuppressWarnings("unchecked") // handlers were declared for events of this type
    private List<AbstractLoop<E>> loops(List<ConsumerNode<E>> members) {
        List<AbstractLoop<E>> loops = new ArrayList<>();
        for (ConsumerNode<E> node : members) {
            loops.add(
                    switch (node.kind) {
                        case EVENTS -> LoopSpecializer.eventLoop(node, (EventHandler<? super E>) node.handler);
                        case WORKER -> LoopSpecializer.workLoop(node, (EventHandler<? super E>) node.handler);
                        case PARTITION -> LoopSpecializer.partitionLoop(node, (EventHandler<? super E>) node.handler);
                        case BATCHES -> LoopSpecializer.batchLoop(node, (BatchHandler<E>) node.handler);
                        case CLEARER -> new ClearLoop<>(node, (EventClearer<? super E>) node.handler);
                        case POLLER -> throw new IllegalStateException("a loop for poller " + node.name());
                    });
        }
        return loops;
    }

    private Thread makeThread(String name, IdleStrategy idle, List<AbstractLoop<E>> loops) {
        Runner runner = new Runner(name, idle, cause -> failThread(name, cause), loops);
        java.util.function.Consumer<String> first = threadStart;
        Thread thread = factory.newThread(() -> {
            try {
                first.accept(name);
            } catch (Throwable t) {
                failThread(name, t);
            }
            try {
                runner.run();
            } catch (Throwable t) {
                // by its idle strategy: it has failed the ring, before the consumers ended, and was reported
            }
        });
        if (thread == null) {
            throw new IllegalArgumentException("thread factory must give a new thread, but gave null for " + name);
        }
        if (namesThreads) {
            thread.setName("sluice-" + name);
        }
        if (VirtualThreads.isVirtual(thread) && Runner.spins(idle)) {
            throw new IllegalArgumentException("idle strategy of virtual thread " + name + " must park, but "
                    + idle.alias() + " spins: take a parking one, or a platform thread");
        }
        return thread;
    }

    /** What the handlers throw goes elsewhere: this is by the hook of the thread, or by its idle strategy. */
    private void failThread(String name, Throwable cause) {
        ring.fail(cause);
        reports.failed(new IllegalStateException("ring " + ring.name() + ": thread " + name + " failed", cause));
    }

    /** A thread of this pipeline, whatever it is running, can not wait for its own consumers. */
    void checkNotOwnThread(String call) {
        List<Thread> own;
        synchronized (this) {
            own = threads;
        }
        if (own.contains(Thread.currentThread())) {
            throw new IllegalStateException(
                    call + " must be called on a thread that runs no consumer of this ring, but was called on "
                            + Thread.currentThread() + ", which does and would wait for itself: use any other thread");
        }
    }

    /** Waits for the threads of a ring that has ended. */
    void awaitThreads() {
        List<Thread> waitFor;
        synchronized (this) {
            if (!started) {
                started = true; // a pipeline of a closed ring never starts
                nodes.forEach(ConsumerNode::end);
                return;
            }
            nodes.stream().filter(this::isPoller).forEach(ConsumerNode::end); // whether or not somebody still polls
            waitFor = threads;
        }
        long deadline = System.nanoTime() + CLOSE_LIMIT_NANOS;
        boolean interrupted = false;
        for (Thread thread : waitFor) {
            long left;
            while (thread.isAlive() && (left = deadline - System.nanoTime()) > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedJoin(thread, left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        for (Thread thread : waitFor) {
            if (thread.isAlive()) {
                throw new IllegalStateException("close() gave up after 10 s: " + thread
                        + " is still inside its handler, and ends when the handler returns");
            }
        }
    }

    /**
     * Waits until every consumer has finished a sequence. Blocks.
     *
     * @param sequence the sequence, 0 or more
     * @param timeoutNanos how long to wait at most, in nanoseconds; 0 or less only to look
     * @return whether it is finished; false when the time is over, the thread is interrupted (its flag stays set), or the
     *     ring is closed before
     * @throws IllegalArgumentException if the sequence is negative
     * @throws RingFailedException if the ring fails before: once every consumer has ended, is paused, or is run by no thread;
     *     at the latest when the time is over
     * @throws IllegalStateException if called from a handler of this ring or a thread of this pipeline, or if it had to wait
     *     for a consumer that the calling thread polls or invokes: it would wait for itself
     */
    public boolean awaitHandled(long sequence, long timeoutNanos) {
        Check.inRange(sequence, 0, Long.MAX_VALUE, "sequence");
        ring.followers().checkMayWait("awaitHandled");
        long started = System.nanoTime();
        for (; ; ) {
            State state = ring.state(); // before the consumers are looked at: they end after the ring
            boolean hopeless = (state == State.FAILED || state == State.CLOSED) && nobodyGoesOn();
            if (ring.gating().minimum(Long.MAX_VALUE) >= sequence) { // acquire inside
                return true;
            }
            boolean late = Thread.currentThread().isInterrupted() || System.nanoTime() - started >= timeoutNanos;
            if (state == State.FAILED && (hopeless || late)) {
                throw ring.failed();
            }
            if (hopeless || late) {
                return false;
            }
            consumers.checkNotAwaitedBy(Thread.currentThread(), "awaitHandled");
            LockSupport.parkNanos(this, AWAIT_PARK_NANOS);
        }
    }

    /** Of a ring that has ended: whether every consumer has ended too, is paused, or is run by no thread. */
    private synchronized boolean nobodyGoesOn() {
        for (ConsumerNode<E> node : nodes) {
            Thread runner = node.runner();
            boolean isRun = runner == null ? node.threaded : runner.isAlive();
            if (isRun && !node.isEnded() && !node.isPaused()) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@link Ring#drain} of the ring.
     *
     * @param timeoutNanos how long to wait at most, in nanoseconds
     * @return what is left
     * @throws RingFailedException if the ring has failed or fails meanwhile
     */
    public Ring.Leftover drain(long timeoutNanos) {
        return ring.drain(timeoutNanos);
    }

    /**
     * {@link Ring#close} of the ring: stops the consumers and waits for their threads. What then is unhandled is reported once: see
     * {@link #errorHandler}.
     *
     * @throws IllegalStateException if called from a handler, or if a handler does not return within 10 s
     */
    @Override
    public void close() {
        ring.close();
    }

    // inspection

    /**
     * The consumers in the order of their declaration.
     *
     * @return a copy
     */
    public List<ConsumerHandle> consumers() {
        return List.copyOf(nodes);
    }

    /**
     * The consumer that runs a handler.
     *
     * @param handler a handler of this pipeline
     * @return its consumer
     * @throws IllegalArgumentException if the handler is not in the pipeline
     */
    public ConsumerHandle consumer(Object handler) {
        return node(handler);
    }

    /** All loops, one after another, on the caller's thread. */
    private final class InvokedPipeline implements RunnerAgent {
        private final List<AbstractLoop<E>> loops;

        InvokedPipeline(List<AbstractLoop<E>> loops) {
            this.loops = loops;
        }

        @Override
        public void onStart() {
            loops.forEach(AbstractLoop::onStart);
        }

        @Override
        public int doWork() {
            int work = 0;
            for (int i = 0; i < loops.size(); i++) {
                work += loops.get(i).doWork();
            }
            return work;
        }

        @Override
        public boolean yieldsBeforeWaiting() {
            for (int i = 0; i < loops.size(); i++) {
                if (!loops.get(i).yieldsBeforeWaiting()) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public boolean isDone() {
            return loops.stream().allMatch(AbstractLoop::isDone);
        }

        @Override
        public long deadline() {
            long nearest = SignalledIdle.NO_DEADLINE;
            for (AbstractLoop<E> loop : loops) {
                long one = loop.deadline();
                if (nearest == SignalledIdle.NO_DEADLINE || (one != SignalledIdle.NO_DEADLINE && one - nearest < 0)) {
                    nearest = one;
                }
            }
            return nearest;
        }

        @Override
        public void onClose() {
            loops.forEach(AbstractLoop::onClose);
        }

        @Override
        public String roleName() {
            return "pipeline of " + loops.size();
        }
    }
}
