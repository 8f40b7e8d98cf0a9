package io.sluice.jcstress.gate;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The line in which jcstress counts its configurations; its exit status says nothing about tests that it left out.
 *
 * @param planned how many it meant to run
 * @param passed how many were green
 * @param failed how many gave a forbidden outcome
 * @param errors how many broke
 */
record Totals(long planned, long passed, long failed, long errors) {
    private static final Pattern LINE = Pattern.compile(
            "\\(Results: ([\\d,]+) planned; ([\\d,]+) passed, ([\\d,]+) failed, ([\\d,]+) soft errs, ([\\d,]+) hard errs\\)");

    /** The last such line, null if there is none. */
    static @Nullable Totals last(List<String> lines) {
        Totals last = null;
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.find()) {
                last = new Totals(
                        number(matcher, 1),
                        number(matcher, 2),
                        number(matcher, 3),
                        number(matcher, 4) + number(matcher, 5));
            }
        }
        return last;
    }

    private static long number(Matcher matcher, int group) {
        return Long.parseLong(matcher.group(group).replace(",", ""));
    }
}
