package io.sluice.ringbuffer.monitor;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The bean of a watched ring in the platform's server. Loaded only in a JVM with JMX: see {@link Watchdog}. */
final class RingBean implements RingMXBean {
    private final Watchdog watchdog;
    private final ObjectName objectName;

    private RingBean(Watchdog watchdog, ObjectName objectName) {
        this.watchdog = watchdog;
        this.objectName = objectName;
    }

    /** Registers a bean under the first name that is free. */
    static RingBean register(Watchdog watchdog) throws JMException {
        String name = watchdog.name();
        String first = "io.sluice:type=Ring,name="
                + (name.isEmpty() || name.matches("(?s).*[,=:\"*?\\n].*") ? ObjectName.quote(name) : name);
        for (int number = 1; ; number++) {
            RingBean bean = new RingBean(watchdog, new ObjectName(number == 1 ? first : first + ",number=" + number));
            try {
                server().registerMBean(bean, bean.objectName);
                return bean;
            } catch (InstanceAlreadyExistsException e) {
                // another ring's: the next name
            }
        }
    }

    private static MBeanServer server() {
        return ManagementFactory.getPlatformMBeanServer();
    }

    void unregister() {
        try {
            server().unregisterMBean(objectName);
        } catch (JMException e) {
            // somebody else has removed it
        }
    }

    @Override
    public String getState() {
        return watchdog.monitor().state().name();
    }

    @Override
    public long getCapacity() {
        return watchdog.monitor().capacity();
    }

    @Override
    public long getCursor() {
        return watchdog.monitor().published() - 1;
    }

    @Override
    public Map<String, Long> getConsumerLags() {
        RingMonitor monitor = watchdog.monitor();
        Map<String, Long> lags = new LinkedHashMap<>();
        for (int i = 0; i < monitor.consumers(); i++) {
            lags.put(monitor.consumer(i).name(), monitor.consumer(i).lag());
        }
        return lags;
    }

    @Override
    public String dump() {
        return watchdog.dump();
    }
}
