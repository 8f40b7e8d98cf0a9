package io.sluice.examples.demo;

import java.util.Arrays;

/** The demo in a process of its own, for tests that end it by a signal. */
final class DemoProcess {
    private DemoProcess() {}

    public static void main(String[] arguments) throws Exception {
        System.exit(new DemoVerb().run(Arrays.asList(arguments)));
    }
}
