package io.sluice.batching.journal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The second process of {@link JournalLockTest}: reads commands, one a line, and answers each with a line. */
public final class JournalLocker {
    private static final Map<Path, Journal> OPEN = new HashMap<>();

    private JournalLocker() {}

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int space = line.indexOf(' ');
            System.out.println(answer(line.substring(0, space), Path.of(line.substring(space + 1))));
        }
    }

    /** Does what is asked; the kind of the failure, if it fails. */
    public static String answer(String command, Path folder) throws IOException {
        try {
            switch (command) {
                case "open" -> {
                    OPEN.put(
                            folder,
                            Journal.open(folder, JournalConfig.defaults().segmentSize(6 * Frame.BLOCK)));
                    return "opened";
                }
                case "repair" -> {
                    return Journal.repair(folder).toString();
                }
                default -> {
                    Journal open = OPEN.remove(folder);
                    if (open == null) {
                        return "not open";
                    }
                    open.close();
                    return "closed";
                }
            }
        } catch (JournalException e) {
            return e.kind().toString();
        }
    }
}
