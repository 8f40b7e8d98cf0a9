package io.sluice.perf.records;

import io.sluice.core.records.RecordCodec;
import org.agrona.concurrent.AtomicBuffer;

/** A record codec over one buffer. */
final class CodecWay<T extends Record> implements Way<T> {
    private final RecordCodec<T> codec;
    private final AtomicBuffer buffer;

    CodecWay(RecordCodec<T> codec, AtomicBuffer buffer) {
        this.codec = codec;
        this.buffer = buffer;
    }

    @Override
    public int write(T object, int place) {
        codec.encode(object, buffer, place * ROOM);
        return codec.size();
    }

    @Override
    public T read(int place) {
        return codec.decode(buffer, place * ROOM);
    }
}
