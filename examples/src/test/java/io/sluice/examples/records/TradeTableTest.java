package io.sluice.examples.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TradeTableTest {
    @TempDir
    private Path folder;

    @Test
    void aTableIsFilledScannedSortedSavedAndLoaded() throws Exception {
        long sum = 0;
        long lowest = Long.MAX_VALUE;
        long highest = 0;
        for (long row = 0; row < 10_000; row++) {
            long price = 10_000 + row * 7_919 % 1_000;
            lowest = Math.min(lowest, price);
            highest = Math.max(highest, price);
            if (row % 6 == 0) {
                sum += price * (1 + row % 5);
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TradeTable.run(10_000, folder.resolve("trades"), new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .hasSize(5)
                .contains("10000 trades of 46 bytes", "bought at XLON for " + sum)
                .anyMatch(line -> line.startsWith("cheapest Trade[id=0, "))
                .anyMatch(line -> line.contains("price=10000,") && line.startsWith("cheapest"))
                .anyMatch(line -> line.startsWith("dearest Trade[id=9"));
        assertThat(lowest).isEqualTo(10_000);
        String dearest = ", price=" + highest + ", ";
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains(dearest);
    }
}
