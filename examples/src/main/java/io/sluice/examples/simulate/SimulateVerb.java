package io.sluice.examples.simulate;

import io.sluice.backpressure.nak.RateControl;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice simulate}: runs scenarios under each rate control, prints the figures, and plots them. */
public final class SimulateVerb implements Verb {
    private final PrintStream out;

    /** Creates the verb on the process's standard output. */
    public SimulateVerb() {
        this(System.out);
    }

    SimulateVerb(PrintStream out) {
        this.out = out;
    }

    @Override
    public String name() {
        return "simulate";
    }

    @Override
    public String summary() {
        return "simulate senders and receivers under back pressure, in virtual time";
    }

    @Override
    public String usage() {
        StringBuilder text = new StringBuilder("""
                usage: ./sluice simulate SCENARIO|all [--control C] [--seed S] [--json OUT] [--html OUT] [--svg FOLDER]

                Runs each case of a scenario under each rate control, side by side. What it prints depends on SCENARIO, C
                and seed alone. D is the delay of the loop from a receiver to its sender and back.

                """);
        for (Scenario scenario : Scenario.values()) {
            text.append(String.format(Locale.ROOT, "  %-5s %s%n", scenario, scenario.title()));
        }
        return text.append("""

                        --control C  only one rate control: adaptive, aimd, cubic or ladder
                        --seed S     the seed, 1 unless given
                        --json OUT   write the figures and the curves to the file OUT
                        --html OUT   write the figures and plots of rate, fill, NAKs and drops to the file OUT
                        --svg FOLDER write the plots of each case to a file of its own in FOLDER

                        Exit status: 0 done; 1 the default rate control, adaptive, broke a bound; 2 wrong usage.
                        """).toString();
    }

    /** One case under one rate control. */
    record Run(
            Scenario scenario, String name, RateControl control, long hash, Curves curves, List<BoundCheck> checks) {}

    private record Options(
            List<Scenario> scenarios,
            List<RateControl> controls,
            long seed,
            @Nullable Path json,
            @Nullable Path html,
            @Nullable Path svg) {}

    @Override
    public int run(List<String> arguments) throws UsageException {
        Options options = parse(arguments);
        StringBuilder json = new StringBuilder();
        StringBuilder html = new StringBuilder();
        int passed = 0;
        int failed = 0;
        for (Scenario scenario : options.scenarios()) {
            List<Map<RateControl, Run>> cases = new ArrayList<>();
            for (RateControl control : options.controls()) {
                List<Scenario.Case> list = scenario.cases(control, options.seed());
                for (int i = 0; i < list.size(); i++) {
                    if (cases.size() <= i) {
                        cases.add(new EnumMap<>(RateControl.class));
                    }
                    Run run = run(scenario, list.get(i));
                    cases.get(i).put(control, run);
                    if (options.json() != null) {
                        json.append(json.isEmpty() ? "" : ",\n").append(Curves.json(run));
                    }
                    if (control == RateControl.ADAPTIVE) {
                        for (BoundCheck check : run.checks()) {
                            passed += check.holds() ? 1 : 0;
                            failed += check.holds() ? 0 : 1;
                        }
                    }
                }
            }
            out.print(table(scenario, cases, options.controls()));
            if (options.html() != null) {
                html.append(Curves.html(scenario, cases));
            }
            if (options.svg() != null) {
                for (int i = 0; i < cases.size(); i++) {
                    String file = scenario.name().toLowerCase(Locale.ROOT) + "-" + (i + 1) + ".svg";
                    write("--svg", options.svg().resolve(file), Curves.figure(scenario, cases.get(i)));
                }
            }
        }
        if (options.json() != null) {
            write("--json", options.json(), "[\n" + json + "\n]\n");
        }
        if (options.html() != null) {
            write("--html", options.html(), Curves.page(html.toString(), options.seed()));
        }
        out.print(String.format(Locale.ROOT, "simulate: %d passed, %d failed, 0 skipped%n", passed, failed));
        out.flush();
        return failed == 0 ? DONE : CHECK_FAILED;
    }

    private static Run run(Scenario scenario, Scenario.Case one) {
        Trace trace = Simulation.run(one.settings());
        return new Run(
                scenario,
                one.name(),
                one.settings().rateControl,
                trace.hash(),
                Curves.of(trace),
                one.judge().apply(trace));
    }

    private static String table(Scenario scenario, List<Map<RateControl, Run>> cases, List<RateControl> controls) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%s: %s%n", scenario, scenario.title()));
        text.append(String.format(Locale.ROOT, "  %-26s %-26s %12s", "case", "figure", "bound"));
        for (RateControl control : controls) {
            text.append(String.format(Locale.ROOT, " %12s", control.name().toLowerCase(Locale.ROOT)));
        }
        text.append(String.format(Locale.ROOT, "%n"));
        for (Map<RateControl, Run> one : cases) {
            Run first = one.values().iterator().next();
            for (int i = 0; i < first.checks().size(); i++) {
                BoundCheck check = first.checks().get(i);
                text.append(String.format(
                        Locale.ROOT,
                        "  %-26s %-26s %12s",
                        first.name(),
                        check.name(),
                        check.relation() + " " + number(check.bound())));
                for (Run run : one.values()) { // in the order of the rate controls, as the headings are
                    BoundCheck own = run.checks().get(i);
                    text.append(String.format(Locale.ROOT, " %11s%s", number(own.value()), own.holds() ? " " : "!"));
                }
                text.append(String.format(Locale.ROOT, "%n"));
            }
        }
        return text.toString();
    }

    static String number(double value) {
        if (Double.isInfinite(value)) {
            return "never";
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.3f", value);
    }

    private static void write(String option, Path file, String text) throws UsageException {
        try {
            Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UsageException(option + " '" + file + "' cannot be written: " + e.getMessage());
        }
    }

    private static Options parse(List<String> arguments) throws UsageException {
        List<Scenario> scenarios = new ArrayList<>();
        List<RateControl> controls = List.of(RateControl.values());
        long seed = 1;
        Path json = null;
        Path html = null;
        Path svg = null;
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            String argument = rest.next();
            if (!argument.startsWith("--")) {
                if (!scenarios.isEmpty()) {
                    throw new UsageException("SCENARIO must be given once, but '" + argument + "' is one too many");
                }
                scenarios.addAll(scenarios(argument));
                continue;
            }
            if (!List.of("--control", "--seed", "--json", "--html", "--svg").contains(argument)) {
                throw new UsageException(
                        "each argument must be --control, --seed, --json, --html or --svg, but one was '" + argument
                                + "'");
            }
            if (!rest.hasNext()) {
                throw new UsageException(argument + " must have a value, but none follows");
            }
            String value = rest.next();
            switch (argument) {
                case "--control" -> controls = List.of(control(value));
                case "--seed" -> seed = seed(value);
                case "--json" -> json = path(argument, value);
                case "--html" -> html = path(argument, value);
                default -> svg = path(argument, value);
            }
        }
        if (scenarios.isEmpty()) {
            throw new UsageException("the scenario must be all or one of " + names() + ", but none was given");
        }
        return new Options(scenarios, controls, seed, json, html, svg);
    }

    private static List<Scenario> scenarios(String value) throws UsageException {
        if (value.equals("all")) {
            return List.of(Scenario.values());
        }
        for (Scenario scenario : Scenario.values()) {
            if (scenario.name().equalsIgnoreCase(value)) {
                return List.of(scenario);
            }
        }
        throw new UsageException("SCENARIO must be all or one of " + names() + ", but was '" + value + "'");
    }

    private static String names() {
        return String.join(
                ", ", Arrays.stream(Scenario.values()).map(Enum::name).toList());
    }

    private static RateControl control(String value) throws UsageException {
        for (RateControl control : RateControl.values()) {
            if (control.name().equalsIgnoreCase(value)) {
                return control;
            }
        }
        throw new UsageException("--control must be adaptive, aimd, cubic or ladder, but was '" + value + "'");
    }

    private static long seed(String value) throws UsageException {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new UsageException("--seed must be a whole number of 64 bits, but was '" + value + "'");
        }
    }

    private static Path path(String option, String value) throws UsageException {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new UsageException(option + " must be a file name, but '" + value + "' is none: " + e.getReason());
        }
    }
}
