package com.lmax.disruptor;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.jspecify.annotations.Nullable;

/** Says at the first use if the classes of another jar of the Disruptor stand on the class path too. */
final class OtherJar {
    private static final String CLASS = "com/lmax/disruptor/RingBuffer.class";

    private OtherJar() {}

    /**
     * Warns, naming each place that holds the ring's class, if there are several. Called once. A class loader that refuses to look, or a
     * logger that throws, does not keep the ring from loading.
     */
    static void tell() {
        try {
            List<String> places = places();
            if (places.size() > 1) {
                Log.log(RingBuffer.class, Level.WARNING, () -> message(places), null);
            }
        } catch (RuntimeException | ServiceConfigurationError refused) {
            return; // who cannot be asked, or told, needs no warning
        }
    }

    private static List<String> places() {
        @Nullable ClassLoader loader = OtherJar.class.getClassLoader();
        List<String> places = new ArrayList<>();
        if (loader != null) {
            try {
                for (URL place : Collections.list(loader.getResources(CLASS))) {
                    places.add(place.toString());
                }
            } catch (IOException unreadable) {
                Log.log(
                        RingBuffer.class,
                        Level.WARNING,
                        () -> "could not look for a second jar of the Disruptor",
                        unreadable);
            }
        }
        return places;
    }

    private static String message(List<String> places) {
        return "com.lmax.disruptor is on the class path " + places.size() + " times; classes come from the first place"
                + " that has them, so take out all but one: " + String.join(", ", places);
    }
}
