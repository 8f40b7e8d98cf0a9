package io.sluice.perf.batching;

import io.sluice.cli.UsageException;
import io.sluice.perf.report.Outputs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The arguments of {@code bench batching} and {@code bench journal}: flags, and options with a file or folder. */
final class Request {
    static final String QUICK = "--quick";

    private final Map<String, Path> paths = new HashMap<>();
    private final Set<String> flags = new HashSet<>();

    private Request() {}

    /**
     * Reads arguments, and looks at each file that is to be written.
     *
     * @param arguments what follows the verb
     * @param flags options without a value
     * @param outputs options that name a file to be written
     * @param folder the option that names a folder that is there, or an empty text
     */
    static Request parse(List<String> arguments, List<String> flags, List<String> outputs, String folder)
            throws UsageException {
        Request request = new Request();
        Iterator<String> left = arguments.iterator();
        while (left.hasNext()) {
            String option = left.next();
            if (flags.contains(option)) {
                request.flags.add(option);
                continue;
            }
            if (!outputs.contains(option) && !option.equals(folder)) {
                throw new UsageException("unknown argument '" + option + "'; allowed are " + String.join(", ", flags)
                        + ", " + String.join(", ", outputs) + (folder.isEmpty() ? "" : ", " + folder));
            }
            if (!left.hasNext()) {
                throw new UsageException(option + " needs a value");
            }
            Path path = Path.of(left.next());
            if (request.paths.put(option, path) != null) {
                throw new UsageException(option + " is given twice");
            }
            if (option.equals(folder)) {
                if (!Files.isDirectory(path) || !Files.isWritable(path)) {
                    throw new UsageException(
                            option + " is '" + path + "', allowed is a folder that is there and can be written");
                }
            } else {
                Outputs.check(option, path);
            }
        }
        if (Set.copyOf(request.paths.values()).size() < request.paths.size()) {
            throw new UsageException("two options name the same file");
        }
        return request;
    }

    boolean has(String flag) {
        return flags.contains(flag);
    }

    @Nullable
    Path path(String option) {
        return paths.get(option);
    }

    /** Writes a text to the file that an option names, if it was given. */
    void write(String option, String text) throws UsageException {
        Path file = paths.get(option);
        if (file != null) {
            Outputs.write(option, file, text);
        }
    }
}
