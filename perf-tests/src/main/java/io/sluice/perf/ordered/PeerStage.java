package io.sluice.perf.ordered;

/** A stage whose library comes with the optional profile {@code peers} only; named in that profile's own service file. */
interface PeerStage extends Stage {
    /** The name of a class of its library: a program that was built with the profile may be run without it. */
    String needs();

    @Override
    default boolean isAvailable() {
        try {
            Class.forName(needs(), false, PeerStage.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
