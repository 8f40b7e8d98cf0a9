package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a report in a real browser. Those of the lab and of the doctor are looked at by their own tests. */
@Tag("once")
class BrowserTest {
    @TempDir
    Path folder;

    private Browser browser() {
        Optional<Browser> found = Browser.find(folder);
        assumeTrue(found.isPresent(), "no browser with a headless mode on the PATH");
        return found.orElseThrow();
    }

    @Test
    void aReportCanBeReadOnAPhoneAndOnADeskInLightAndInDark() throws Exception {
        browser().checkEverywhere(List.of(HtmlReport.write(Samples.report(5))), 9);
    }

    /** The means: what does not fit, or can not be told from the ground, is found. */
    @Test
    void whatCanNotBeReadIsFound() throws Exception {
        String bad = """
                <!DOCTYPE html><html><body style="margin:0;background:#fff">
                <svg width="700" height="20" style="display:block"><text x="690" y="15" style="font-size:12px">far out</text></svg>
                <div style="overflow-x:auto"><table><tr><td style="white-space:nowrap">WORDS</td></tr></table></div>
                <p style="color:#bbb">pale</p></body></html>
                """.replace("WORDS", "word ".repeat(200));
        assertThat(browser().measure(List.of(bad), List.of(360), false).get(0))
                .containsEntry("outside", "1")
                .containsEntry("over", "(far_out)")
                .containsEntry("cut", "1")
                .containsEntry("contrast", "19")
                .containsEntry("dark", "false");
    }
}
