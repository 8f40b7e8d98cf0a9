package io.sluice.perf.dropin;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The processor time that this process has taken. */
final class ProcessTime {
    private ProcessTime() {}

    /** All threads together, in nanoseconds. */
    static long nanos() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long nanos = system.getProcessCpuTime();
        if (nanos < 0) {
            throw new IllegalStateException("the system must tell the processor time of a process, but does not");
        }
        return nanos;
    }
}
