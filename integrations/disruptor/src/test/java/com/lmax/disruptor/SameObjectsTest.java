package com.lmax.disruptor;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import program.ObjectsProgram;

/** Each class by itself answers and refuses as the Disruptor does. */
@Tag("once")
class SameObjectsTest {
    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void eachClassAnswersTheSameAtItsBounds() throws Exception {
        SameAnswersTest.compare(ObjectsProgram.class);
    }
}
