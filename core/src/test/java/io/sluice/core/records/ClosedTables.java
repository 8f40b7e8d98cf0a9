package io.sluice.core.records;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.testing.StackEnd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Arrays;

/** Tables of several pages that are closed where that is hard. Each class is a program, for a JVM of its own. */
public final class ClosedTables {
    record Small(int number) {}

    private ClosedTables() {}

    private static RecordTable<Small> table() {
        return new RecordTable<>(RecordCodec.of(MethodHandles.lookup(), Small.class), 3, SafeBuffer::allocateScoped, 4);
    }

    private static String state(SafeBuffer page) {
        try {
            return page.getInt(0) == 0 ? "open" : "written";
        } catch (IllegalStateException e) {
            return "closed";
        }
    }

    /** Closes at each depth of the stack until the close is whole, and then again. */
    public static final class CutOff {
        private CutOff() {}

        public static void main(String[] arguments) throws InterruptedException {
            StackEnd.onSmallStack(CutOff::atEachDepth);
        }

        private static void atEachDepth() {
            int cut = 0;
            int wholeInARow = 0;
            for (int step = -1; wholeInARow < 24; step++) {
                RecordTable<Small> table = table();
                SafeBuffer[] pages = table.pages();
                boolean whole = StackEnd.atStep(step, table::close) == null;
                try {
                    table.close();
                } catch (RuntimeException e) {
                    throw new AssertionError("closing again failed at step " + step, e);
                }
                if (!Arrays.stream(pages).allMatch(page -> state(page).equals("closed"))) {
                    throw new AssertionError("a page is open behind step " + step);
                }
                cut += whole ? 0 : 1;
                wholeInARow = whole ? wholeInARow + 1 : 0;
            }
            System.out.println(cut > 0 ? "each page is closed" : "nothing was cut off");
        }
    }

    /** Closes while channels read into the first page and the last, and again once they have read. */
    public static final class WhileAChannelReads {
        private WhileAChannelReads() {}

        public static void main(String[] arguments) throws Exception {
            RecordTable<Small> table = table();
            SafeBuffer[] pages = table.pages().clone();
            Pipe[] pipes = {Pipe.open(), Pipe.open()};
            Thread[] readers = {reader(pipes[0], pages[0]), reader(pipes[1], pages[pages.length - 1])};
            try {
                table.close();
            } catch (IllegalStateException e) {
                System.out.println("refused: " + e.getClass().getSimpleName() + " and " + e.getSuppressed().length);
            }
            for (SafeBuffer page : pages) {
                System.out.println(state(page));
            }
            for (int i = 0; i < pipes.length; i++) {
                pipes[i].sink().write(ByteBuffer.allocate(4));
                readers[i].join();
            }
            table.close();
            if (!Arrays.stream(pages).allMatch(page -> state(page).equals("closed"))) {
                throw new AssertionError("a page is still open");
            }
        }

        /** Reads into a page, once it has begun. */
        private static Thread reader(Pipe pipe, SafeBuffer page) {
            ByteBuffer into = page.byteBuffer();
            Thread reader = new Thread(() -> {
                try {
                    pipe.source().read(into);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            reader.start();
            while (!isReading(reader)) {
                Thread.onSpinWait();
            }
            return reader;
        }

        /** In the call of the system, whose method is the innermost one. */
        private static boolean isReading(Thread thread) {
            StackTraceElement[] stack = thread.getStackTrace();
            return stack.length > 0
                    && stack[0].isNativeMethod()
                    && stack[0].getMethodName().startsWith("read");
        }
    }
}
