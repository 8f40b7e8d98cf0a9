package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The page as a tree of elements: every plot has marks, labels and units, all inside its frame, and nothing is loaded. */
class HtmlReportTest {
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");

    private final String text = HtmlReport.write(Samples.report(3));
    private final Document page = parse(text);

    private static Document parse(String text) {
        try {
            String body = text.replaceFirst("<!DOCTYPE html>\\s*", "");
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(body)));
        } catch (Exception e) {
            throw new AssertionError("not well-formed: " + e.getMessage(), e);
        }
    }

    private static List<Element> all(Object from, String name) {
        NodeList nodes = from instanceof Document document
                ? document.getElementsByTagName(name)
                : ((Element) from).getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    private static boolean has(Element element, String style) {
        return List.of(element.getAttribute("class").split(" ", -1)).contains(style);
    }

    private List<Element> plots(String kind) {
        return all(page, "svg").stream().filter(svg -> has(svg, kind)).toList();
    }

    private static List<Element> marks(Element plot) {
        List<Element> marks = new ArrayList<>(all(plot, "rect"));
        marks.addAll(all(plot, "path"));
        marks.removeIf(mark -> !has(mark, "mark"));
        return marks;
    }

    @Test
    void eachPlotIsThereForTheDeskAndForThePhone() {
        assertThat(plots("bars")).hasSize(3 * 2);
        assertThat(plots("lines")).hasSize(1 * 2);
        assertThat(plots("graph")).hasSize(2 * 2);
        assertThat(plots("strips")).hasSize(3 * 2);
        assertThat(all(page, "svg")).hasSize(18);
        for (Element svg : all(page, "svg")) {
            Element frame = (Element) svg.getParentNode();
            double width = Double.parseDouble(svg.getAttribute("width"));
            assertThat(width).isLessThanOrEqualTo(has(frame, "narrow") ? 328 : 580);
            assertThat(has(frame, "narrow") || has(frame, "wide")).isTrue();
        }
    }

    @Test
    void everyPlotHasMarksLabelsAndUnits() {
        for (Element svg : all(page, "svg")) {
            assertThat(svg.getAttribute("role")).isEqualTo("img");
            assertThat(svg.getAttribute("aria-label")).isNotBlank();
            assertThat(marks(svg)).isNotEmpty();
            List<Element> texts = all(svg, "text");
            assertThat(texts).allSatisfy(one -> assertThat(one.getTextContent()).isNotBlank());
            assertThat(texts).anyMatch(one -> has(one, "label"));
            if (!has(svg, "graph")) {
                assertThat(texts)
                        .filteredOn(one -> has(one, "unit"))
                        .isNotEmpty()
                        .allSatisfy(one -> assertThat(one.getTextContent()).containsPattern("\\[.+]"));
                assertThat(texts).filteredOn(one -> has(one, "tick")).hasSizeGreaterThan(2);
            }
        }
    }

    @Test
    void aBarForEachContestantWithARatioAndACurveForEachDistribution() {
        assertThat(plots("bars").stream().map(svg -> marks(svg).size())).containsOnly(3);
        assertThat(plots("lines").stream().map(svg -> marks(svg).size())).containsOnly(2);
        assertThat(plots("strips").stream().map(svg -> marks(svg).size())).containsOnly(3);
        assertThat(plots("graph").stream().map(svg -> marks(svg).size())).containsExactly(8, 8, 4, 4);
        for (Element svg : plots("bars")) {
            assertThat(all(svg, "path"))
                    .filteredOn(one -> has(one, "quartiles"))
                    .hasSize(3);
            assertThat(all(svg, "line")).anyMatch(one -> has(one, "must")).anyMatch(one -> has(one, "stretch"));
        }
    }

    /** By the width that letters have at most, no text leaves its plot, and no two ticks stand on each other. */
    @Test
    void everythingLiesInsideItsPlot() {
        for (Element svg : all(page, "svg")) {
            double width = Double.parseDouble(svg.getAttribute("width"));
            double height = Double.parseDouble(svg.getAttribute("height"));
            double lastTick = -1;
            double lastY = -1;
            for (Element one : all(svg, "text")) {
                double length = one.getTextContent().length() * 12 * 0.66;
                double x = Double.parseDouble(one.getAttribute("x"));
                double from = switch (one.getAttribute("text-anchor")) {
                    case "start" -> x;
                    case "middle" -> x - length / 2;
                    default -> x - length;
                };
                assertThat(from).as("begin of '%s'", one.getTextContent()).isGreaterThanOrEqualTo(-0.01);
                assertThat(from + length)
                        .as("end of '%s'", one.getTextContent())
                        .isLessThanOrEqualTo(width + 0.01);
                double y = Double.parseDouble(one.getAttribute("y"));
                assertThat(y).isBetween(0.0, height);
                if (has(one, "tick")) {
                    if (y == lastY) {
                        assertThat(from).as("tick '%s'", one.getTextContent()).isGreaterThan(lastTick);
                    }
                    lastTick = from + length;
                    lastY = y;
                }
            }
            for (Element rect : all(svg, "rect")) {
                double x = Double.parseDouble(rect.getAttribute("x"));
                assertThat(x).isGreaterThanOrEqualTo(0);
                assertThat(x + Double.parseDouble(rect.getAttribute("width"))).isLessThanOrEqualTo(width);
            }
        }
    }

    /** The bars' lengths are the medians': on the linear axis the one of 1 is as long as the line of the reference is far. */
    @Test
    void barsAreAsLongAsTheirMedians() {
        Element svg = plots("bars").get(0);
        List<Element> bars = marks(svg);
        double from = Double.parseDouble(bars.get(0).getAttribute("x"));
        double one = Double.parseDouble(all(svg, "line").stream()
                .filter(line -> has(line, "reference"))
                .findFirst()
                .orElseThrow()
                .getAttribute("x1"));
        double median =
                Samples.report(3).rows().get(0).contestants().get(0).ratio().median();
        assertThat(Double.parseDouble(bars.get(1).getAttribute("width"))).isCloseTo(one - from, within());
        assertThat(Double.parseDouble(bars.get(0).getAttribute("width"))).isCloseTo((one - from) * median, within());
    }

    private static org.assertj.core.data.Offset<Double> within() {
        return org.assertj.core.data.Offset.offset(0.05);
    }

    @Test
    void itNamesTheMachineTheCommandAndEveryFigure() {
        String words = page.getDocumentElement().getTextContent();
        assertThat(words)
                .contains("Imagined CPU " + Samples.HARD)
                .contains("./sluice bench compare --rows '" + Samples.HARD + "'")
                .contains("OpenJDK 17", "OpenJDK 25", "0123456789abcdef+", "0.25 on 2 cores")
                .contains("2026-11-21T08:00:00Z", "configuration " + Samples.HARD)
                .contains("holds", "a loss", "out of reach: bare: 1.45", "not measured")
                .contains("1.90 published on 2026-11-01, to be kept: at least 1.71")
                .contains("Best peer: LMAX Disruptor SINGLE, 1.00 (0.90 to 1.10) of LMAX Disruptor SINGLE")
                .contains("no published figure of this processor and JDK", ", p90")
                .contains("1.80 (1.60 to 2.00)", "31 near, 4 far");
    }

    @Test
    void itLoadsNothingAndRunsNothing() {
        Set<String> elements = new TreeSet<>();
        for (Element element : all(page, "*")) {
            elements.add(element.getTagName());
            for (String attribute : List.of("src", "href", "onclick", "onload", "style")) {
                assertThat(element.hasAttribute(attribute)).as(attribute).isFalse();
            }
        }
        assertThat(elements).doesNotContain("script", "link", "img", "iframe", "object", "b");
        String style = all(page, "style").get(0).getTextContent();
        assertThat(style).doesNotContain("url(", "@import").contains("prefers-color-scheme: dark", "max-width: 639px");
        assertThat(text.replace("http://www.w3.org/", "")).doesNotContain("http:", "https:");
    }

    /** Light and dark name the same colours, and every colour that is used. */
    @Test
    void everyColourIsThereInLightAndInDark() {
        String style = all(page, "style").get(0).getTextContent();
        int dark = style.indexOf("prefers-color-scheme: dark");
        int rest = style.indexOf(".plot");
        Set<String> light = names("--(\\w+):", style.substring(0, dark));
        assertThat(names("--(\\w+):", style.substring(dark, rest))).isEqualTo(light);
        assertThat(light).containsAll(names("var\\(--(\\w+)\\)", style));
    }

    private static Set<String> names(String pattern, String text) {
        Set<String> names = new TreeSet<>();
        Pattern.compile(pattern).matcher(text).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    @Test
    void coordinatesAreNumbersWhateverTheLocale() {
        for (Element line : all(page, "line")) {
            for (String name : List.of("x1", "y1", "x2", "y2")) {
                assertThat(line.getAttribute(name)).matches(NUMBER);
            }
        }
    }

    @Test
    void aRunThatWasStoppedSaysSo() {
        Report whole = Samples.report(4);
        Report part = Report.of(whole.title(), whole.date(), false, whole.machine(), List.of());
        assertThat(HtmlReport.write(part)).contains("Stopped before its end");
        assertThat(HtmlReport.write(whole)).doesNotContain("Stopped before its end");
    }

    @Test
    void theRatiosAloneAreADrawingInAFileOfItsOwn() {
        Element file = parse(HtmlReport.svg(Samples.report(3))).getDocumentElement();
        assertThat(file.getTagName()).isEqualTo("svg");
        assertThat(all(file, "style")).hasSize(1);
        List<Element> plots = all(file, "svg");
        assertThat(plots).hasSize(3).allMatch(plot -> has(plot, "bars"));
        double free = 0;
        for (Element plot : plots) {
            double top = Double.parseDouble(plot.getAttribute("y"));
            assertThat(top).isGreaterThan(free);
            free = top + Double.parseDouble(plot.getAttribute("height"));
            assertThat(plot.getAttribute("width")).isEqualTo(file.getAttribute("width"));
            assertThat(marks(plot)).isNotEmpty();
        }
        assertThat(free).isLessThanOrEqualTo(Double.parseDouble(file.getAttribute("height")));
    }

    @Test
    void itBeginsWithWhatItSaysInShortAndOnWhatItWasMeasured() {
        List<Element> paragraphs = all(page, "p");
        assertThat(has(paragraphs.get(0), "summary")).isTrue();
        assertThat(paragraphs.get(0).getTextContent()).matches("Of \\d rows with a peer Sluice is ahead in \\d, .*");
        String facts = all(page, "table").get(0).getTextContent();
        assertThat(facts)
                .contains("1.2.3-SNAPSHOT, commit 0123456789abcdef+")
                .contains("Imagined Vendor", "collector G1", "flags -Xmx512m")
                .contains("System.nanoTime(), 22.5 ns a call, smallest step 10 ns, source tsc")
                .contains("LMAX Disruptor 4.5.6, Agrona 7.8.9");
    }

    @Test
    void itSaysWhatItsWordsMean() {
        List<String> words =
                all(page, "dt").stream().map(Element::getTextContent).toList();
        assertThat(words)
                .contains("hop", "near", "round", "bound", "peer", "must", "out of reach", "SINGLE")
                .doesNotContain("group commit", "virtual time", "open loop");
        assertThat(all(page, "dd"))
                .hasSameSizeAs(words)
                .allSatisfy(one -> assertThat(one.getTextContent()).isNotBlank());
        assertThat(Glossary.of("open loop at 1 million events a second")).containsOnlyKeys("open loop");
    }

    @Test
    void whatWasNotMeasuredHasNoLineAndNoCell() {
        assertThat(page.getDocumentElement().getTextContent()).doesNotContain("0.00 (0.00 to 0.00)", "NaN");
        for (Element line : all(page, "tr")) {
            assertThat(line.getTextContent()).doesNotContain("never near");
        }
        assertThat(all(page, "p"))
                .anySatisfy(one -> assertThat(one.getTextContent())
                        .isEqualTo("Not measured, since no sample had near cores: never near"))
                .anySatisfy(one -> assertThat(one.getTextContent()).startsWith("Targets not measured, since no round"));
        assertThat(Spread.NONE.words()).isEmpty();
        assertThat(Spread.NONE.words("lmax")).isEmpty();
    }

    /** A phone shows each line of a table as a list, with the column's head before each cell; a desk has columns. */
    @Test
    void tablesHaveTheirHeadsAtEachCell() {
        for (Element table : all(page, "table")) {
            List<String> heads =
                    all(table, "th").stream().map(Element::getTextContent).toList();
            List<Element> cells = all(table, "td");
            assertThat(cells).isNotEmpty();
            for (int i = 0; i < cells.size(); i++) {
                int column = i % heads.size();
                assertThat(cells.get(i).getAttribute("data-label")).isEqualTo(column == 0 ? "" : heads.get(column));
            }
        }
        Page two = new Page("t");
        two.table(
                "c",
                List.of(Page.Cell.of("a"), Page.Cell.of("empty"), Page.Cell.of("b")),
                List.of(List.of(Page.Cell.of("1"), Page.Cell.of(""), Page.Cell.of("2"))));
        assertThat(two.text()).doesNotContain("empty</th>").contains(">b</th>");
        String style = all(page, "style").get(0).getTextContent();
        assertThat(style).contains("grid-template-columns").doesNotContainPattern("body \\{[^}]*max-width");
    }
}
