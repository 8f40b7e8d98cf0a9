package io.sluice.ordered;

import org.agrona.ErrorHandler;

/** Where failures go that end a scheduler for which no error handler was set. Nothing else is logged. */
enum ErrorLog implements ErrorHandler {
    INSTANCE;

    @Override
    public void onError(Throwable failure) {
        System.getLogger("io.sluice.ordered").log(System.Logger.Level.ERROR, failure.getMessage(), failure.getCause());
    }
}
