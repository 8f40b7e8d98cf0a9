package com.lmax.disruptor.dsl;

/** For how many producers a ring is. */
public enum ProducerType {
    /** One thread publishes. */
    SINGLE,

    /** Any number of threads publish. */
    MULTI
}
