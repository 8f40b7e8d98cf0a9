package io.sluice.backpressure.admission;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/* The JFR event of AdmissionGate. */
@Name("io.sluice.WaterMark")
@Label("Water mark")
@Category({"Sluice", "Back pressure"})
@Description("An admission gate reached its high or its low water mark")
@StackTrace(false)
final class WaterMarkEvent extends Event {
    @Label("High")
    boolean high;

    @Label("Inside")
    long inside;

    @Label("Bound")
    long bound;
}
