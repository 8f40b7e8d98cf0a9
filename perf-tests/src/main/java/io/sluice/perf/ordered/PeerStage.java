package io.sluice.perf.ordered;

/** A stage whose library comes with the optional profile {@code peers} only; named in that profile's own service file. */
interface PeerStage extends Stage {}
