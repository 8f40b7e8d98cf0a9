package io.sluice.jcstress.twin;

/**
 * One replacement in one method.
 *
 * @param owner the class, by its binary name
 * @param method the method's name, with its descriptor where there are several of that name; a lambda's up to its number, which
 *     compilers choose
 * @param site which instructions are meant
 * @param nth the one to be replaced, from 1, in the order of the byte code
 * @param of how many there are; if there are more or fewer, the row no longer fits the code and is refused
 * @param change what takes its place
 */
public record Edit(String owner, String method, Site site, int nth, int of, Change change) {
    /** Checks the position. */
    public Edit {
        if (nth < 1 || nth > of) {
            throw new IllegalArgumentException("nth must be from 1 to " + of + ", but was " + nth);
        }
    }

    /** Whether a method has the name. */
    boolean isIn(String name) {
        return method.equals(name) || (method.endsWith("$") && name.startsWith(method));
    }

    /** The instructions that are meant. */
    public sealed interface Site {}

    /**
     * Calls of a method.
     *
     * @param owner the internal name of the class in the instruction
     * @param name the method's name
     */
    public record Call(String owner, String name) implements Site {
        @Override
        public String toString() {
            return "call of " + owner.substring(owner.lastIndexOf('/') + 1) + "." + name;
        }
    }

    /**
     * Conditional jumps.
     *
     * @param opcode the jump's opcode
     */
    public record Jump(int opcode) implements Site {
        @Override
        public String toString() {
            return "jump with opcode " + opcode;
        }
    }

    /**
     * Instructions without operands: arithmetic, small constants, stores into arrays.
     *
     * @param opcode the opcode
     */
    public record Plain(int opcode) implements Site {
        @Override
        public String toString() {
            return "instruction with opcode " + opcode;
        }
    }

    @Override
    public String toString() {
        return owner.substring(owner.lastIndexOf('.') + 1) + "." + method + ", " + site
                + (of == 1 ? "" : ", number " + nth + " of " + of) + ": " + change;
    }
}
