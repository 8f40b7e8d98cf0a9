package io.sluice.ringbuffer.pipeline;

import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalledIdle;
import java.util.List;

/** All loops, one after another, on the caller's thread. */
final class InvokedPipeline<E> implements RunnerAgent {
    private final List<AbstractLoop<E>> loops;

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
        for (int i = 0; i < loops.size(); i++) {
            work += loops.get(i).doWork();
        }
        return work;
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
        return loops.stream().allMatch(AbstractLoop::isDone);
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
