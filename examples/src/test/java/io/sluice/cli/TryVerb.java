package io.sluice.cli;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The verb that {@link LauncherTest} puts into its small trees; its first argument says what it does. */
public final class TryVerb implements Verb {
    /** Creates the verb. */
    public TryVerb() {}

    @Override
    public String name() {
        return "try";
    }

    @Override
    public String summary() {
        return "does what its first argument says";
    }

    @Override
    public String usage() {
        return "usage: ./sluice try WHAT";
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        switch (arguments.get(0)) {
            case "print" -> {
                System.out.println("folder " + Path.of("").toAbsolutePath());
                System.out.println("classes " + System.getProperty("java.class.path"));
                System.out.println("option of Agrona's buffers "
                        + Object.class.getModule().isExported("jdk.internal.misc", TryVerb.class.getModule()));
                arguments.forEach(argument -> System.out.println("argument [" + argument + "]"));
            }
            case "flood" -> {
                for (int i = 0; i < 100_000; i++) {
                    System.out.println("line " + i);
                }
            }
            case "write" -> {
                try (OutputStream file = Files.newOutputStream(Path.of(arguments.get(1)))) {
                    System.out.println("to standard output");
                    System.err.println("to standard error");
                    file.write("to the file".getBytes(StandardCharsets.UTF_8));
                }
                boolean usable = System.in.read() < 0 && !System.out.checkError() && !System.err.checkError();
                return usable ? DONE : CHECK_FAILED;
            }
            case "wait" -> {
                System.out.println("waiting");
                Thread.sleep(600_000);
            }
            case "usage" -> throw new UsageException("WHAT is 'usage', allowed is anything else");
            case "fault" -> throw new IllegalStateException("at fault");
            default -> {
                return Integer.parseInt(arguments.get(0));
            }
        }
        return DONE;
    }
}
