package io.sluice.perf.lab;

import io.sluice.perf.report.Machine;
import java.util.List;

/** This machine, which takes a while to look at, for all tests of the lab. */
final class Here {
    static final Machine MACHINE = look();

    private Here() {}

    private static Machine look() {
        try {
            return Machine.own("./sluice lab all", "pinned", List.of());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
