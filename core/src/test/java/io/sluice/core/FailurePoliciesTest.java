package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy.Action;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailurePoliciesTest {
    private final List<String> reports = new ArrayList<>();
    private final FailurePolicies.Report report =
            (cause, sequence, attempt) -> reports.add(cause.getMessage() + " " + sequence + " " + attempt);
    private final Exception cause = new Exception("cause");

    @Test
    void haltHalts() {
        assertThat(FailurePolicies.halt().onFailure(cause, "event", 5, 1)).isEqualTo(Action.HALT);
    }

    @Test
    void skipReports() {
        assertThat(FailurePolicies.skip(report).onFailure(cause, "event", 5, 1)).isEqualTo(Action.SKIP);
        assertThat(reports).containsExactly("cause 5 1");
    }

    @Test
    void retriesAreBounded() {
        FailurePolicy<String> policy = FailurePolicies.retryEvent(2, report, Action.SKIP);
        assertThat(policy.onFailure(cause, "event", 5, 1)).isEqualTo(Action.RETRY_EVENT);
        assertThat(policy.onFailure(cause, "event", 5, 2)).isEqualTo(Action.RETRY_EVENT);
        assertThat(policy.onFailure(cause, "event", 5, 3)).isEqualTo(Action.SKIP);
        assertThat(reports).containsExactly("cause 5 1", "cause 5 2", "cause 5 3");
    }

    @Test
    void rewindsAreBounded() {
        FailurePolicy<String> policy = FailurePolicies.rewindBatch(1, report, Action.HALT);
        assertThat(policy.onFailure(cause, null, 5, 1)).isEqualTo(Action.REWIND_BATCH);
        assertThat(policy.onFailure(cause, null, 5, 2)).isEqualTo(Action.HALT);
    }

    @Test
    void badArgumentsAreRefused() {
        assertThatThrownBy(() -> FailurePolicies.retryEvent(0, report, Action.SKIP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("retries must be 1 or more, but was 0");
        assertThatThrownBy(() -> FailurePolicies.rewindBatch(1, report, Action.RETRY_EVENT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("then must be SKIP or HALT, but was RETRY_EVENT");
        assertThatThrownBy(() -> FailurePolicies.skip(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("report");
    }
}
