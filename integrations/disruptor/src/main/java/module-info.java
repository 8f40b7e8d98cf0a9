/** The API of LMAX Disruptor 4 on Sluice. Its name is that of the Disruptor, so that a module path takes the one or the other. */
module com.lmax.disruptor {
    requires io.sluice.core;
    requires static transitive org.jspecify;

    exports com.lmax.disruptor;
    exports com.lmax.disruptor.dsl;
    exports com.lmax.disruptor.util;
}
