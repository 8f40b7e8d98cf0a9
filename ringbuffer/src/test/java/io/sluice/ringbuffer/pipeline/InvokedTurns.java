package io.sluice.ringbuffer.pipeline;

import io.sluice.core.RunnerAgent;
import java.lang.reflect.Field;
import java.util.AbstractList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets tests of other packages see whose turn it is while the caller runs a pipeline. */
public final class InvokedTurns {
    private InvokedTurns() {}

    /**
     * Watches the turns from now on.
     *
     * @param invoked what {@link Pipeline#startInvoked} returned
     * @param begins told of each consumer just before it is called, on the thread that calls it
     * @return the consumers, in the order of their declaration
     */
    @SuppressWarnings("unchecked") // the field is a list of loops
    public static List<EventProcessor> watch(RunnerAgent invoked, Consumer<? super EventProcessor> begins) {
        try {
            Field field = InvokedPipeline.class.getDeclaredField("loops");
            field.setAccessible(true);
            List<AbstractLoop<Object>> loops = (List<AbstractLoop<Object>>) field.get(invoked);
            field.set(invoked, new Turns(loops, begins));
            return List.copyOf(loops);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("loops", e);
        }
    }

    private static final class Turns extends AbstractList<AbstractLoop<Object>> {
        private final List<AbstractLoop<Object>> loops;
        private final Consumer<? super EventProcessor> begins;

        Turns(List<AbstractLoop<Object>> loops, Consumer<? super EventProcessor> begins) {
            this.loops = loops;
            this.begins = begins;
        }

        @Override
        public AbstractLoop<Object> get(int index) {
            AbstractLoop<Object> loop = loops.get(index);
            begins.accept(loop);
            return loop;
        }

        @Override
        public int size() {
            return loops.size();
        }

        /** Without a look at those before it. */
        @Override
        public boolean remove(@Nullable Object loop) {
            return loops.remove(loop);
        }
    }
}
