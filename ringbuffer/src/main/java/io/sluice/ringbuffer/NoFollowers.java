package io.sluice.ringbuffer;

import io.sluice.core.SequenceView;
import java.util.List;
import java.util.function.Consumer;

/** The followers of a ring that no pipeline follows: none. */
final class NoFollowers implements Followers {
    @Override
    public void checkNotRunBy(Thread thread) {}

    @Override
    public void checkNoneEnded(long needed) {}

    @Override
    public void takeOutRefused() {}

    @Override
    public void checkNotOwn(SequenceView sequence) {}

    @Override
    public void checkMayWait(String call) {}

    @Override
    public void checkNotAwaitedBy(Thread thread, String call) {}

    @Override
    public String slowest() {
        return "";
    }

    @Override
    public void halt() {}

    @Override
    public List<String> awaitEnd(long limitNanos) {
        return List.of();
    }

    @Override
    public void closed(Ring.Leftover left) {}

    @Override
    public void forEach(Consumer<? super Follower> reader) {}
}
