package com.lmax.disruptor.dsl;

import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.FatalExceptionHandler;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Hands exceptions to another handler, which can be exchanged while it is in use. Any thread.
 *
 * @param <T> the type of the events
 */
public class ExceptionHandlerWrapper<T> implements ExceptionHandler<T> {
    private static final ExceptionHandler<Object> FATAL = new FatalExceptionHandler();

    private static final VarHandle DELEGATE =
            VarHandles.field(MethodHandles.lookup(), ExceptionHandlerWrapper.class, "delegate", ExceptionHandler.class);

    @SuppressWarnings("unused") // by DELEGATE
    private @Nullable ExceptionHandler<? super T> delegate;

    /** Creates a wrapper around the default handler. */
    public ExceptionHandlerWrapper() {}

    /**
     * Exchanges the handler.
     *
     * @param exceptionHandler who is told from now on
     */
    public void switchTo(ExceptionHandler<? super T> exceptionHandler) {
        DELEGATE.setRelease(this, exceptionHandler); // release: its fields are seen by whoever calls it
    }

    @Override
    public void handleEventException(Throwable ex, long sequence, @Nullable T event) {
        handler().handleEventException(ex, sequence, event);
    }

    @Override
    public void handleOnStartException(Throwable ex) {
        handler().handleOnStartException(ex);
    }

    @Override
    public void handleOnShutdownException(Throwable ex) {
        handler().handleOnShutdownException(ex);
    }

    @SuppressWarnings("unchecked")
    private ExceptionHandler<? super T> handler() {
        ExceptionHandler<? super T> set =
                (ExceptionHandler<? super T>) DELEGATE.getAcquire(this); // acquire: pairs with switchTo
        return set == null ? FATAL : set;
    }
}
