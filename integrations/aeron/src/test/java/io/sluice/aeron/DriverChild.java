package io.sluice.aeron;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.exceptions.ActiveDriverException;
import java.util.concurrent.TimeUnit;

/** A media driver in a process of its own: the directory. */
final class DriverChild {
    private DriverChild() {}

    public static void main(String[] arguments) throws InterruptedException {
        MediaDriver driver = null;
        while (driver == null) {
            try {
                MediaDriver.Context context = new MediaDriver.Context();
                Harness.small(context);
                driver = MediaDriver.launch(context.aeronDirectoryName(arguments[0])
                        .threadingMode(ThreadingMode.SHARED)
                        .driverTimeoutMs(500)
                        .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(1))
                        .warnIfDirectoryExists(false)
                        .dirDeleteOnStart(true));
            } catch (ActiveDriverException e) {
                Thread.sleep(50); // the one that was killed is not old enough yet
            }
        }
        System.out.println("ready");
        while (Child.isWanted()) {
            Thread.sleep(20);
        }
        driver.close();
    }
}
