package io.sluice.aeron;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;

/**
 * A media driver and the Aeron client that uses it. The driver runs inside the process, or is an external one that is known by its
 * directory. The client has no thread: this link is an agent, and the thread that runs it runs the client. The only threads are those
 * of an embedded driver: with {@link ThreadingMode#SHARED}, the default, one for its work and one that looks up the hosts of channels,
 * none with {@link ThreadingMode#INVOKER}.
 *
 * <p>{@link #doWork} must be called many times a second, by one thread. The client gives itself up if that does not happen for ten
 * seconds, and messages on their way are lost. Senders and receivers of the link may run on other threads. With {@link
 * ThreadingMode#INVOKER} they must run on the thread of the link.
 *
 * <p>When an external driver ends, the client notices after the driver's time-out, 10 seconds unless set, and is closed. The same happens
 * when the link was not run for too long, as in a process that stood still. The link tells its error handler. Then it looks for a driver
 * again and again, at the {@linkplain Builder#reconnectAfter interval that is set}. If one is there, the link has a new client, and its
 * senders and receivers open their publications and subscriptions again.
 *
 * <p>Close order: drain and close the rings, close senders and receivers, then the link. A link that a {@code Runner} runs is closed when
 * that ends.
 */
public final class AeronLink implements Agent, AutoCloseable {
    /** How long the logs of a lost client stay mapped, for calls of other threads that are under way in them. */
    private static final long LOSS_LINGER_NANOS = 1_000_000_000;

    private static final long CLOSE_LINGER_NANOS = 50_000_000;

    private final @Nullable MediaDriver driver;
    private final @Nullable AgentInvoker driverInvoker;
    private final String directory;
    private final Consumer<Aeron.Context> clientSettings;
    private final ErrorHandler errors;
    private final long reconnectNanos;

    // written by the thread that runs the link, or by its constructor; read by senders and receivers
    private Aeron aeron;
    private boolean closed;
    private long reconnects;

    // the link's thread only
    private boolean lossTold;
    private long lastTry;

    private AeronLink(Builder builder) {
        errors = builder.errors;
        clientSettings = builder.clientSettings;
        reconnectNanos = builder.reconnectNanos;
        if (builder.external == null) {
            driver = MediaDriver.launchEmbedded(builder.driverContext());
            driverInvoker = driver.sharedAgentInvoker();
            directory = driver.aeronDirectoryName();
        } else {
            driver = null;
            driverInvoker = null;
            directory = builder.external.toString();
        }
        try {
            aeron = connect();
        } catch (RuntimeException | Error e) {
            CloseHelper.quietClose(driver);
            throw e;
        }
    }

    /**
     * Begins a link with a driver inside the process, in a directory of its own that goes with it.
     *
     * @param errors told what fails in the driver's callbacks and in the client, by any thread; must not be used to wait
     * @return a builder
     */
    public static Builder embedded(ErrorHandler errors) {
        return new Builder(null, errors);
    }

    /**
     * Begins a link to a driver that is not ours.
     *
     * @param directory its Aeron directory
     * @param errors told what fails in the client, and that the driver is lost, by any thread
     * @return a builder
     */
    public static Builder external(Path directory, ErrorHandler errors) {
        return new Builder(Check.notNull(directory, "directory"), errors);
    }

    /** Settings of a link. For one thread. */
    public static final class Builder {
        private final @Nullable Path external;
        private final ErrorHandler errors;
        private ThreadingMode threads = ThreadingMode.SHARED;
        private Consumer<MediaDriver.Context> driverSettings = context -> {};
        private Consumer<Aeron.Context> clientSettings = context -> {};
        private long reconnectNanos = Duration.ofMillis(500).toNanos();

        private Builder(@Nullable Path external, ErrorHandler errors) {
            this.external = external;
            this.errors = Check.notNull(errors, "errors");
        }

        /**
         * Chooses the threads of an embedded driver. One that has threads has one more, {@code aeron-executor}, which looks up the hosts of
         * channels, so that a slow name service stops nothing else. It sleeps a millisecond at a time. {@code
         * asyncExecutorEnabled(false)} of the {@linkplain #driver driver's settings} leaves it out. With {@link
         * ThreadingMode#INVOKER} it is left out, and the thread that runs the link waits for the name service.
         *
         * @param mode one thread ({@link ThreadingMode#SHARED}, the default), two, three, or none ({@link ThreadingMode#INVOKER})
         * @return this
         * @throws IllegalStateException if the driver is external
         */
        public Builder threads(ThreadingMode mode) {
            checkEmbedded("threads");
            threads = Check.notNull(mode, "mode");
            return this;
        }

        /**
         * Sets further properties of an embedded driver: term lengths, time-outs, a directory.
         *
         * @param settings called once by {@link #start}, after the link's own settings
         * @return this
         * @throws IllegalStateException if the driver is external
         */
        public Builder driver(Consumer<MediaDriver.Context> settings) {
            checkEmbedded("driver");
            driverSettings = Check.notNull(settings, "settings");
            return this;
        }

        /**
         * Sets further properties of the client, such as the time after which a silent driver is taken for dead.
         *
         * @param settings called for each client, after the link's own settings; must leave it without a thread
         * @return this
         */
        public Builder client(Consumer<Aeron.Context> settings) {
            clientSettings = Check.notNull(settings, "settings");
            return this;
        }

        /**
         * Sets how often a link that has lost its driver looks for a new one.
         *
         * @param after 1 nanosecond or more; 500 ms unless set
         * @return this
         * @throws IllegalArgumentException if it is less
         */
        public Builder reconnectAfter(Duration after) {
            long nanos = Check.nanos(after, "after");
            Check.inRange(nanos, 1, Long.MAX_VALUE, "after");
            reconnectNanos = nanos;
            return this;
        }

        /**
         * Starts the driver if it is embedded, and connects to it. Blocks until the driver has answered, as long as Aeron's driver
         * time-out says.
         *
         * @return a link that must be run
         * @throws io.aeron.driver.exceptions.ActiveDriverException if another driver runs in the directory of an embedded one
         * @throws io.aeron.exceptions.DriverTimeoutException if no driver runs in an external directory
         */
        public AeronLink start() {
            return new AeronLink(this);
        }

        private void checkEmbedded(String setting) {
            if (external != null) {
                throw new IllegalStateException(
                        setting + " must be for an embedded driver, but the driver is that of " + external);
            }
        }

        private MediaDriver.Context driverContext() {
            MediaDriver.Context context = new MediaDriver.Context()
                    .threadingMode(threads)
                    .dirDeleteOnShutdown(true)
                    .warnIfDirectoryExists(false)
                    .errorHandler(errors);
            if (threads == ThreadingMode.INVOKER) {
                context.asyncExecutorEnabled(false); // it has a thread in this mode too
            }
            driverSettings.accept(context);
            return context;
        }
    }

    private Aeron connect() {
        Aeron.Context context = new Aeron.Context()
                .aeronDirectoryName(directory)
                .useConductorAgentInvoker(true)
                .closeLingerDurationNs(LOSS_LINGER_NANOS)
                .errorHandler(errors)
                .subscriberErrorHandler(errors);
        if (driverInvoker != null) {
            context.driverAgentInvoker(driverInvoker);
        }
        clientSettings.accept(context);
        if (!context.useConductorAgentInvoker()) {
            throw new IllegalArgumentException(
                    "settings must leave the client without a thread, but they turned useConductorAgentInvoker off");
        }
        return Aeron.connect(context);
    }

    /**
     * Runs the client, and the driver if it has no threads. The link's thread. When it finds its driver lost, it
     * blocks for a second, and later for the time that a new one needs to answer.
     *
     * @return how much there was to do
     */
    @Override
    public int doWork() {
        if (isClosed()) {
            return 0;
        }
        int work = driverInvoker == null ? 0 : driverInvoker.invoke();
        Aeron client = aeron; // plain: this thread writes it
        return client.isClosed()
                ? work + reconnect()
                : work + client.conductorAgentInvoker().invoke();
    }

    private int reconnect() {
        long now = System.nanoTime();
        if (!lossTold) {
            lossTold = true;
            lastTry = now;
            errors.onError(new LinkLostException(directory));
            return 1;
        }
        if (now - lastTry < reconnectNanos) {
            return 0;
        }
        lastTry = now;
        try {
            if (CommonContext.isDriverActive(Path.of(directory).toFile(), 1_000, text -> {})) {
                Aeron client = connect();
                AERON.setRelease(this, client); // release: the client is whole for senders and receivers
                RECONNECTS.setRelease(this, reconnects + 1); // release: after the client, for who waits for it
                lossTold = false;
            }
        } catch (RuntimeException e) {
            errors.onError(e); // tried again
        }
        return 1;
    }

    @Override
    public String roleName() {
        return "aeron-link";
    }

    /**
     * The client. Any thread. One that has lost its driver is closed, and is replaced when there is a driver again.
     *
     * @return the present one
     */
    public Aeron aeron() {
        return (Aeron) AERON.getAcquire(this); // acquire: pairs with the release in reconnect
    }

    /**
     * Whether the driver is there, as far as the client knows. Any thread.
     *
     * @return false once the client has given up its driver, until there is a new one, and after {@link #close}
     */
    public boolean isConnected() {
        return !isClosed() && !aeron().isClosed();
    }

    /**
     * How often a lost driver was found again. Any thread.
     *
     * @return 0 or more
     */
    public long reconnects() {
        return (long) RECONNECTS.getAcquire(this); // acquire: who sees it grow sees the new client
    }

    /**
     * The driver's directory. Any thread.
     *
     * @return its path
     */
    public Path directory() {
        return Path.of(directory);
    }

    /**
     * Whether {@link #close} was called. Any thread.
     *
     * @return true from then on
     */
    public boolean isClosed() {
        return (boolean) CLOSED.getAcquire(this); // acquire: pairs with the release in close
    }

    ErrorHandler errors() {
        return errors;
    }

    /** {@link #close()}. */
    @Override
    public void onClose() {
        close();
    }

    /**
     * Closes the client and what was opened with it, then an embedded driver, with its directory. A sender that still has events then
     * fails with {@link SendResult#CLOSED}. Any thread, once the link is not run any more; calling it again does nothing.
     */
    @Override
    public void close() {
        if (!(boolean) CLOSED.getAndSet(this, true)) { // exchange: one caller closes
            Aeron client = aeron();
            client.context().closeLingerDurationNs(CLOSE_LINGER_NANOS);
            CloseHelper.closeAll(client, driver);
        }
    }

    private static final VarHandle AERON =
            VarHandles.field(MethodHandles.lookup(), AeronLink.class, "aeron", Aeron.class);
    private static final VarHandle CLOSED =
            VarHandles.field(MethodHandles.lookup(), AeronLink.class, "closed", boolean.class);
    private static final VarHandle RECONNECTS =
            VarHandles.field(MethodHandles.lookup(), AeronLink.class, "reconnects", long.class);
}
