package io.sluice.ringbuffer.product;

/** What a ring can do, as the matrix in docs/testing.md lists it. */
enum Feature {
    SINGLE("single producer"),
    MULTI("many producers"),
    OBJECTS("slots of objects"),
    BYTES("slots of bytes"),
    MESSAGES("messages"),
    TRACK("trackClaims"),
    RETAIN("retain"),
    SHED("drop oldest"),
    NEWEST("drop newest"),
    CLEAR("clearing"),
    WATCHED("onAbandonedClaim"),
    EVENTS("event handler"),
    BATCHES("batch handler"),
    POLLER("poller"),
    WORKERS("workers"),
    PARTITION("stage divided by key"),
    LATEST("LatestByKey"),
    EXTENDS("extendsBatch"),
    TIMEOUT("onTimeout"),
    LEVELS("three levels"),
    JOIN("join"),
    AFTER("join after"),
    BEFORE("join before"),
    FROM("join from"),
    FROM_NOW("join fromNow"),
    SHARE("join sharingWith"),
    LEAVE("leave"),
    PAUSE("pause, resume"),
    FINISH("finish"),
    PROGRESS("progress"),
    ABORT("abort"),
    CLAIM("next, tryNext, tryClaim"),
    UP_TO("tryNextUpTo"),
    TIMED("next, claim with a limit"),
    EVENT("publishEvent, offer"),
    EVENT_BATCH("publishEvents, offerAll"),
    IN_STEAD("abort on the owner's behalf"),
    OWNER_DIES("an owner's thread ends"),
    RUNNER_DIES("a runner's thread ends"),
    SKIP("SKIP"),
    RETRY("RETRY_EVENT"),
    REWIND("REWIND_BATCH"),
    FAILS("HALT"),
    HALTED("halt of a processor"),
    AWAIT("awaitHandled"),
    DRAIN("drain"),
    CLOSE("close"),
    CLOSE_LIMIT("close with a limit"),
    GATE("addGating, removeGating"),
    STRANGER("use by another thread"),
    AGAIN("a run from within a run"),
    WATCHDOG("watchdog"),
    SPINS("a spinning thread of its own");

    final String label;

    Feature(String label) {
        this.label = label;
    }
}
