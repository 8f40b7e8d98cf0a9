/** What every other room builds on: sequences, barriers, idle strategies, failure policies and the life-cycle word. */
module io.sluice.core {
    requires transitive org.agrona;
    requires static jdk.jfr;
    requires static transitive org.jspecify;

    exports io.sluice.core;
}
