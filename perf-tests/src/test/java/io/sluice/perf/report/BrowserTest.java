package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The page in a real browser, where one that has a headless mode is on the PATH: laid out on a phone and on a desk. The page
 * stands in a frame as wide as the screen; a script around it, which the page itself does not have, measures what came out.
 */
@Tag("once")
class BrowserTest {
    private static final List<String> BROWSERS = List.of(
            "chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome");
    private static final String MEASURING = """
            <!DOCTYPE html><html><body style="margin:0"><iframe id="page" src="report.html"
              style="border:0;width:WIDTHpx;height:20000px"></iframe><pre id="found"></pre><script>
            document.getElementById('page').onload = function () {
              var inside = document.getElementById('page').contentDocument;
              var plots = Array.from(inside.querySelectorAll('svg')).filter(function (svg) {
                return svg.getBoundingClientRect().width > 0;
              });
              var outside = 0, shrunk = 0, over = '';
              plots.forEach(function (svg) {
                var box = svg.getBoundingClientRect();
                if (box.left < 0 || box.right > WIDTH) { outside++; }
                if (box.width < svg.getAttribute('width') - 0.5) { shrunk++; }
                svg.querySelectorAll('text').forEach(function (text) {
                  var letters = text.getBoundingClientRect();
                  if (letters.left < box.left - 1 || letters.right > box.right + 1
                      || letters.top < box.top - 1 || letters.bottom > box.bottom + 1) { over += '(' + text.textContent.replace(/ /g, '_') + ')'; }
                });
              });
              document.getElementById('found').textContent = 'plots=' + plots.length + ' outside=' + outside
                + ' shrunk=' + shrunk + ' over=' + over + ' scroll=' + inside.documentElement.scrollWidth
                + ' cut=' + Array.from(inside.querySelectorAll('table')).filter(function (table) {
                  return table.getBoundingClientRect().right > WIDTH || table.scrollWidth > table.parentNode.clientWidth + 1;
                }).length
                + ' used=' + Math.round(100 * Math.max.apply(null, Array.from(inside.querySelectorAll('table, figure'))
                  .map(function (one) { return one.getBoundingClientRect().right; })) / WIDTH)
                + ' letters=' + inside.defaultView.getComputedStyle(plots[0].querySelector('text')).fontSize;
            };
            </script></body></html>
            """;

    @TempDir
    Path folder;

    private String browser = "";

    @BeforeEach
    void find() throws IOException {
        Optional<String> found = BROWSERS.stream()
                .flatMap(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                        .map(path -> Path.of(path).resolve(name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
        assumeTrue(found.isPresent(), "no browser with a headless mode on the PATH");
        browser = found.orElseThrow();
        Files.writeString(folder.resolve("report.html"), HtmlReport.write(Samples.report(5)), StandardCharsets.UTF_8);
    }

    @Test
    void everythingFitsOnAPhone() throws Exception {
        Map<String, String> found = measure(360);
        assertThat(found).containsEntry("plots", "9").containsEntry("scroll", "360");
        fits(found);
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 1600})
    void everythingFitsOnADeskAndUsesItsWidth(int width) throws Exception {
        Map<String, String> found = measure(width);
        assertThat(found).containsEntry("plots", "9").containsEntry("scroll", Integer.toString(width));
        assertThat(Integer.parseInt(found.get("used"))).isGreaterThan(90);
        fits(found);
    }

    private static void fits(Map<String, String> found) {
        assertThat(found)
                .containsEntry("outside", "0")
                .containsEntry("shrunk", "0")
                .containsEntry("cut", "0")
                .containsEntry("over", "")
                .containsEntry("letters", "12px");
    }

    private Map<String, String> measure(int width) throws Exception {
        Path outer = folder.resolve("outer.html");
        Files.writeString(outer, MEASURING.replace("WIDTH", Integer.toString(width)), StandardCharsets.UTF_8);
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--allow-file-access-from-files",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=1700,1000",
                "--virtual-time-budget=5000",
                "--dump-dom",
                outer.toUri().toString()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(folder.resolve("errors").toFile())
                .start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS))
                    .as("the browser ended")
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String dom = Files.readString(output, StandardCharsets.UTF_8);
        Matcher pre = Pattern.compile("<pre id=\"found\">(plots=[^<]*)</pre>").matcher(dom);
        assertThat(pre.find())
                .as("measured:%n%s%n%s", dom, Files.readString(folder.resolve("errors")))
                .isTrue();
        Map<String, String> found = new HashMap<>();
        for (String pair : pre.group(1).split(" ", -1)) {
            found.put(pair.replaceFirst("=.*", ""), pair.replaceFirst(".*=", ""));
        }
        return found;
    }
}
