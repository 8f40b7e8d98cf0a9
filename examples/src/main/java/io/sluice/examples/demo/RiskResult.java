package io.sluice.examples.demo;

import io.sluice.ordered.SchedulerSnapshot;

/**
 * How the parallel risk check went.
 *
 * @param workers how many threads checked
 * @param ledger what came of it, in the order of the messages
 * @param ordering how the outcomes were brought in order
 */
record RiskResult(int workers, RiskLedger ledger, SchedulerSnapshot ordering) {}
