package io.sluice.core.access;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Makes the handles through which threads share fields. A class keeps each handle in a {@code static final} field of its own, so that
 * the JIT compiler knows it as a constant and compiles each access to a plain instruction. Any thread.
 */
public final class VarHandles {
    private VarHandles() {}

    /**
     * A handle for a field of objects.
     *
     * @param lookup what the calling class may see: {@link MethodHandles#lookup()}
     * @param owner the class that declares the field
     * @param name the field's name
     * @param type the field's type
     * @return the handle
     * @throws ExceptionInInitializerError if {@code owner} has no such field, or the calling class may not see it
     */
    public static VarHandle field(MethodHandles.Lookup lookup, Class<?> owner, String name, Class<?> type) {
        try {
            return lookup.findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
