package io.sluice.ringbuffer.counters;

import io.sluice.core.bytes.SafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/*
 * A counters file. All numbers in the byte order of the machine, as Agrona's.
 *
 *     0  magic           the last two bytes are the version; written last: a reader that sees it sees the rest of the header
 *     8  process         the writer's number
 *    16  started         when the file was made, milliseconds since 1970
 *    24  updated         when the values were last written, milliseconds since 1970
 *    32  counters        how many there are room for
 *    40  closed          1 once the writer has closed it
 *   128  metadata        Agrona's, 512 bytes a counter
 *        values          Agrona's, 128 bytes a counter
 *
 * A counter's key is the number of its ring and that of its consumer, -1 for the ring itself: two ints.
 *
 * Version 2: RingCounter.FAILURE, whose label is the cause of a ring's failure. Version 1 had none.
 */
final class CountersLayout {
    static final int VERSION = 2;
    static final int VERSION_BITS = 16;
    static final long MAGIC = 0x534c_5549_4345L << VERSION_BITS | VERSION;
    static final int MOST_COUNTERS = 100_000;

    static final int MAGIC_AT = 0;
    static final int PROCESS_AT = 8;
    static final int STARTED_AT = 16;
    static final int UPDATED_AT = 24;
    static final int COUNTERS_AT = 32;
    static final int CLOSED_AT = 40;
    static final int HEADER = 128;

    private CountersLayout() {}

    static int fileLength(int counters) {
        return HEADER + counters * (CountersReader.METADATA_LENGTH + CountersReader.COUNTER_LENGTH);
    }

    static SafeBuffer header(SafeBuffer file) {
        return new SafeBuffer(file, 0, HEADER);
    }

    static SafeBuffer metadata(SafeBuffer file, int counters) {
        return new SafeBuffer(file, HEADER, counters * CountersReader.METADATA_LENGTH);
    }

    static SafeBuffer values(SafeBuffer file, int counters) {
        return new SafeBuffer(
                file, HEADER + counters * CountersReader.METADATA_LENGTH, counters * CountersReader.COUNTER_LENGTH);
    }
}
