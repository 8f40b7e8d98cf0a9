package io.sluice.aeron;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables of docs/testing.md say which pairs are tested: each method of a class of pairs runs with each of its kinds. */
@Tag("once")
class PairsTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|(( \\+ \\|)+)$");

    @Test
    void theTablesAreThoseOfTheTests() throws Exception {
        String page = Files.readString(Path.of("..", "..", "docs", "testing.md"));
        check(page, SenderPairsTest.class, SenderPairsTest.Kind.values());
        check(page, ReceiverPairsTest.class, ReceiverPairsTest.Kind.values());
    }

    private static void check(String page, Class<?> pairs, Enum<?>[] kinds) {
        String head = Arrays.stream(kinds)
                .map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .collect(Collectors.joining(" | ", "| " + pairs.getSimpleName() + " | ", " |\n"));
        int at = page.indexOf(head);
        assertThat(at).as("docs/testing.md has the line %s", head).isNotNegative();
        Matcher rows = ROW.matcher(page.substring(at, page.indexOf("\n\n", at) + 1));
        List<String> methods = new ArrayList<>();
        while (rows.find()) {
            methods.add(rows.group(1));
            assertThat(rows.group(2)).as(rows.group(1)).isEqualTo(" + |".repeat(kinds.length));
        }
        assertThat(methods)
                .as(pairs.getSimpleName())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(pairs.getDeclaredMethods())
                        .filter(PairsTest::runsWithAll)
                        .map(Method::getName)
                        .toList());
    }

    private static boolean runsWithAll(Method method) {
        EnumSource source = method.getAnnotation(EnumSource.class);
        return method.isAnnotationPresent(ParameterizedTest.class) && source != null && source.names().length == 0;
    }
}
