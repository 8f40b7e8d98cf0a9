package io.sluice.examples.simulate;

import io.sluice.backpressure.nak.RateControl;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The points of a trace to be drawn: a few hundred points each of the first sender's rate (messages a second), the first
 * receiver's fill (percent), NAKs and drops so far.
 */
final class Curves {
    private static final String[] NAMES = {"rate", "fill", "naks", "drops"};
    private static final String[] TITLES = {"sent, messages/s", "fill, %", "NAKs so far", "drops so far"};
    private static final int POINTS = 240;
    private static final int WIDTH = 420;
    private static final int HEIGHT = 130;
    private static final int GAP = 12;
    private static final int HEAD = 40;

    private final double[][] points;
    private final double millis;

    private Curves(double[][] points, double millis) {
        this.points = points;
        this.millis = millis;
    }

    static Curves of(Trace trace) {
        int points = Math.min(POINTS, trace.ticks());
        double[][] curves = new double[NAMES.length][points];
        List<Trace.SentNak> naks = trace.naks();
        int nak = 0;
        for (int i = 0; i < points; i++) {
            int from = (int) ((long) trace.ticks() * i / points);
            int to = (int) ((long) trace.ticks() * (i + 1) / points);
            curves[0][i] = trace.sending(0, from, to);
            curves[1][i] = 100 * trace.fill(0, to - 1);
            while (nak < naks.size() && naks.get(nak).nanos() <= (to - 1L) * trace.tickNanos()) {
                nak++;
            }
            curves[2][i] = nak;
            curves[3][i] = trace.dropped(0, to - 1);
        }
        return new Curves(curves, (double) trace.ticks() * trace.tickNanos() / 1e6);
    }

    static String json(SimulateVerb.Run run) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "{\"scenario\": \"%s\", \"case\": \"%s\", \"control\": \"%s\", \"trace\": \"%016x\", \"milliseconds\": %s,\n \"checks\": [",
                run.scenario(),
                run.name(),
                run.control().name().toLowerCase(Locale.ROOT),
                run.hash(),
                number(run.curves().millis)));
        String separator = "";
        for (BoundCheck check : run.checks()) {
            text.append(String.format(
                    Locale.ROOT,
                    "%s{\"figure\": \"%s\", \"value\": %s, \"relation\": \"%s\", \"bound\": %s, \"holds\": %s}",
                    separator,
                    check.name(),
                    number(check.value()),
                    check.relation(),
                    number(check.bound()),
                    check.holds()));
            separator = ", ";
        }
        text.append(']');
        for (int c = 0; c < NAMES.length; c++) {
            text.append(",\n \"").append(NAMES[c]).append("\": [");
            for (int i = 0; i < run.curves().points[c].length; i++) {
                text.append(i == 0 ? "" : ",").append(number(run.curves().points[c][i]));
            }
            text.append(']');
        }
        return text.append('}').toString();
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.6g", value) : "null";
    }

    static String page(String body, long seed) {
        return String.format(Locale.ROOT, """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>Sluice: simulated back pressure</title>
                <style>body{font:14px sans-serif;margin:2em}svg{margin:4px}td,th{padding:1px 10px;text-align:right}
                td:first-child,th:first-child{text-align:left}.no{color:#b00}</style></head><body>
                <h1>Simulated back pressure, seed %d</h1>
                <p>%s</p>
                %s</body></html>
                """, seed, legend(), body);
    }

    private static String legend() {
        StringBuilder text = new StringBuilder();
        for (RateControl control : RateControl.values()) {
            text.append(String.format(
                    Locale.ROOT,
                    "<b style=\"color:%s\">%s</b> ",
                    colour(control),
                    control.name().toLowerCase(Locale.ROOT)));
        }
        return text.toString();
    }

    static String html(Scenario scenario, List<Map<RateControl, SimulateVerb.Run>> cases) {
        StringBuilder text =
                new StringBuilder(String.format(Locale.ROOT, "<h2>%s: %s</h2>\n", scenario, scenario.title()));
        for (Map<RateControl, SimulateVerb.Run> one : cases) {
            SimulateVerb.Run first = one.values().iterator().next();
            text.append("<h3>").append(first.name()).append("</h3>\n<table>");
            for (SimulateVerb.Run run : one.values()) {
                text.append(String.format(
                        Locale.ROOT, "<tr><td>%s</td>", run.control().name().toLowerCase(Locale.ROOT)));
                for (BoundCheck check : run.checks()) {
                    text.append(String.format(
                            Locale.ROOT,
                            "<td%s>%s %s (%s %s)</td>",
                            check.holds() ? "" : " class=\"no\"",
                            check.name(),
                            SimulateVerb.number(check.value()),
                            check.relation().replace("<", "&lt;").replace(">", "&gt;"),
                            SimulateVerb.number(check.bound())));
                }
                text.append("</tr>\n");
            }
            text.append("</table>\n");
            for (int c = 0; c < NAMES.length; c++) {
                text.append(plot(c, one));
            }
        }
        return text.toString();
    }

    /** One case as a picture of its own: the four plots, two by two, under its name and the colours of the rate controls. */
    static String figure(Scenario scenario, Map<RateControl, SimulateVerb.Run> one) {
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif">
                <rect width="100%%" height="100%%" fill="#ffffff"/>
                <text x="2" y="14" font-size="13">%s, %s: %s</text>
                """,
                2 * WIDTH + GAP,
                2 * (HEIGHT + GAP) + HEAD,
                scenario,
                one.values().iterator().next().name(),
                scenario.title()));
        int x = 2;
        for (RateControl control : one.keySet()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"30\" font-size=\"12\" font-weight=\"bold\" fill=\"%s\">%s</text>\n",
                    x,
                    colour(control),
                    control.name().toLowerCase(Locale.ROOT)));
            x += 80;
        }
        for (int c = 0; c < NAMES.length; c++) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<g transform=\"translate(%d,%d)\">",
                    c % 2 * (WIDTH + GAP),
                    HEAD + c / 2 * (HEIGHT + GAP)));
            svg.append(plot(c, one).strip()).append("</g>\n");
        }
        return svg.append("</svg>\n").toString();
    }

    private static String plot(int curve, Map<RateControl, SimulateVerb.Run> runs) {
        double top = curve == 1 ? 100 : 1;
        double millis = 0;
        for (SimulateVerb.Run run : runs.values()) {
            millis = run.curves().millis;
            for (double value : run.curves().points[curve]) {
                top = Math.max(top, value);
            }
        }
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"><rect x=\"0\" y=\"16\" width=\"%d\" height=\"%d\""
                        + " fill=\"#f6f6f6\"/><text x=\"2\" y=\"12\" font-size=\"11\">%s, top %s, to %.1f ms</text>",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT - 16,
                TITLES[curve],
                SimulateVerb.number(Math.rint(top)),
                millis));
        for (SimulateVerb.Run run : runs.values()) {
            double[] values = run.curves().points[curve];
            svg.append("<polyline fill=\"none\" stroke-width=\"1.2\" stroke=\"")
                    .append(colour(run.control()))
                    .append("\" points=\"");
            for (int i = 0; i < values.length; i++) {
                svg.append(String.format(
                        Locale.ROOT,
                        "%s%.1f,%.1f",
                        i == 0 ? "" : " ",
                        (double) WIDTH * i / values.length,
                        HEIGHT - (HEIGHT - 18) * values[i] / top));
            }
            svg.append("\"/>");
        }
        return svg.append("</svg>\n").toString();
    }

    private static String colour(RateControl control) {
        return switch (control) {
            case ADAPTIVE -> "#1b6ca8";
            case AIMD -> "#d1782b";
            case CUBIC -> "#4a8f3c";
            case LADDER -> "#9b4f96";
        };
    }
}
