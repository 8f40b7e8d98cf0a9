package io.sluice.jcstress;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The claim that a jcstress test proves, and the twins that prove the test. Every test class of this module has one; the gate reads it. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Proof {
    /**
     * The claim in one sentence, for the table.
     *
     * @return what holds
     */
    String claim();

    /**
     * Outcomes that only come about if the actors overlapped. The gate fails if one was never sampled.
     *
     * @return ids of outcomes, as jcstress writes them
     */
    String[] overlap();

    /**
     * The weakened twins that this test must catch.
     *
     * @return names of rows of the {@link io.sluice.jcstress.twin.Catalogue}
     */
    String[] twins();
}
