package io.sluice.perf.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A system of another machine: {@code == PATH} and the file's text, again and again. */
final class RecordedTree implements Tree {
    private static final String HEAD = "== ";

    private final Map<String, String> files = new TreeMap<>();

    RecordedTree(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream("/doctor/" + name + ".tree"))) {
            String path = "";
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                if (line.startsWith(HEAD)) {
                    path = line.substring(HEAD.length());
                    files.put(path, "");
                } else if (!path.isEmpty()) {
                    files.merge(path, line, (before, more) -> (before + "\n" + more).strip());
                }
            }
        }
    }

    /** The same with another text in a file. */
    RecordedTree with(String path, String text) {
        files.put(path, text);
        return this;
    }

    @Override
    public String text(String path) {
        return files.getOrDefault(path, "").strip();
    }

    @Override
    public List<String> names(String path) {
        String folder = path.endsWith("/") ? path : path + "/";
        return files.keySet().stream()
                .filter(file -> file.startsWith(folder))
                .map(file -> file.substring(folder.length()).replaceFirst("/.*", ""))
                .distinct()
                .toList();
    }
}
