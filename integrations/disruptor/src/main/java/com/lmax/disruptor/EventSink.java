package com.lmax.disruptor;

import org.jspecify.annotations.Nullable;

/**
 * Publishes events that translators fill. If a translator throws, the claimed events are published all the same, and the exception
 * goes to the caller. Any thread of a ring with many producers; the one producer's thread of another.
 *
 * @param <E> the type of the events
 */
@SuppressWarnings("overloads") // the API is given
public interface EventSink<E> {
    /**
     * Claims a slot, has it filled, and publishes it. Waits while the ring is full.
     *
     * @param translator fills the event
     */
    void publishEvent(EventTranslator<E> translator);

    /**
     * Claims a slot, has it filled, and publishes it. Never waits.
     *
     * @param translator fills the event
     * @return whether there was room
     */
    boolean tryPublishEvent(EventTranslator<E> translator);

    /**
     * Claims a slot, has it filled, and publishes it. Waits while the ring is full.
     *
     * @param translator fills the event
     * @param arg0 given to the translator
     * @param <A> the type of the first argument
     */
    <A extends @Nullable Object> void publishEvent(EventTranslatorOneArg<E, A> translator, A arg0);

    /**
     * Claims a slot, has it filled, and publishes it. Never waits.
     *
     * @param translator fills the event
     * @param arg0 given to the translator
     * @param <A> the type of the first argument
     * @return whether there was room
     */
    <A extends @Nullable Object> boolean tryPublishEvent(EventTranslatorOneArg<E, A> translator, A arg0);

    /**
     * Claims a slot, has it filled, and publishes it. Waits while the ring is full.
     *
     * @param translator fills the event
     * @param arg0 given to the translator
     * @param arg1 given to the translator
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     */
    <A extends @Nullable Object, B extends @Nullable Object> void publishEvent(
            EventTranslatorTwoArg<E, A, B> translator, A arg0, B arg1);

    /**
     * Claims a slot, has it filled, and publishes it. Never waits.
     *
     * @param translator fills the event
     * @param arg0 given to the translator
     * @param arg1 given to the translator
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @return whether there was room
     */
    <A extends @Nullable Object, B extends @Nullable Object> boolean tryPublishEvent(
            EventTranslatorTwoArg<E, A, B> translator, A arg0, B arg1);

    /**
     * Claims a slot, has it filled, and publishes it. Waits while the ring is full.
     *
     * @param translator fills the event
     * @param arg0 given to the translator
     * @param arg1 given to the translator
     * @param arg2 given to the translator
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @param <C> the type of the third argument
     */
    <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> void publishEvent(
            EventTranslatorThreeArg<E, A, B, C> translator, A arg0, B arg1, C arg2);

    /**
     * Claims a slot, has it filled, and publishes it. Never waits.
     *
     * @param translator fills the event
     * @param arg0 given to the translator
     * @param arg1 given to the translator
     * @param arg2 given to the translator
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @param <C> the type of the third argument
     * @return whether there was room
     */
    <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> boolean tryPublishEvent(
            EventTranslatorThreeArg<E, A, B, C> translator, A arg0, B arg1, C arg2);

    /**
     * Claims a slot, has it filled, and publishes it. Waits while the ring is full.
     *
     * @param translator fills the event
     * @param args given to the translator
     */
    void publishEvent(EventTranslatorVararg<E> translator, @Nullable Object... args);

    /**
     * Claims a slot, has it filled, and publishes it. Never waits.
     *
     * @param translator fills the event
     * @param args given to the translator
     * @return whether there was room
     */
    boolean tryPublishEvent(EventTranslatorVararg<E> translator, @Nullable Object... args);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translators fill one event each
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    void publishEvents(EventTranslator<E>[] translators);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translators fill one event each
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    void publishEvents(EventTranslator<E>[] translators, int batchStartsAt, int batchSize);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translators fill one event each
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    boolean tryPublishEvents(EventTranslator<E>[] translators);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translators fill one event each
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    boolean tryPublishEvents(EventTranslator<E>[] translators, int batchStartsAt, int batchSize);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param arg0 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object> void publishEvents(EventTranslatorOneArg<E, A> translator, A[] arg0);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param arg0 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object> void publishEvents(
            EventTranslatorOneArg<E, A> translator, int batchStartsAt, int batchSize, A[] arg0);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param arg0 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object> boolean tryPublishEvents(EventTranslatorOneArg<E, A> translator, A[] arg0);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param arg0 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorOneArg<E, A> translator, int batchStartsAt, int batchSize, A[] arg0);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object> void publishEvents(
            EventTranslatorTwoArg<E, A, B> translator, A[] arg0, B[] arg1);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object> void publishEvents(
            EventTranslatorTwoArg<E, A, B> translator, int batchStartsAt, int batchSize, A[] arg0, B[] arg1);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorTwoArg<E, A, B> translator, A[] arg0, B[] arg1);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorTwoArg<E, A, B> translator, int batchStartsAt, int batchSize, A[] arg0, B[] arg1);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param arg2 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @param <C> the type of the third argument
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> void publishEvents(
            EventTranslatorThreeArg<E, A, B, C> translator, A[] arg0, B[] arg1, C[] arg2);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param arg2 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @param <C> the type of the third argument
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> void publishEvents(
            EventTranslatorThreeArg<E, A, B, C> translator,
            int batchStartsAt,
            int batchSize,
            A[] arg0,
            B[] arg1,
            C[] arg2);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param arg2 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @param <C> the type of the third argument
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorThreeArg<E, A, B, C> translator, A[] arg0, B[] arg1, C[] arg2);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param arg0 given to the translator, one element for each event
     * @param arg1 given to the translator, one element for each event
     * @param arg2 given to the translator, one element for each event
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @param <C> the type of the third argument
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorThreeArg<E, A, B, C> translator,
            int batchStartsAt,
            int batchSize,
            A[] arg0,
            B[] arg1,
            C[] arg2);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param args given to the translator, one array for each event
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    void publishEvents(EventTranslatorVararg<E> translator, @Nullable Object[]... args);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Waits while the ring has no room for all.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param args given to the translator, one array for each event
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    void publishEvents(
            EventTranslatorVararg<E> translator, int batchStartsAt, int batchSize, @Nullable Object[]... args);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param args given to the translator, one array for each event
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    boolean tryPublishEvents(EventTranslatorVararg<E> translator, @Nullable Object[]... args);

    /**
     * Claims a slot for each event, has them filled, and publishes them together. Never waits.
     *
     * @param translator fills the events
     * @param batchStartsAt the index of the first that is used
     * @param batchSize how many are used, from 1 to the size of the ring
     * @param args given to the translator, one array for each event
     * @return whether there was room for all
     * @throws IllegalArgumentException if there are none, more than the ring holds, or fewer than asked for
     */
    boolean tryPublishEvents(
            EventTranslatorVararg<E> translator, int batchStartsAt, int batchSize, @Nullable Object[]... args);
}
