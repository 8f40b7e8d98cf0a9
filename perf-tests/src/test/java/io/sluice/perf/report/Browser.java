package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

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

/**
 * A real browser, where one that has a headless mode is on the PATH. The page stands in a frame as wide as the screen; a script around it,
 * which the page itself does not have, measures what came out.
 */
public final class Browser {
    private static final List<String> BROWSERS = List.of(
            "chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome");
    private static final String MEASURING = """
            <!DOCTYPE html><html><body style="margin:0"><script>
            function light(colour) {
              var parts = colour.match(/[0-9.]+/g).slice(0, 3).map(function (part) {
                var share = part / 255;
                return share <= 0.03928 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
              });
              return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
            }
            [SCREENS].forEach(function (screen) {
              var page = screen[0], WIDTH = screen[1];
              var frame = document.createElement('iframe'), found = document.createElement('pre');
              frame.style = 'border:0;display:block;width:' + WIDTH + 'px;height:200000px';
              frame.src = 'page' + page + '.html';
              document.body.append(frame, found);
              frame.onload = function () {
              var inside = frame.contentDocument;
              var view = inside.defaultView;
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
              var ground = light(view.getComputedStyle(inside.body).backgroundColor), contrast = 99;
              inside.body.querySelectorAll('*').forEach(function (one) {
                var own = Array.from(one.childNodes).some(function (node) { return node.nodeType === 3 && node.data.trim(); });
                if (own && one.getBoundingClientRect().width > 0) {
                  var style = view.getComputedStyle(one);
                  var ink = light(one.namespaceURI.endsWith('svg') ? style.fill : style.color);
                  contrast = Math.min(contrast, (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05));
                }
              });
              found.textContent = 'page=' + page + ' width=' + WIDTH + ' plots=' + plots.length + ' outside=' + outside
                + ' shrunk=' + shrunk + ' over=' + over + ' scroll=' + inside.documentElement.scrollWidth
                + ' cut=' + Array.from(inside.querySelectorAll('table')).filter(function (table) {
                  return table.getBoundingClientRect().right > WIDTH || table.scrollWidth > table.parentNode.clientWidth + 1;
                }).length
                + ' used=' + Math.round(100 * Math.max.apply(null, Array.from(inside.querySelectorAll('table, figure'))
                  .map(function (one) { return one.getBoundingClientRect().right; })) / WIDTH)
                + ' letters=' + (plots.length ? view.getComputedStyle(plots[0].querySelector('text')).fontSize : '')
                + ' dark=' + (ground < 0.5) + ' contrast=' + Math.floor(10 * contrast);
              };
            });
            </script></body></html>
            """;

    private final String program;
    private final Path folder;

    private Browser(String program, Path folder) {
        this.program = program;
        this.folder = folder;
    }

    /**
     * Looks for one.
     *
     * @param folder where it may write
     * @return it; empty if none is on the PATH
     */
    public static Optional<Browser> find(Path folder) {
        return BROWSERS.stream()
                .flatMap(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                        .map(path -> Path.of(path).resolve(name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .map(program -> new Browser(program, folder));
    }

    /**
     * Lays out pages on screens of several widths.
     *
     * @param pages the pages
     * @param widths of the screens in pixels
     * @param dark whether the reader prefers dark surroundings
     * @return for each page and each width what came out: their numbers, how many {@code plots}, how many of them {@code outside} or {@code shrunk},
     *     letters {@code over} their plot's
     *     edges, the width to {@code scroll}, tables that are {@code cut}, percent of the width {@code used}, the size of {@code letters},
     *     whether it is {@code dark}, and ten times the least {@code contrast} of letters to the ground
     * @throws IOException if it can not be run
     * @throws InterruptedException if interrupted
     */
    public List<Map<String, String>> measure(List<String> pages, List<Integer> widths, boolean dark)
            throws IOException, InterruptedException {
        List<String> screens = new ArrayList<>();
        for (int page = 0; page < pages.size(); page++) {
            Files.writeString(folder.resolve("page" + page + ".html"), pages.get(page), StandardCharsets.UTF_8);
            for (int width : widths) {
                screens.add("[" + page + ", " + width + "]");
            }
        }
        Path outer = folder.resolve("outer.html");
        Files.writeString(outer, MEASURING.replace("SCREENS", String.join(", ", screens)), StandardCharsets.UTF_8);
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--allow-file-access-from-files",
                "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1),
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
        Matcher pre = Pattern.compile("<pre>(page=[^<]*)</pre>").matcher(dom);
        List<Map<String, String>> all = new ArrayList<>();
        while (pre.find()) {
            Map<String, String> found = new HashMap<>();
            for (String pair : pre.group(1).split(" ", -1)) {
                found.put(pair.replaceFirst("=.*", ""), pair.replaceFirst(".*=", ""));
            }
            all.add(found);
        }
        assertThat(all)
                .as("measured:%n%s%n%s", dom, Files.readString(folder.resolve("errors")))
                .extracting(found -> "[" + found.get("page") + ", " + found.get("width") + "]")
                .containsExactlyElementsOf(screens);
        return all;
    }

    /**
     * Checks that pages can be read: on a phone, on a desk and on a wide one, in light and in dark surroundings.
     *
     * @param pages the pages
     * @param plots how many each must show
     * @throws IOException if the browser can not be run
     * @throws InterruptedException if interrupted
     */
    public void checkEverywhere(List<String> pages, int plots) throws IOException, InterruptedException {
        for (Map<String, String> found : measure(pages, List.of(360, 1280, 1600), false)) {
            check(found, plots, false);
        }
        for (Map<String, String> found : measure(pages, List.of(360, 1280), true)) {
            check(found, plots, true);
        }
    }

    private static void check(Map<String, String> found, int plots, boolean dark) {
        int width = Integer.parseInt(found.get("width"));
        assertThat(found)
                .as("page %s, %d pixels, %s", found.get("page"), width, dark ? "dark" : "light")
                .containsEntry("plots", Integer.toString(plots))
                .containsEntry("scroll", Integer.toString(width))
                .containsEntry("outside", "0")
                .containsEntry("shrunk", "0")
                .containsEntry("cut", "0")
                .containsEntry("over", "")
                .containsEntry("letters", plots == 0 ? "" : "12px")
                .containsEntry("dark", Boolean.toString(dark));
        assertThat(Integer.parseInt(found.get("contrast")))
                .as("ten times the least contrast, %d pixels, %s", width, dark ? "dark" : "light")
                .isGreaterThanOrEqualTo(45);
        if (width > 1000) {
            assertThat(Integer.parseInt(found.get("used")))
                    .as("of %d pixels", width)
                    .isGreaterThan(90);
        }
    }
}
