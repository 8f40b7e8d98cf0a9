import io.sluice.core.bytes.SafeBuffer;

/** Uses the class of the core jar that newer JDKs have another version of; says where that came from, and what closing it did. */
public final class Scoped {
    private Scoped() {}

    public static void main(String[] arguments) {
        SafeBuffer buffer = SafeBuffer.allocateScoped(64);
        buffer.putLong(8, 42);
        long read = buffer.getLong(8);
        buffer.close();
        String closed;
        try {
            buffer.getLong(8);
            closed = "still there";
        } catch (IllegalStateException e) {
            closed = "closed";
        }
        String from = SafeBuffer.class.getResource("OwnedMemory.class").getPath();
        System.out.println(read + ", " + closed + ", " + (from.contains("!/META-INF/versions/22/") ? "part for 22" : "part for all"));
    }
}
