package io.sluice.core.records;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How long a component of a record may be at most: a {@code String} in characters, an array in elements. Its field takes room for
 * so many. {@link RecordCodec} asks for it on each {@code String} and array.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface MaxLength {
    /**
     * The greatest length.
     *
     * @return characters or elements, 1 to 65,536
     */
    int value();
}
