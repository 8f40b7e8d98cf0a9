package com.lmax.disruptor;

/** Marks what may stand for a consumer where a graph is wired: each kind of event handler. */
public interface EventHandlerIdentity {}
