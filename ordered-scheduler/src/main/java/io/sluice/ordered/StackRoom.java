package io.sluice.ordered;

/** Asks for room on the stack, before a ticket is taken that must be completed whatever comes. */
final class StackRoom {
    /** More than it takes to complete a ticket, up to the handler; compiled, two share a frame. */
    private static final int CALLS = 128;

    private StackRoom() {}

    /** Throws where the stack ends so soon that a ticket could be lost. It costs some tens of nanoseconds. */
    static void ask() {
        down(CALLS);
    }

    private static int down(int calls) {
        return calls == 0 ? 0 : 1 + down(calls - 1);
    }
}
