package com.lmax.disruptor;

import io.sluice.core.check.Check;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The events of a ring, and how translators fill and publish them. */
@SuppressWarnings("overloads") // the API is given
abstract class Slots<E> implements DataProvider<E>, EventSink<E>, BooleanSupplier {
    /** Slots before and after the events, so that no other object shares a cache line with the first and the last of them. */
    private static final int PADDING = 32;

    final @Nullable Object[] slots;
    final int mask;
    final AbstractSequencer sequencer;

    Slots(EventFactory<E> factory, AbstractSequencer sequencer) {
        Check.notNull(factory, "factory");
        this.sequencer = sequencer;
        mask = sequencer.bufferSize - 1;
        slots = new @Nullable Object[sequencer.bufferSize + 2 * PADDING];
        for (int i = 0; i <= mask; i++) {
            slots[PADDING + i] = factory.newInstance();
        }
    }

    @Override
    @SuppressWarnings("unchecked") // slots holds what the factory has made
    public E get(long sequence) {
        return (E) slots[PADDING + ((int) sequence & mask)];
    }

    /**
     * Whether a producer waits for room. Asked by a graph, which stands in another package: the API has no further type that both see.
     *
     * @return whether one waits, or has waited and its claim is not in the cursor yet
     */
    @Override
    public boolean getAsBoolean() {
        return sequencer.hasWaitingProducer();
    }

    @Override
    public void publishEvent(EventTranslator<E> translator) {
        translateAndPublish(translator, sequencer.next());
    }

    @Override
    public boolean tryPublishEvent(EventTranslator<E> translator) {
        try {
            translateAndPublish(translator, sequencer.tryNext());
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private void translateAndPublish(EventTranslator<E> translator, long sequence) {
        try {
            translator.translateTo(get(sequence), sequence);
        } finally {
            sequencer.publish(sequence);
        }
    }

    @Override
    public <A extends @Nullable Object> void publishEvent(EventTranslatorOneArg<E, A> translator, A arg0) {
        translateAndPublish(translator, sequencer.next(), arg0);
    }

    @Override
    public <A extends @Nullable Object> boolean tryPublishEvent(EventTranslatorOneArg<E, A> translator, A arg0) {
        try {
            translateAndPublish(translator, sequencer.tryNext(), arg0);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private <A extends @Nullable Object> void translateAndPublish(
            EventTranslatorOneArg<E, A> translator, long sequence, A arg0) {
        try {
            translator.translateTo(get(sequence), sequence, arg0);
        } finally {
            sequencer.publish(sequence);
        }
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object> void publishEvent(
            EventTranslatorTwoArg<E, A, B> translator, A arg0, B arg1) {
        translateAndPublish(translator, sequencer.next(), arg0, arg1);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object> boolean tryPublishEvent(
            EventTranslatorTwoArg<E, A, B> translator, A arg0, B arg1) {
        try {
            translateAndPublish(translator, sequencer.tryNext(), arg0, arg1);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private <A extends @Nullable Object, B extends @Nullable Object> void translateAndPublish(
            EventTranslatorTwoArg<E, A, B> translator, long sequence, A arg0, B arg1) {
        try {
            translator.translateTo(get(sequence), sequence, arg0, arg1);
        } finally {
            sequencer.publish(sequence);
        }
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> void publishEvent(
            EventTranslatorThreeArg<E, A, B, C> translator, A arg0, B arg1, C arg2) {
        translateAndPublish(translator, sequencer.next(), arg0, arg1, arg2);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> boolean tryPublishEvent(
            EventTranslatorThreeArg<E, A, B, C> translator, A arg0, B arg1, C arg2) {
        try {
            translateAndPublish(translator, sequencer.tryNext(), arg0, arg1, arg2);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            void translateAndPublish(
                    EventTranslatorThreeArg<E, A, B, C> translator, long sequence, A arg0, B arg1, C arg2) {
        try {
            translator.translateTo(get(sequence), sequence, arg0, arg1, arg2);
        } finally {
            sequencer.publish(sequence);
        }
    }

    @Override
    public void publishEvent(EventTranslatorVararg<E> translator, @Nullable Object... args) {
        translateAndPublish(translator, sequencer.next(), args);
    }

    @Override
    public boolean tryPublishEvent(EventTranslatorVararg<E> translator, @Nullable Object... args) {
        try {
            translateAndPublish(translator, sequencer.tryNext(), args);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private void translateAndPublish(EventTranslatorVararg<E> translator, long sequence, @Nullable Object... args) {
        try {
            translator.translateTo(get(sequence), sequence, args);
        } finally {
            sequencer.publish(sequence);
        }
    }

    @Override
    public void publishEvents(EventTranslator<E>[] translators) {
        publishEvents(translators, 0, translators.length);
    }

    @Override
    public void publishEvents(EventTranslator<E>[] translators, int batchStartsAt, int batchSize) {
        checkBatch(batchStartsAt, batchSize, translators.length);
        translateAndPublish(translators, batchStartsAt, batchSize, sequencer.next(batchSize));
    }

    @Override
    public boolean tryPublishEvents(EventTranslator<E>[] translators) {
        return tryPublishEvents(translators, 0, translators.length);
    }

    @Override
    public boolean tryPublishEvents(EventTranslator<E>[] translators, int batchStartsAt, int batchSize) {
        checkBatch(batchStartsAt, batchSize, translators.length);
        try {
            translateAndPublish(translators, batchStartsAt, batchSize, sequencer.tryNext(batchSize));
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private void translateAndPublish(EventTranslator<E>[] translators, int batchStartsAt, int batchSize, long last) {
        long first = last - (batchSize - 1);
        try {
            for (int i = 0; i < batchSize; i++) {
                translators[batchStartsAt + i].translateTo(get(first + i), first + i);
            }
        } finally {
            sequencer.publish(first, last);
        }
    }

    @Override
    public <A extends @Nullable Object> void publishEvents(EventTranslatorOneArg<E, A> translator, A[] arg0) {
        publishEvents(translator, 0, arg0.length, arg0);
    }

    @Override
    public <A extends @Nullable Object> void publishEvents(
            EventTranslatorOneArg<E, A> translator, int batchStartsAt, int batchSize, A[] arg0) {
        checkBatch(batchStartsAt, batchSize, arg0.length);
        translateAndPublish(translator, batchStartsAt, batchSize, sequencer.next(batchSize), arg0);
    }

    @Override
    public <A extends @Nullable Object> boolean tryPublishEvents(EventTranslatorOneArg<E, A> translator, A[] arg0) {
        return tryPublishEvents(translator, 0, arg0.length, arg0);
    }

    @Override
    public <A extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorOneArg<E, A> translator, int batchStartsAt, int batchSize, A[] arg0) {
        checkBatch(batchStartsAt, batchSize, arg0.length);
        try {
            translateAndPublish(translator, batchStartsAt, batchSize, sequencer.tryNext(batchSize), arg0);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private <A extends @Nullable Object> void translateAndPublish(
            EventTranslatorOneArg<E, A> translator, int batchStartsAt, int batchSize, long last, A[] arg0) {
        long first = last - (batchSize - 1);
        try {
            for (int i = 0; i < batchSize; i++) {
                translator.translateTo(get(first + i), first + i, arg0[batchStartsAt + i]);
            }
        } finally {
            sequencer.publish(first, last);
        }
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object> void publishEvents(
            EventTranslatorTwoArg<E, A, B> translator, A[] arg0, B[] arg1) {
        publishEvents(translator, 0, arg0.length, arg0, arg1);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object> void publishEvents(
            EventTranslatorTwoArg<E, A, B> translator, int batchStartsAt, int batchSize, A[] arg0, B[] arg1) {
        checkBatch(batchStartsAt, batchSize, Math.min(arg0.length, arg1.length));
        translateAndPublish(translator, batchStartsAt, batchSize, sequencer.next(batchSize), arg0, arg1);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorTwoArg<E, A, B> translator, A[] arg0, B[] arg1) {
        return tryPublishEvents(translator, 0, arg0.length, arg0, arg1);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object> boolean tryPublishEvents(
            EventTranslatorTwoArg<E, A, B> translator, int batchStartsAt, int batchSize, A[] arg0, B[] arg1) {
        checkBatch(batchStartsAt, batchSize, Math.min(arg0.length, arg1.length));
        try {
            translateAndPublish(translator, batchStartsAt, batchSize, sequencer.tryNext(batchSize), arg0, arg1);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private <A extends @Nullable Object, B extends @Nullable Object> void translateAndPublish(
            EventTranslatorTwoArg<E, A, B> translator,
            int batchStartsAt,
            int batchSize,
            long last,
            A[] arg0,
            B[] arg1) {
        long first = last - (batchSize - 1);
        try {
            for (int i = 0; i < batchSize; i++) {
                translator.translateTo(get(first + i), first + i, arg0[batchStartsAt + i], arg1[batchStartsAt + i]);
            }
        } finally {
            sequencer.publish(first, last);
        }
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> void publishEvents(
            EventTranslatorThreeArg<E, A, B, C> translator, A[] arg0, B[] arg1, C[] arg2) {
        publishEvents(translator, 0, arg0.length, arg0, arg1, arg2);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> void publishEvents(
            EventTranslatorThreeArg<E, A, B, C> translator,
            int batchStartsAt,
            int batchSize,
            A[] arg0,
            B[] arg1,
            C[] arg2) {
        checkBatch(batchStartsAt, batchSize, Math.min(arg0.length, Math.min(arg1.length, arg2.length)));
        translateAndPublish(translator, batchStartsAt, batchSize, sequencer.next(batchSize), arg0, arg1, arg2);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            boolean tryPublishEvents(EventTranslatorThreeArg<E, A, B, C> translator, A[] arg0, B[] arg1, C[] arg2) {
        return tryPublishEvents(translator, 0, arg0.length, arg0, arg1, arg2);
    }

    @Override
    public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            boolean tryPublishEvents(
                    EventTranslatorThreeArg<E, A, B, C> translator,
                    int batchStartsAt,
                    int batchSize,
                    A[] arg0,
                    B[] arg1,
                    C[] arg2) {
        checkBatch(batchStartsAt, batchSize, Math.min(arg0.length, Math.min(arg1.length, arg2.length)));
        try {
            translateAndPublish(translator, batchStartsAt, batchSize, sequencer.tryNext(batchSize), arg0, arg1, arg2);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
            void translateAndPublish(
                    EventTranslatorThreeArg<E, A, B, C> translator,
                    int batchStartsAt,
                    int batchSize,
                    long last,
                    A[] arg0,
                    B[] arg1,
                    C[] arg2) {
        long first = last - (batchSize - 1);
        try {
            for (int i = 0; i < batchSize; i++) {
                translator.translateTo(
                        get(first + i),
                        first + i,
                        arg0[batchStartsAt + i],
                        arg1[batchStartsAt + i],
                        arg2[batchStartsAt + i]);
            }
        } finally {
            sequencer.publish(first, last);
        }
    }

    @Override
    public void publishEvents(EventTranslatorVararg<E> translator, @Nullable Object[]... args) {
        publishEvents(translator, 0, args.length, args);
    }

    @Override
    public void publishEvents(
            EventTranslatorVararg<E> translator, int batchStartsAt, int batchSize, @Nullable Object[]... args) {
        checkBatch(batchStartsAt, batchSize, args.length);
        translateAndPublish(translator, batchStartsAt, batchSize, sequencer.next(batchSize), args);
    }

    @Override
    public boolean tryPublishEvents(EventTranslatorVararg<E> translator, @Nullable Object[]... args) {
        return tryPublishEvents(translator, 0, args.length, args);
    }

    @Override
    public boolean tryPublishEvents(
            EventTranslatorVararg<E> translator, int batchStartsAt, int batchSize, @Nullable Object[]... args) {
        checkBatch(batchStartsAt, batchSize, args.length);
        try {
            translateAndPublish(translator, batchStartsAt, batchSize, sequencer.tryNext(batchSize), args);
            return true;
        } catch (InsufficientCapacityException full) {
            return false;
        }
    }

    private void translateAndPublish(
            EventTranslatorVararg<E> translator,
            int batchStartsAt,
            int batchSize,
            long last,
            @Nullable Object[]... args) {
        long first = last - (batchSize - 1);
        try {
            for (int i = 0; i < batchSize; i++) {
                translator.translateTo(get(first + i), first + i, args[batchStartsAt + i]);
            }
        } finally {
            sequencer.publish(first, last);
        }
    }

    private void checkBatch(int batchStartsAt, int batchSize, int length) {
        Check.inRange(batchStartsAt, 0, length, "batchStartsAt");
        Check.inRange(batchSize, 1, Math.min(mask + 1, length - batchStartsAt), "batchSize");
    }
}
