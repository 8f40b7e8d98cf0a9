package com.lmax.disruptor.dsl;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.ExceptionHandler;

/**
 * Sets the exception handler of one consumer.
 *
 * @param <T> the type of the events
 */
public class ExceptionHandlerSetting<T> {
    private final Object handler;
    private final ConsumerRepository consumers;

    ExceptionHandlerSetting(Object handler, ConsumerRepository consumers) {
        this.handler = handler;
        this.consumers = consumers;
    }

    /**
     * Sets the exception handler, from the next exception on, also while the consumer runs.
     *
     * @param exceptionHandler who is told
     * @throws RuntimeException if the consumer is a processor of the program's own
     * @throws IllegalArgumentException if the handler is not part of the graph
     */
    @SuppressWarnings("unchecked") // the graph holds processors of its own type of events only
    public void with(ExceptionHandler<? super T> exceptionHandler) {
        EventProcessor processor = consumers.consumerOf(handler).processor();
        if (!(processor instanceof BatchEventProcessor)) {
            throw new IllegalStateException(
                    "the consumer must be a BatchEventProcessor to have an exception handler, but was " + processor);
        }
        ((BatchEventProcessor<T>) processor).setExceptionHandler(exceptionHandler);
    }
}
