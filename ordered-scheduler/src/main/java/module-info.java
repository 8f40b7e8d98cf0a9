/** The ordered scheduler: work in parallel, output in order, no thread of its own. */
module io.sluice.ordered {
    requires transitive io.sluice.core;
    requires static transitive org.jspecify;

    exports io.sluice.ordered;
}
