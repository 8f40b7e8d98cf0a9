package io.sluice.perf.records;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

/** Java's own serialisation, with a stream for each object, as one that is sent alone has. */
final class JavaWay<T> implements Way<T> {
    private final byte[][] written = new byte[PLACES][];

    @Override
    public int write(T object, int place) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(object);
        }
        written[place] = out.toByteArray();
        return written[place].length;
    }

    @Override
    @SuppressWarnings("unchecked") // what was written to this place
    public T read(int place) throws IOException, ClassNotFoundException {
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(written[place]))) {
            return (T) objects.readObject();
        }
    }
}
