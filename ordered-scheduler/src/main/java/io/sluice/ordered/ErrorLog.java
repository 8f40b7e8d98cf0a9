package io.sluice.ordered;

import org.agrona.ErrorHandler;

/** Logs the failures that end a scheduler without an error handler of its own. Nothing else is logged. */
enum ErrorLog implements ErrorHandler {
    INSTANCE;

    @Override
    public void onError(Throwable failure) {
        System.getLogger("io.sluice.ordered").log(System.Logger.Level.ERROR, failure.getMessage(), failure.getCause());
    }
}
