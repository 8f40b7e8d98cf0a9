package io.sluice.jcstress.twin;

import io.sluice.jcstress.twin.Change.ReadThenSet;

/** What is broken in the module ordered-scheduler. */
final class OrderedRows extends Rows {
    private static final String BUFFER = "io.sluice.ordered.OrderBuffer";
    private static final String ADMISSION = "io.sluice.ordered.Admission";

    OrderedRows() {
        turns();
        tickets();
    }

    private void turns() {
        lincheck("ordered-cas", Kind.CAS_TO_SET, "OrderedSchedulerLincheckTest")
                .at(BUFFER, "casWord")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }

    private void tickets() {
        lincheck("ordered-ticket-cas", Kind.CAS_TO_SET, "OrderedSchedulerLincheckTest")
                .at(ADMISSION, "tryIssue")
                .call(HANDLE, "compareAndSet")
                .becomes(new ReadThenSet());
    }
}
