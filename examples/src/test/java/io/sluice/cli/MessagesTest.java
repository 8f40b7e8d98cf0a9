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
            "new (?:IllegalArgument|IllegalState|NullPointer|IndexOutOfBounds|UnsupportedOperation|NumberFormat|IO|Journal|Sink"
                    + "|MessageTooLarge|RingClosed|ClaimAborted|ClaimInterrupted|Timeout(?=\\w+\\([^)]))"
                    + "Exception\\(\\s*(?:Kind\\.\\w+,\\s*)?"
                    + "|new TicketRefusedException\\([^\";]*(?=\")"
                    + "|refused\\(\\s*Reason\\.\\w+,[^,]*,\\s*");

    /** What the launcher says, and ends with status 2. */
    private static final Pattern USAGE = Pattern.compile("new UsageException\\(");

    private static final String VALUE = "<value>";

    /** Messages of another form, each with the reason. */
    private static final Map<String, String> REPORTS = Map.ofEntries(
            Map.entry(
                    "<value>",
                    "made elsewhere: AbandonedClaim has two messages of the one form; a verb tells what its input says"),
            Map.entry("<value> must <value>", "TableFile names what its file must have, and has, in the one form"),
            Map.entry("interrupted while waiting for room", "reports an interrupt: nothing was wrong with the call"),
            Map.entry("a constructor of <value> threw a checked exception", "an error of the library itself"),
            Map.entry("warm-up", "nobody sees it"),
            Map.entry("a loop for poller <value>", "an error of the library itself"),
            Map.entry("ring <value>: thread <value> failed", "reports a failure"),
            Map.entry(
                    "the encoder failed with <value> bytes of room, those of the longest message; is this one longer? <value>",
                    "reports a failure"),
            Map.entry("the subscriber threw from onNext", "reports a failure"),
            Map.entry("the subscriber threw from its last signal", "reports a failure"),
            Map.entry("ring <value> has failed", "reports a failure"),
            Map.entry("ring <value> was closed with <value> events unhandled", "reports what is left"),
            Map.entry("the source sent more than the <value> asked for", "reports a failure of the source"),
            Map.entry("the source failed", "reports a failure"),
            Map.entry("cannot <value>: <value>", "reports what the system said"),
            Map.entry("cannot allocate <value> bytes for <value>: <value>", "reports what the system said"),
            Map.entry(
                    "the <value> failed in <value> near offset <value>; durable up to sequence <value>: <value>",
                    "reports a failure"),
            Map.entry("the journal in <value> has failed before: <value>", "reports a failure"),
            Map.entry(
                    "<value> is damaged at offset <value>, where sequence <value> was expected: <value>",
                    "reports damage"),
            Map.entry("the sink failed at the end of the batch: <value>", "reports a failure"),
            Map.entry("the sink failed when idle: <value>", "reports a failure"),
            Map.entry(
                    "the header of the batch could not be made: <value>; <value> of <value> messages not taken",
                    "reports a failure"),
            Map.entry("<value>; <value> of <value> messages not taken", "reports a failure"));

    /** Messages of the launcher that tell what the system, or another program, said. */
    private static final Set<String> SAID = Set.of(
            "<value>",
            "--counters: '<value>' can not be written: <value>",
            "<value> '<value>' can not be written: <value>",
            "<value> '<value>' cannot be written: <value>",
            "the sockets of the demo on the loopback cannot be opened: <value>",
            "<value> cannot be made: <value>",
            "the journal in '<value>' cannot be read back: <value>",
            "the journal '<value>' cannot be written: <value>",
            "the temporary folder '<value>' cannot be removed: <value>",
            "kill -<value> <value>: <value>",
            "the tests do not compile: mvn ended with <value>; its output is in <value>",
            "cannot start <value>: <value>",
            "--without <value>: its classes can not be written: <value>",
            "<value>; ./sluice jmh --help says more",
            "no folder can be made in '<value>': <value>");

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
    void everyMessageOfTheLauncherHasTheOneForm() throws IOException {
        int messages = 0;
        List<String> faults = new ArrayList<>();
        Set<String> used = new HashSet<>();
        for (String module : List.of("examples", "perf-tests", "jcstress-tests")) {
            for (Path file : Repository.files(Repository.root().resolve(module).resolve("src/main"))) {
                if (file.toString().endsWith(".java")) {
                    for (String message : messages(USAGE, Repository.read(file))) {
                        messages++;
                        if (SAID.contains(message)) {
                            used.add(message);
                        } else if (isFault(message)) {
                            faults.add(file.getFileName() + ": " + message);
                        }
                    }
                }
            }
        }
        assertThat(faults).isEmpty();
        assertThat(used).isEqualTo(SAID);
        assertThat(messages).isGreaterThan(60);
    }

    @Test
    void messagesBehindAReasonAreRead() {
        assertThat(messages("new JournalException(\n    Kind.TORN,\n    name + \" must be whole\", e)"))
                .containsExactly("<value> must be whole");
        assertThat(messages("new TicketRefusedException(a ? Reason.B : Reason.C,\n t, \"ticket \" + t, null);"))
                .containsExactly("ticket <value>");
        assertThat(messages("refused(Reason.EARLY, stage.next(), call\n + \" must not wait\")"))
                .containsExactly("<value> must not wait");
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
        return messages(THROWN, source);
    }

    private static List<String> messages(Pattern refusals, String source) {
        List<String> messages = new ArrayList<>();
        Matcher thrown = refusals.matcher(source);
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
