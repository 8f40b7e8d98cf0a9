package io.sluice.examples.demo;

/**
 * The counts of a subscriber.
 *
 * @param datagrams datagrams that arrived
 * @param bytes their bytes
 * @param matching messages that are, byte by byte, those of the input with their sequence
 * @param lostByUdp messages that were sent and did not arrive
 * @param faults datagrams and messages that are not what was sent, and failures of the subscriber
 * @param firstFault the first of them, or an empty text
 * @param naks NAKs that it sent
 * @param longestGapNanos the longest time in which its receiving thread did not look at socket and queue
 * @param receiveBuffer bytes that the system gave to its socket
 */
record SubscriberResult(
        long datagrams,
        long bytes,
        long matching,
        long lostByUdp,
        long faults,
        String firstFault,
        long naks,
        long longestGapNanos,
        int receiveBuffer) {}
