package io.sluice.perf.ordered;

import java.util.SplittableRandom;

/** Random orders, made beforehand. */
final class Orders {
    /** The number of tickets that are taken at once. */
    static final int HANDFUL = 16;

    private static final int ORDERS = 64;

    private Orders() {}

    /** Orders of 0 to {@link #HANDFUL} - 1, one behind the other. */
    static byte[] of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] orders = new byte[ORDERS * HANDFUL];
        for (int at = 0; at < orders.length; at += HANDFUL) {
            for (int i = 0; i < HANDFUL; i++) { // inside out
                int j = random.nextInt(i + 1);
                orders[at + i] = orders[at + j];
                orders[at + j] = (byte) i;
            }
        }
        return orders;
    }
}
