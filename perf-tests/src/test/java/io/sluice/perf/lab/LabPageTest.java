package io.sluice.perf.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.perf.batching.Check;
import io.sluice.perf.batching.Findings;
import io.sluice.perf.batching.Table;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.RecordedMeasurements;
import io.sluice.perf.compare.Row;
import io.sluice.perf.report.Browser;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.svg.BarChart;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lab's page in a real browser: all experiments, with plots, tables, verdicts, notes and a failure. */
@Tag("once")
class LabPageTest {
    /** Each experiment has as many figures as it has contestants; the first one is smaller, so the others' bars are longer. */
    private static Section section(Experiment experiment) {
        Row row = Row.of(Experiment.SUITE, experiment.row().id(), "ns", experiment.title())
                .contestants(experiment.row().reference(), experiment.row()::entries)
                .notes(
                        measurement -> List.of(
                                "A note, as long as one of the longest: the busiest thread did so many times as"
                                        + " much as the laziest, median: add-2 1.04, add-3 1.51, add-4 1.26, cas-2 1.09, cas-3 1.62."))
                .build();
        Experiment plain = new Experiment(
                row,
                experiment.article(),
                experiment.claim(),
                experiment.shows(),
                experiment.musts(),
                experiment.published());
        List<Measurement.Sample> samples = new ArrayList<>();
        boolean traced = experiment.name().equals("pauses");
        for (int round = 0; round < 6; round++) {
            int place = 0;
            for (Entry entry : row.entries()) {
                samples.add(new Measurement.Sample(
                        round,
                        0,
                        entry.id(),
                        (place == 0 ? 3.21 : 1_234.5 * place) * (1 + round / 10.0),
                        60,
                        60,
                        traced ? trace() : ""));
                place++;
            }
        }
        return Section.of(plain, RecordedMeasurements.of(samples), 2, true);
    }

    private static String trace() {
        long[] slowest = new long[400];
        for (int i = 0; i < slowest.length; i++) {
            slowest[i] = i > 200 && i < 240 ? 40_000_000L - (i - 200) * 1_000_000L : 70_000 + i * 13L;
        }
        List<Trace.Stop> stops = List.of(new Trace.Stop(200_000_000, 40_000_000), new Trace.Stop(300_000_000, 90_000));
        return Trace.write(1_000_000, slowest, stops.subList(0, 1), stops);
    }

    private static Section section(Roofed bench) {
        List<String> head = List.of("", "mean", "median", "99th percentile", "sent a second", "messages a batch");
        List<List<String>> rows = List.of(
                List.of("smart batching", "123.4 \u00b5s", "101.2 \u00b5s", "1.23 ms", "12,345", "3.2"),
                List.of("a lock around the device", "12,345.6 \u00b5s", "101.2 \u00b5s", "1.23 ms", "12,345", "1.0"));
        return Section.of(
                bench,
                new Findings(
                        List.of(
                                new Table(bench.title(), head, rows),
                                new Table(
                                        "what `./sluice bench journal` asks for; it depends on the disk and the processor, so it"
                                                + " decides nothing here",
                                        List.of("", "here"),
                                        List.of(List.of(
                                                "append, forced at the end, at 88.5 % of the bare loop's rate, or where copying and"
                                                        + " checksums leave less to reach, at 88.5 % of that of the encoding loop",
                                                "not reached")))),
                        List.of(
                                new Check(
                                        "at 50 % of the device's rate smart batching has a mean of 123.4 \u00b5s",
                                        true),
                                new Check("over 4 rolls the longest batch took 1.20 times the longest without", false)),
                        List.of(new Findings.Plot(
                                "Rates of the methods: bars; quartiles: lines.",
                                new BarChart(
                                                "Rates",
                                                "rate, more is better",
                                                "ratio",
                                                "RandomAccessFile writing, 2,646 MB/s")
                                        .add("RandomAccessFile, writing", 0.9, 1, 1.1, false, 0, 0)
                                        .add("journal, blocks, reading", 2.9, 3, 3.1, true, 0, 0)::svg))),
                false);
    }

    private static Lab.Result result() throws Exception {
        List<Section> sections = new ArrayList<>();
        Experiments.ALL.forEach(experiment -> sections.add(section(experiment)));
        Roofed.ALL.forEach(bench -> sections.add(section(bench)));
        sections.add(
                Section.failed(
                        LabBreaksTest.experiment("dispatch"),
                        "java.io.IOException: lab-dispatch/one ended; its errors: Exception in thread \"main\" java.lang.Illegal"));
        return new Lab.Result(
                "The lab: old experiments on this machine",
                "2026-11-24T12:00:00Z",
                true,
                true,
                Lab.summary(sections),
                Machine.own("./sluice lab all --quick --html lab.html", "pinned", List.of("LMAX Disruptor", "Agrona")),
                sections);
    }

    @Test
    void theLabsPageCanBeReadOnAPhoneAndOnADeskInLightAndInDark(@TempDir Path folder) throws Exception {
        Optional<Browser> browser = Browser.find(folder);
        assumeTrue(browser.isPresent(), "no browser with a headless mode on the PATH");
        Lab.Result result = result();
        int traces = result.experiments().stream()
                .mapToInt(section -> section.traces().size())
                .sum();
        assertThat(traces).isGreaterThan(2);
        browser.orElseThrow().checkEverywhere(List.of(LabPage.of(result)), Lab.TOPICS.size() + traces);
    }
}
