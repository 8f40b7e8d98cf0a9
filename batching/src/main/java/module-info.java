/** Smart batching: messages that arrive while the previous send is under way go out together in the next. */
module io.sluice.batching {
    requires transitive io.sluice.ringbuffer;
    requires transitive org.agrona;
    requires static transitive org.jspecify;

    exports io.sluice.batching;
    exports io.sluice.batching.journal;
}
