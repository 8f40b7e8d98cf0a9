package io.sluice.ringbuffer.pipeline;

import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalledIdle;
import java.util.List;

/** All loops, one after another, on the caller's thread. As a runner does, it closes one that has ended at once, and lets it go. */
final class InvokedPipeline<E> implements RunnerAgent {
    private final List<AbstractLoop<E>> loops;

    /** Of the last cycle: the fewest events since a loop had caught up, as a runner finds it among agents of its own. */
    private int least;

    InvokedPipeline(List<AbstractLoop<E>> loops) {
        this.loops = loops;
    }

    @Override
    public void onStart() {
        loops.forEach(AbstractLoop::onStart);
    }

    @Override
    public int doWork() {
        int work = 0;
        least = Integer.MAX_VALUE;
        for (int i = 0; i < loops.size(); i++) {
            AbstractLoop<E> loop = loops.get(i);
            int done = loop.doWork();
            if (done == 0 && loop.isDone()) {
                loops.remove(loop);
                i--;
                loop.onClose();
            } else {
                work += done;
                least = Math.min(least, done == 0 ? 0 : loop.eventsSinceIdle(done));
            }
        }
        return work;
    }

    @Override
    public int eventsSinceIdle(int work) {
        return least;
    }

    @Override
    public int backOffBatchLimit() {
        int limit = Integer.MAX_VALUE;
        for (int i = 0; i < loops.size(); i++) {
            limit = Math.min(limit, loops.get(i).backOffBatchLimit());
        }
        return limit;
    }

    @Override
    public boolean yieldsBeforeWaiting() {
        for (int i = 0; i < loops.size(); i++) {
            if (!loops.get(i).yieldsBeforeWaiting()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean isDone() {
        return loops.isEmpty();
    }

    @Override
    public long deadline() {
        long nearest = SignalledIdle.NO_DEADLINE;
        for (AbstractLoop<E> loop : loops) {
            long one = loop.deadline();
            if (nearest == SignalledIdle.NO_DEADLINE || (one != SignalledIdle.NO_DEADLINE && one - nearest < 0)) {
                nearest = one;
            }
        }
        return nearest;
    }

    @Override
    public void onClose() {
        loops.forEach(AbstractLoop::onClose);
    }

    @Override
    public String roleName() {
        return "pipeline of " + loops.size();
    }
}
