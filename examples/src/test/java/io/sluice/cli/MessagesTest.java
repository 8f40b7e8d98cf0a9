package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The messages of bad input and refused calls in the library modules have one form: what must hold, and what holds instead. */
@Tag("once")
class MessagesTest {
    private static final Pattern THROWN = Pattern.compile(
            "new (?:IllegalArgument|IllegalState|NullPointer|IndexOutOfBounds" + "|UnsupportedOperation)Exception\\(");

    private static final String VALUE = "<value>";

    /** Messages of another form, each with the reason. */
    private static final Map<String, String> REPORTS = Map.ofEntries(
            Map.entry("<value>", "AbandonedClaim has two messages of the one form, from a method of its own"),
            Map.entry("a constructor of <value> threw a checked exception", "an error of the library itself"),
            Map.entry("warm-up", "nobody sees it"),
            Map.entry("a loop for poller <value>", "an error of the library itself"),
            Map.entry("ring <value>: thread <value> failed", "reports a failure"),
            Map.entry(
                    "the encoder failed with <value> bytes of room, those of the longest message; is this one longer? <value>",
                    "reports a failure"),
            Map.entry("the subscriber threw from onNext", "reports a failure"),
            Map.entry("the subscriber threw from its last signal", "reports a failure"),
            Map.entry("the ring has failed", "reports a failure"),
            Map.entry("the ring was closed with <value> events unhandled", "reports what is left"),
            Map.entry("the source sent more than the <value> asked for", "reports a failure of the source"),
            Map.entry("the source failed", "reports a failure"));

    @Test
    void everyMessageOfARefusalHasTheOneForm() throws IOException {
        int messages = 0;
        List<String> faults = new ArrayList<>();
        Set<String> used = new HashSet<>();
        for (String module : Repository.libraryModules()) {
            Path main = Repository.root().resolve(module).resolve("src").resolve("main");
            for (Path file : Repository.files(main)) {
                if (file.toString().endsWith(".java")) {
                    for (String message : messages(Repository.read(file))) {
                        messages++;
                        if (REPORTS.containsKey(message)) {
                            used.add(message);
                        }
                        if (isFault(message)) {
                            faults.add(file.getFileName() + ": " + message);
                        }
                    }
                }
            }
        }
        assertThat(faults).isEmpty();
        assertThat(used).as("reports that are thrown").isEqualTo(REPORTS.keySet());
        assertThat(messages).isGreaterThan(100);
    }

    @Test
    void aMessageOfTheOldFormIsFound() {
        assertThat(
                        messages(
                                "throw new IllegalArgumentException(\"n \" + n + \": allowed are 1 to (\\\"\" + most(n, 1)\n + 2);"))
                .containsExactly("n <value>: allowed are 1 to (\"<value>")
                .allMatch(MessagesTest::isFault);
        assertThat(messages("new IllegalStateException(\"joined already: allowed is once\", cause)"))
                .containsExactly("joined already: allowed is once")
                .allMatch(MessagesTest::isFault);
        assertThat(isFault("n must be allowed, but was 3")).isTrue();
        assertThat(isFault("n must be 3 or more")).isTrue();
    }

    @Test
    void aMessageOfTheOneFormIsNone() {
        assertThat(messages("new NullPointerException(name + \" must not be null\")"))
                .containsExactly("<value> must not be null")
                .noneMatch(MessagesTest::isFault);
        assertThat(messages("new IllegalArgumentException(\"n must be \"\n + (a ? \"1\" : b) + \", but was \" + n, e)"))
                .containsExactly("n must be <value>1<value>, but was <value>")
                .noneMatch(MessagesTest::isFault);
    }

    private static boolean isFault(String message) {
        boolean form =
                message.contains(" must not be null") || (message.contains(" must ") && message.contains(", but "));
        return message.contains("allowed") || (!form && !REPORTS.containsKey(message));
    }

    /** Returns the message of each such exception: its literals as they are, and one placeholder for what stands between two. */
    private static List<String> messages(String source) {
        List<String> messages = new ArrayList<>();
        Matcher thrown = THROWN.matcher(source);
        while (thrown.find()) {
            messages.add(message(source, thrown.end()));
        }
        return messages;
    }

    private static String message(String source, int from) {
        StringBuilder message = new StringBuilder();
        int depth = 0;
        boolean value = false;
        for (int i = from; i < source.length(); i++) {
            char c = source.charAt(i);
            if (c == '"') {
                if (value) {
                    message.append(VALUE);
                    value = false;
                }
                while (source.charAt(++i) != '"') {
                    if (source.charAt(i) == '\\') {
                        i++;
                    }
                    message.append(source.charAt(i));
                }
            } else if ((c == ')' || c == ',') && depth == 0) {
                break; // the end of the call, or of its first argument
            } else {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                value |= Character.isJavaIdentifierPart(c);
            }
        }
        return value ? message.append(VALUE).toString() : message.toString();
    }
}
