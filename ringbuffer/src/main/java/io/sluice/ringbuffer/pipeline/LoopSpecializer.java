package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;

/*
 * One loop class for each class of handlers. A loop shared by all handlers of a JVM has a megamorphic call to onEvent from
 * the third class of handlers on, which the compiler does not inline. Here the loop's class is copied for each handler class:
 * same bytes, profile of its own. `./sluice lab dispatch` measures what that earns.
 *
 * Handlers of ranges share BatchLoop: one call a batch is cheap beside what is done in it, and copies earned nothing there.
 */
final class LoopSpecializer {
    private static final HiddenClassSpecializer EVENT = copies(EventLoop.class, EventLoop::new);
    private static final HiddenClassSpecializer MESSAGE = copies(MessageLoop.class, MessageLoop::new);

    private LoopSpecializer() {}

    /** Makes a loop of a template. */
    private interface Template {
        AbstractLoop<Object> make(ConsumerNode<Object> node, EventHandler<Object> handler);
    }

    @SuppressWarnings("unchecked") // who asks for a loop gives the node and the handler of one type
    private static HiddenClassSpecializer copies(Class<?> template, Template shared) {
        return new HiddenClassSpecializer(
                MethodHandles.lookup(),
                template,
                arguments -> shared.make((ConsumerNode<Object>) arguments[0], (EventHandler<Object>) arguments[1]),
                ConsumerNode.class,
                EventHandler.class);
    }

    static <E> AbstractLoop<E> eventLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        return newLoop(node.ring.messages() == null ? EVENT : MESSAGE, node, handler);
    }

    static <E> AbstractLoop<E> clearingLoop(ConsumerNode<E> node, EventClearer<? super E> clearer) {
        EventHandler<E> clearing = (event, sequence, endOfBatch) -> clearer.clear(event, sequence);
        return newLoop(EVENT, node, clearing);
    }

    @SuppressWarnings("unchecked") // each makes a subclass of AbstractLoop for the node's type of events
    private static <E> AbstractLoop<E> newLoop(HiddenClassSpecializer classes, ConsumerNode<E> node, Object handler) {
        return (AbstractLoop<E>) classes.make(handler.getClass(), node, handler);
    }
}
