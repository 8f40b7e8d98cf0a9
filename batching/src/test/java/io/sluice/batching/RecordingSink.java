package io.sluice.batching;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Remembers what it took, and takes as much, or fails as often, as it is told. */
final class RecordingSink implements BatchSink {
    final List<String> batches = new ArrayList<>();
    final List<List<Long>> sequences = new ArrayList<>();
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    /** For each send: how many bytes to take at most; negative: take that many, less one, then fail. */
    final Queue<Integer> script = new ArrayDeque<>();

    final Queue<IOException> endFailures = new ArrayDeque<>();
    /** What it does when idle, beside counting. */
    IdleAction onIdle = () -> {};

    int maxBatchLength = Integer.MAX_VALUE;
    int sends;
    int ends;
    int idles;
    boolean closed;
    private long lastId;

    /** Something that may fail. */
    interface IdleAction {
        void run() throws IOException;
    }

    static int failAfter(int bytes) {
        return -1 - bytes;
    }

    @Override
    public void send(Batch batch) throws IOException {
        sends++;
        if (batch.id() != lastId) {
            lastId = batch.id();
            batches.add(text(batch.buffer().duplicate().position(0)));
            List<Long> inBatch = new ArrayList<>();
            for (int i = 0; i < batch.messages(); i++) {
                inBatch.add(batch.sequence(i));
            }
            sequences.add(inBatch);
        }
        Integer planned = script.poll();
        ByteBuffer buffer = batch.buffer();
        int take = planned == null ? buffer.remaining() : planned < 0 ? -1 - planned : planned;
        for (int i = Math.min(take, buffer.remaining()); i > 0; i--) {
            bytes.write(buffer.get());
        }
        if (planned != null && planned < 0) {
            throw new IOException("planned");
        }
    }

    @Override
    public void endOfBatch() throws IOException {
        IOException failure = endFailures.poll();
        if (failure != null) {
            throw failure;
        }
        ends++;
    }

    @Override
    public void onIdle() throws IOException {
        idles++;
        onIdle.run();
    }

    @Override
    public int maxBatchLength() {
        return maxBatchLength;
    }

    @Override
    public void close() {
        closed = true;
    }

    String taken() {
        return bytes.toString(java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    static String text(ByteBuffer buffer) {
        byte[] content = new byte[buffer.remaining()];
        buffer.get(content);
        return new String(content, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    /** Encodes a string as its Latin-1 characters. */
    static int encode(String event, ByteBuffer buffer, int offset) {
        for (int i = 0; i < event.length(); i++) {
            buffer.put(offset + i, (byte) event.charAt(i));
        }
        return event.length();
    }
}
