package io.sluice.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One Markdown file, taken apart as far as {@link DocsTest} needs it. */
final class Markdown {
    private static final Pattern FENCE = Pattern.compile("^ {0,3}(`{3,}|~{3,})\\s*([\\w+-]*).*$");
    private static final Pattern HEADING = Pattern.compile("^ {0,3}#{1,6}\\s+(.*?)\\s*#*\\s*$");
    private static final Pattern CODE_SPAN = Pattern.compile("(`+)(.+?)\\1");
    private static final Pattern LINK =
            Pattern.compile("\\[((?:[^\\[\\]]|\\[[^\\[\\]]*])*)]\\(\\s*<?([^)\\s>]*)>?(?:\\s+\"[^\"]*\")?\\s*\\)");
    private static final Pattern DEFINITION =
            Pattern.compile("^ {0,3}\\[([^\\]]+)]:\\s*<?(\\S+?)>?(?:\\s+\".*\")?\\s*$");
    private static final Pattern REFERENCE = Pattern.compile("\\[((?:[^\\[\\]]|\\[[^\\[\\]]*])+)]\\[([^\\[\\]]*)]");
    private static final Pattern HREF = Pattern.compile("<(?:a|img)\\s[^>]*?(?:href|src)=\"([^\"]*)\"");
    private static final Pattern ANCHOR = Pattern.compile("<a\\s[^>]*?(?:id|name)=\"([^\"]*)\"");

    /** A fenced block; comments are the texts of the HTML comments just before it. */
    record Block(int line, String language, String text, List<String> comments) {}

    /** Where a link leads. */
    record Link(int line, String target) {}

    private final Path file;
    private final List<Block> blocks = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Set<String> anchors = new HashSet<>();
    private final Map<String, Integer> headings = new HashMap<>();

    /**
     * Takes a text apart.
     *
     * @param file where it stands
     * @param text the text
     */
    Markdown(Path file, String text) {
        this.file = file;
        List<String> lines = text.lines().toList();
        Map<String, Link> references = new HashMap<>();
        Map<String, Link> definitions = new HashMap<>();
        List<String> comments = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            Matcher fence = FENCE.matcher(line);
            if (fence.matches()) {
                int begin = i + 1;
                List<String> content = new ArrayList<>();
                while (++i < lines.size() && !lines.get(i).strip().startsWith(fence.group(1))) {
                    content.add(lines.get(i));
                }
                if (i == lines.size()) {
                    faults.add(file + ":" + begin + ": the fenced block has no end");
                }
                blocks.add(new Block(begin, fence.group(2), String.join("\n", content) + "\n", List.copyOf(comments)));
                comments.clear();
            } else if (line.startsWith("<!--")) {
                StringBuilder comment = new StringBuilder(line);
                while (comment.indexOf("-->") < 0 && ++i < lines.size()) {
                    comment.append('\n').append(lines.get(i));
                }
                comments.add(comment.toString()
                        .replaceFirst("^<!--", "")
                        .replaceFirst("(?s)-->.*", "")
                        .strip());
            } else {
                if (!line.isBlank()) {
                    comments.clear();
                }
                readProse(line, i + 1, references, definitions);
            }
        }
        references.forEach((id, use) -> {
            Link definition = definitions.get(id);
            if (definition == null) {
                faults.add(file + ":" + use.line() + ": the reference [" + id + "] is not defined");
            } else {
                links.add(new Link(use.line(), definition.target()));
            }
        });
    }

    private void readProse(String line, int number, Map<String, Link> references, Map<String, Link> definitions) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
            addHeading(heading.group(1));
        }
        String prose = CODE_SPAN.matcher(line).replaceAll("code");
        Matcher anchor = ANCHOR.matcher(prose);
        while (anchor.find()) {
            anchors.add(anchor.group(1));
        }
        Matcher definition = DEFINITION.matcher(prose);
        if (definition.matches()) {
            definitions.put(key(definition.group(1)), new Link(number, definition.group(2)));
            return;
        }
        for (Pattern pattern : List.of(LINK, HREF)) {
            Matcher link = pattern.matcher(prose);
            while (link.find()) {
                links.add(new Link(number, link.group(link.groupCount())));
            }
        }
        Matcher reference = REFERENCE.matcher(prose);
        while (reference.find()) {
            String id = reference.group(2).isEmpty() ? reference.group(1) : reference.group(2);
            references.put(key(id), new Link(number, ""));
        }
    }

    private static String key(String id) {
        return id.strip().toLowerCase(Locale.ROOT);
    }

    /** The anchor that code hosts give to a heading: lower case, hyphens for blanks, no other punctuation, numbered. */
    private void addHeading(String text) {
        String plain = text.replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1").replace("`", "");
        String slug = plain.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .strip()
                .replace(' ', '-');
        int before = headings.merge(slug, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? slug : slug + "-" + before);
    }

    Path file() {
        return file;
    }

    List<Block> blocks() {
        return blocks;
    }

    /** Returns the links, references resolved. */
    List<Link> links() {
        return links;
    }

    /** Returns what is wrong with the file by itself. */
    List<String> faults() {
        return faults;
    }

    Set<String> anchors() {
        return anchors;
    }
}
