package io.sluice.examples.demo;

/**
 * What a subscriber got.
 *
 * @param datagrams datagrams that arrived
 * @param bytes their bytes
 * @param matching messages that are, byte by byte, those of the input with their sequence
 * @param lostByUdp messages that were sent and did not arrive
 * @param lostByQueue messages that arrived when the subscriber's queue was full
 * @param faults datagrams and messages that are not what was sent, and failures of the subscriber
 * @param firstFault the first of them, or an empty text
 * @param naks NAKs that it sent
 * @param receiveBuffer bytes that the system gave to its socket
 */
record SubscriberResult(
        long datagrams,
        long bytes,
        long matching,
        long lostByUdp,
        long lostByQueue,
        long faults,
        String firstFault,
        long naks,
        int receiveBuffer) {}
