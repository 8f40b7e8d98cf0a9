package io.sluice.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** Runs the verb that the launcher was called with, and turns its result into the exit status. */
public final class Main {
    /** Exit status: a fault of the program, printed with its stack trace. */
    static final int FAULT = 70;

    private Main() {}

    /**
     * Runs the verb and ends the JVM with its exit status.
     *
     * @param arguments the verb's name, then its arguments
     */
    public static void main(String[] arguments) {
        int status = run(Arrays.asList(arguments), ServiceLoader.load(Verb.class), System.out, System.err);
        System.out.flush();
        System.err.flush();
        while (isShuttingDown()) {
            LockSupport
                    .park(); // the JVM ends with its signal's status; an exit behind the last hook would put ours there
        }
        // Not by returning: a verb that failed may have left a thread behind, which would keep the JVM alive.
        System.exit(status);
    }

    /** Whether the JVM's hooks are running, or have run: it takes no more of them then. */
    private static boolean isShuttingDown() {
        Thread probe = new Thread();
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /**
     * Runs the verb.
     *
     * @param arguments the verb's name, then its arguments
     * @param verbs where the verb is looked for
     * @param out takes the usage
     * @param err takes the one line about bad input, or the stack trace of a fault
     * @return the exit status
     */
    static int run(List<String> arguments, Iterable<Verb> verbs, PrintStream out, PrintStream err) {
        if (arguments.isEmpty()) {
            err.println("sluice: no verb given; ./sluice lists the verbs");
            return Verb.BAD_INPUT;
        }
        String name = arguments.get(0);
        List<String> rest = arguments.subList(1, arguments.size());
        try {
            for (Verb verb : verbs) {
                if (verb.name().equals(name)) {
                    if (rest.contains("--help") || rest.contains("-h")) {
                        out.println(verb.usage().stripTrailing());
                        return Verb.DONE;
                    }
                    return verb.run(separated(rest, verb.usage()));
                }
            }
        } catch (UsageException e) {
            err.println("sluice " + name + ": " + oneLine(e));
            return Verb.BAD_INPUT;
        } catch (Throwable e) { // an Error too: whatever it is, the status must say that it was not the user's fault
            err.println("sluice " + name + ": internal fault, please report it with what follows");
            e.printStackTrace(err);
            return FAULT;
        }
        err.println("sluice: unknown verb '" + name + "'; ./sluice lists the verbs");
        return Verb.BAD_INPUT;
    }

    /**
     * Makes two arguments of each {@code --option=value}, if the usage names the option; a value that looks like one, such as a flag for
     * a JVM, stays as it is. Refuses a value for an option whose usage names none.
     */
    private static List<String> separated(List<String> arguments, String usage) throws UsageException {
        List<String> all = new ArrayList<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (argument.startsWith("--") && equals > 0 && isNamed(argument.substring(0, equals), usage)) {
                String option = argument.substring(0, equals);
                String value = argument.substring(equals + 1);
                if (!takesValue(option, usage)) {
                    throw new UsageException(option + " must have no value, but has '" + value + "'");
                }
                all.add(option);
                all.add(value);
            } else {
                all.add(argument);
            }
        }
        return all;
    }

    private static boolean isNamed(String option, String usage) {
        return Pattern.compile(Pattern.quote(option) + "(?![a-z-])")
                .matcher(usage)
                .find();
    }

    /** A usage writes the name of a value in capitals, one space behind the option. */
    private static boolean takesValue(String option, String usage) {
        return Pattern.compile(Pattern.quote(option) + " \\[?[A-Z]")
                .matcher(usage)
                .find();
    }

    private static String oneLine(UsageException e) {
        return String.valueOf(e.getMessage()).replaceAll("\\R", " ");
    }
}
