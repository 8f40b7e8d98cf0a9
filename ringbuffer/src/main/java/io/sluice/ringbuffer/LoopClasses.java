package io.sluice.ringbuffer;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicInteger;

/*
 * One loop class for each class of handlers. A loop shared by all handlers of a JVM has a megamorphic call to onEvent from
 * the third class of handlers on, which the compiler does not inline. Here the loop's class file is defined again as a hidden
 * class for each handler class: same bytes, profile of its own. The number is capped, for programs that make handler classes
 * without end; beyond it, and where the class file can not be read, the shared loop does the work, only slower.
 *
 * The loop classes live as long as the handler class that they belong to.
 */
final class LoopClasses {
    /** How many loop classes are defined at most, of each kind. */
    static final int CAP = 512;

    private static final LoopClasses EVENT = new LoopClasses(EventLoop.class, EventHandler.class);
    private static final LoopClasses BATCH = new LoopClasses(BatchLoop.class, BatchHandler.class);
    private static final LoopClasses SHEDDING = new LoopClasses(SheddingLoop.class, EventHandler.class);
    private static final LoopClasses WORK = new LoopClasses(WorkLoop.class, EventHandler.class);
    private static final LoopClasses PARTITION = new LoopClasses(PartitionLoop.class, EventHandler.class);

    private final Class<?> template;
    private final MethodType constructor;
    private final MethodHandle shared;
    private final AtomicInteger defined = new AtomicInteger();
    private final ClassValue<MethodHandle> loops = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> handlerClass) {
            return define();
        }
    };

    private LoopClasses(Class<?> template, Class<?> handlerType) {
        this.template = template;
        this.constructor = MethodType.methodType(void.class, ConsumerNode.class, handlerType);
        this.shared = constructorOf(MethodHandles.lookup(), template);
    }

    static <E> AbstractLoop<E> eventLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        return (node.ring.shedding == null ? EVENT : SHEDDING).newLoop(node, handler);
    }

    static <E> AbstractLoop<E> batchLoop(ConsumerNode<E> node, BatchHandler<E> handler) {
        return node.ring.shedding == null ? BATCH.newLoop(node, handler) : new SheddingBatchLoop<>(node, handler);
    }

    static <E> AbstractLoop<E> workLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        return WORK.newLoop(node, handler);
    }

    static <E> AbstractLoop<E> partitionLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        return PARTITION.newLoop(node, handler);
    }

    @SuppressWarnings("unchecked") // each constructor makes a subclass of AbstractLoop for the node's type of events
    private <E> AbstractLoop<E> newLoop(ConsumerNode<E> node, Object handler) {
        try {
            return (AbstractLoop<E>) loops.get(handler.getClass()).invokeExact((Object) node, handler);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("a loop's constructor threw a checked exception", t);
        }
    }

    private MethodHandle define() {
        if (defined.incrementAndGet() > CAP) {
            return shared;
        }
        try (InputStream file = template.getResourceAsStream(template.getSimpleName() + ".class")) {
            return file == null
                    ? shared
                    : constructorOf(MethodHandles.lookup().defineHiddenClass(file.readAllBytes(), true));
        } catch (IOException | IllegalAccessException e) {
            return shared; // the loop works all the same
        }
    }

    private MethodHandle constructorOf(MethodHandles.Lookup lookup) {
        return constructorOf(lookup, lookup.lookupClass());
    }

    private MethodHandle constructorOf(MethodHandles.Lookup lookup, Class<?> loop) {
        try {
            return lookup.findConstructor(loop, constructor)
                    .asType(MethodType.methodType(AbstractLoop.class, Object.class, Object.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no constructor " + constructor + " in " + loop, e);
        }
    }
}
