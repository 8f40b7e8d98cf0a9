package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.List;

/** Lists of processors as Linux writes them, such as {@code 0-3,8}. */
final class Lists {
    private static final int MOST = 8192;

    private Lists() {}

    /** The numbers of a list; none if the text is no list. */
    static List<Integer> numbers(String text) {
        List<Integer> numbers = new ArrayList<>();
        for (String part : text.strip().split(",", -1)) {
            int dash = part.indexOf('-');
            long from = Tree.number(dash < 0 ? part : part.substring(0, dash), -1, "");
            long to = dash < 0 ? from : Tree.number(part.substring(dash + 1), -1, "");
            if (from < 0 || to < from || to >= MOST) {
                return List.of();
            }
            for (long number = from; number <= to; number++) {
                numbers.add((int) number);
            }
        }
        return numbers;
    }

    /** The list of ascending numbers. */
    static String text(List<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < numbers.size(); i++) {
            int from = numbers.get(i);
            int to = from;
            while (i + 1 < numbers.size() && numbers.get(i + 1) == to + 1) {
                to = numbers.get(++i);
            }
            text.append(text.isEmpty() ? "" : ",").append(from).append(to > from ? "-" + to : "");
        }
        return text.toString();
    }
}
