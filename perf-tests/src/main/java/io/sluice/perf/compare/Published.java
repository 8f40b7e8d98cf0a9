package io.sluice.perf.compare;

import io.sluice.perf.report.TargetResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The figures that the documents published last. A measured ratio must stay within nine tenths of the one that was published for the
 * same row, the same pair, the same JDK's feature version and the same processor. Immutable.
 */
final class Published {
    private static final String FILE = "published.csv";
    private static final String HEAD = "row,contestant,peer,figure,jdk,processor,date,ratio,runs";
    private static final Pattern LINE = Pattern.compile("([^,\"]+),([^,\"]+),([^,\"]+),([^,\"]+),(\\d+),\"([^\"]*)\","
            + "(\\d{4}-\\d{2}-\\d{2}),(\\d+\\.\\d+),(\\d+)");
    private static final Pattern FEATURE = Pattern.compile("\\d+");

    /** Published nowhere. */
    static final Published NONE = new Published(Map.of());

    /** The key of a figure: the row, the pair, the kind of figure, the JDK's feature version, the processor. */
    record Key(String row, String contestant, String peer, String figure, int jdk, String processor) {}

    /** The published ratio, its date, and the run of that day: more than 1 where the row was run again, 0 where nobody noted it. */
    record Figure(String date, double ratio, int runs) {}

    private final Map<Key, Figure> figures;

    private Published(Map<Key, Figure> figures) {
        this.figures = figures;
    }

    /** Those of the file beside this class. */
    static Published shipped() {
        try (InputStream in = Published.class.getResourceAsStream(FILE)) {
            if (in == null) {
                return NONE;
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(FILE + " can not be read", e);
        }
    }

    static Published parse(String text) {
        Map<Key, Figure> figures = new LinkedHashMap<>();
        boolean headed = false;
        for (String line : text.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (!headed) {
                if (!line.equals(HEAD)) {
                    throw new IllegalArgumentException("head must be " + HEAD + ", but was '" + line + "'");
                }
                headed = true;
                continue;
            }
            Matcher found = LINE.matcher(line);
            if (!found.matches()) {
                throw new IllegalArgumentException("line must be as " + HEAD + " says, but was '" + line + "'");
            }
            Key key = new Key(
                    found.group(1),
                    found.group(2),
                    found.group(3),
                    found.group(4),
                    Integer.parseInt(found.group(5)),
                    found.group(6));
            if (figures.put(key, figure(found)) != null) {
                throw new IllegalArgumentException("line must be the only one of its key, but was '" + line + "'");
            }
        }
        return new Published(figures);
    }

    private static Figure figure(Matcher line) {
        return new Figure(line.group(7), Double.parseDouble(line.group(8)), Integer.parseInt(line.group(9)));
    }

    /** The keys of all figures. */
    List<Key> keys() {
        return new ArrayList<>(figures.keySet());
    }

    /** The figure that was published for a target of a row; {@link TargetResult.Guard#NONE} if there is none. */
    TargetResult.Guard guard(String row, Target target, String jvm, String processor) {
        Figure figure = figures.get(
                new Key(row, target.contestant(), target.peer(), target.figure().toString(), feature(jvm), processor));
        return figure == null
                ? TargetResult.Guard.NONE
                : new TargetResult.Guard(figure.date(), figure.ratio(), target.atMost(), figure.runs());
    }

    /**
     * The same with the figures of measured targets in place of the older ones. A second figure of one day counts as another run. A target
     * that had too few near rounds, or was not judged, changes nothing.
     *
     * @param row the id of a row
     * @param targets its targets as measured
     * @param jvm the name of the JVM
     * @param processor on which processor
     * @param date the day
     */
    Published with(String row, List<TargetResult> targets, String jvm, String processor, String date) {
        Map<Key, Figure> newer = new LinkedHashMap<>(figures);
        for (TargetResult target : targets) {
            if (target.ratio().rounds() > 0
                    && target.verdict() != TargetResult.Verdict.NOT_MEASURED
                    && target.verdict() != TargetResult.Verdict.NOT_JUDGED) {
                Key key = new Key(row, target.contestant(), target.peer(), target.figure(), feature(jvm), processor);
                Figure before = figures.get(key);
                int runs = before != null && before.date().equals(date) ? before.runs() + 1 : 1;
                newer.put(key, new Figure(date, target.ratio().median(), runs));
            }
        }
        return new Published(newer);
    }

    /** The file's text. */
    String write() {
        StringBuilder text = new StringBuilder(HEAD).append('\n');
        figures.forEach((key, figure) -> text.append(String.format(
                Locale.ROOT,
                "%s,%s,%s,%s,%d,\"%s\",%s,%.3f,%d%n",
                key.row(),
                key.contestant(),
                key.peer(),
                key.figure(),
                key.jdk(),
                key.processor().replace('"', ' '),
                figure.date(),
                figure.ratio(),
                figure.runs())));
        return text.toString();
    }

    /** The feature version in a JVM's name, 0 if it has none. */
    static int feature(String jvm) {
        Matcher found = FEATURE.matcher(jvm);
        return found.find() ? Integer.parseInt(found.group()) : 0;
    }
}
