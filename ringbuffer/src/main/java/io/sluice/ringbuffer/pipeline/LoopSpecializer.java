package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;

/*
 * One loop class for each class of handlers. A loop shared by all handlers of a JVM has a megamorphic call to onEvent from
 * the third class of handlers on, which the compiler does not inline. Here the loop's class is copied for each handler class:
 * same bytes, profile of its own.
 */
final class LoopSpecializer {
    private static final HiddenClassSpecializer EVENT =
            copies(EventLoop.class, EventHandler.class, (node, handler) -> new EventLoop<>(node, events(handler)));
    private static final HiddenClassSpecializer BATCH =
            copies(BatchLoop.class, BatchHandler.class, (node, handler) -> new BatchLoop<>(node, batches(handler)));

    private static final HiddenClassSpecializer MESSAGE =
            copies(MessageLoop.class, EventHandler.class, (node, handler) -> new MessageLoop<>(node, events(handler)));

    private LoopSpecializer() {}

    /** Makes a loop of a template. */
    private interface Template {
        AbstractLoop<Object> make(ConsumerNode<Object> node, Object handler);
    }

    @SuppressWarnings("unchecked") // who asks for a loop gives the node and the handler of one type
    private static HiddenClassSpecializer copies(Class<?> template, Class<?> handlerType, Template shared) {
        return new HiddenClassSpecializer(
                MethodHandles.lookup(),
                template,
                arguments -> shared.make((ConsumerNode<Object>) arguments[0], arguments[1]),
                ConsumerNode.class,
                handlerType);
    }

    @SuppressWarnings("unchecked") // as above
    private static EventHandler<Object> events(Object handler) {
        return (EventHandler<Object>) handler;
    }

    @SuppressWarnings("unchecked") // as above
    private static BatchHandler<Object> batches(Object handler) {
        return (BatchHandler<Object>) handler;
    }

    static <E> AbstractLoop<E> eventLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        return newLoop(node.ring.messages() == null ? EVENT : MESSAGE, node, handler);
    }

    static <E> AbstractLoop<E> clearingLoop(ConsumerNode<E> node, EventClearer<? super E> clearer) {
        EventHandler<E> clearing = (event, sequence, endOfBatch) -> clearer.clear(event, sequence);
        return newLoop(EVENT, node, clearing);
    }

    static <E> AbstractLoop<E> batchLoop(ConsumerNode<E> node, BatchHandler<E> handler) {
        return newLoop(BATCH, node, handler);
    }

    @SuppressWarnings("unchecked") // each makes a subclass of AbstractLoop for the node's type of events
    private static <E> AbstractLoop<E> newLoop(HiddenClassSpecializer classes, ConsumerNode<E> node, Object handler) {
        return (AbstractLoop<E>) classes.make(handler.getClass(), node, handler);
    }
}
