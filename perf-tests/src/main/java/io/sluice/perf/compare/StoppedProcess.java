package io.sluice.perf.compare;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Stops another process and lets it go on, by the signals that a terminal's Ctrl-Z and {@code fg} send. Nothing of a stopped process
 * runs, and it keeps everything. On Linux and macOS; elsewhere each call is refused.
 */
public final class StoppedProcess {
    private static final int LINUX_STOP = 19;
    private static final int LINUX_CONTINUE = 18;
    private static final int MAC_STOP = 17;
    private static final int MAC_CONTINUE = 19;

    private static final int SET_PARENT_DEATH_SIGNAL = 1;
    private static final int KILL = 9;

    private static final @Nullable String UNAVAILABLE = register();

    private StoppedProcess() {}

    private static @Nullable String register() {
        if (!Platform.isLinux() && !Platform.isMac()) {
            return "not on " + System.getProperty("os.name");
        }
        try {
            Native.register(Signals.class, Platform.C_LIBRARY_NAME);
            return null;
        } catch (LinkageError e) {
            return e.toString();
        }
    }

    private static final class Signals {
        static native int kill(int process, int signal);
    }

    private static final class Prctl {
        static {
            Native.register(Prctl.class, Platform.C_LIBRARY_NAME);
        }

        static native int prctl(int option, NativeLong argument);
    }

    /**
     * Stops a process.
     *
     * @param process its number
     * @throws IOException if it does not take signals
     */
    public static void stop(long process) throws IOException {
        signal(process, Platform.isMac() ? MAC_STOP : LINUX_STOP);
    }

    /**
     * Lets a stopped process go on; nothing if it is not stopped.
     *
     * @param process its number
     * @throws IOException if it does not take signals
     */
    public static void goOn(long process) throws IOException {
        signal(process, Platform.isMac() ? MAC_CONTINUE : LINUX_CONTINUE);
    }

    private static void signal(long process, int signal) throws IOException {
        if (UNAVAILABLE != null) {
            throw new IOException("a contestant whose threads work on must be stopped by a signal, but there is none: "
                    + UNAVAILABLE);
        }
        if (Signals.kill(Math.toIntExact(process), signal) != 0) {
            throw new IOException("process " + process + " must take signal " + signal + ", but does not");
        }
    }

    /** Has this process end together with the thread that started it: a stopped one does not see the end of its input. Linux only. */
    public static void endWithParent() {
        if (Platform.isLinux()) {
            Prctl.prctl(SET_PARENT_DEATH_SIGNAL, new NativeLong(KILL));
        }
    }
}
