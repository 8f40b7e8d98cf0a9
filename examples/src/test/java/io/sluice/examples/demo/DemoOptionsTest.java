package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoOptionsTest {
    @Test
    void hasDefaults() throws UsageException {
        DemoOptions options = DemoOptions.parse(List.of());
        assertThat(options.file()).isNull();
        assertThat(options.rate()).isZero();
        assertThat(options.messages()).isEqualTo(1_000_000);
        assertThat(options.json()).isNull();
        assertThat(options.books()).isNull();
        assertThat(options.journal()).isNull();
        assertThat(options.generate()).isNull();
        assertThat(options.slow()).isFalse();
        assertThat(options.withoutNaks()).isFalse();
        assertThat(options.risk()).isZero();
        assertThat(options.force()).isTrue();
        assertThat(options.runsTwice()).isTrue();
    }

    @Test
    void oneRunOrTwo() throws UsageException {
        assertThat(DemoOptions.parse(List.of("f", "--no-force", "--risk", "2")).runsTwice())
                .isTrue();
        assertThat(DemoOptions.parse(List.of("--no-force")).force()).isFalse();
        for (List<String> one : List.of(
                List.of("--rate", "5"), List.of("--full-speed"), List.of("--slow"), List.of("--slow", "--rate", "9"))) {
            assertThat(DemoOptions.parse(one).runsTwice()).as(one.toString()).isFalse();
        }
        assertThat(DemoOptions.parse(List.of("--full-speed")).rate()).isZero();
    }

    @Test
    void readsEveryOptionInAnyOrder() throws UsageException {
        DemoOptions options = DemoOptions.parse(
                List.of("--json", "a", "--rate", "10000000", "f x", "--books", "b", "--journal", "c"));
        assertThat(options.file()).isEqualTo("f x");
        assertThat(options.rate()).isEqualTo(10_000_000);
        assertThat(options.json()).isEqualTo(Path.of("a"));
        assertThat(options.books()).isEqualTo(Path.of("b"));
        assertThat(options.journal()).isEqualTo(Path.of("c"));
        assertThat(DemoOptions.parse(List.of("--risk", "64")).risk()).isEqualTo(64);
        assertThat(DemoOptions.parse(List.of("f", "--risk", "0")).risk()).isZero();
        options = DemoOptions.parse(List.of("--slow", "f"));
        assertThat(options.slow()).isTrue();
        assertThat(options.withoutNaks()).isFalse();
        assertThat(DemoOptions.parse(List.of("--without-naks", "--slow")).withoutNaks())
                .isTrue();
        options = DemoOptions.parse(List.of("--generate", "g", "--messages", "2000000000", "--seed", "-7"));
        assertThat(options.generate()).isEqualTo(Path.of("g"));
        assertThat(options.messages()).isEqualTo(2_000_000_000);
        assertThat(options.seed()).isEqualTo(-7);
        assertThat(DemoOptions.parse(List.of("--messages", "10000000")).messages())
                .isEqualTo(10_000_000);
    }

    @Test
    void byAeronItIsTheInputAlone() throws UsageException {
        assertThat(DemoOptions.parse(List.of()).aeron()).isFalse();
        assertThat(DemoOptions.parse(List.of()).bytes()).isFalse();
        assertThat(DemoOptions.parse(List.of("--bytes")).bytes()).isTrue();
        assertThat(DemoOptions.parse(List.of("--aeron", "f")).aeron()).isTrue();
        DemoOptions options = DemoOptions.parse(List.of("--messages", "5", "--seed", "6", "--aeron"));
        assertThat(options.aeron()).isTrue();
        assertThat(options.messages()).isEqualTo(5);
        for (String[] other : new String[][] {
            {"--rate", "5"},
            {"--json", "f"},
            {"--books", "f"},
            {"--journal", "f"},
            {"--risk", "1"},
            {"--bytes"},
            {"--slow"},
            {"--full-speed"},
            {"--no-force"},
            {"--generate", "f"}
        }) {
            List<String> all = new java.util.ArrayList<>(List.of(other));
            all.add("--aeron");
            assertThatThrownBy(() -> DemoOptions.parse(all))
                    .isInstanceOf(UsageException.class)
                    .hasMessage(other[0] + " must not be used with --aeron, but both are given");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--rate 0|--rate must be a whole number from 1 to 10000000, but was '0\'",
                "--rate -5|--rate must be a whole number from 1 to 10000000, but was '-5\'",
                "--rate 10000001|--rate must be a whole number from 1 to 10000000, but was '10000001\'",
                "--rate 99999999999999999999|--rate must be a whole number from 1 to 10000000, but was '99999999999999999999\'",
                "--rate 1.5|--rate must be a whole number from 1 to 10000000, but was '1.5\'",
                "--rate fast|--rate must be a whole number from 1 to 10000000, but was 'fast\'",
                "--rate|--rate must have a value, but none follows",
                "--rate 5 --rate 6|--rate must be given once, but was given twice",
                "--rate=5|each option must be one that ./sluice demo --help lists, but one was '--rate=5\'",
                "-x|each option must be one that ./sluice demo --help lists, but one was '-x\'",
                "a b|FILE must be one, but 'a' and 'b' are given",
                "--messages 0|--messages must be a whole number from 1 to 2000000000, but was '0\'",
                "--messages 10000001|--messages must be at most 10000000 to be kept in memory, but was 10000001; --generate FILE writes more",
                "--messages 5 f|--messages must be used with a generated session, but FILE is 'f'",
                "f --seed 5|--seed must be used with a generated session, but FILE is 'f'",
                "--seed x|--seed must be a whole number from -9223372036854775808 to 9223372036854775807, but was 'x\'",
                "--generate g f|FILE must not be used with --generate, but is 'f'",
                "--generate g --rate 5|--rate must not be used with --generate, but both are given",
                "--generate g --books x|--books must not be used with --generate, but both are given",
                "--generate g --json x|--json must not be used with --generate, but both are given",
                "--full-speed --rate 5|--full-speed must not be used with --rate, but both are given",
                "--full-speed --full-speed|--full-speed must be given once, but was given twice",
                "--generate g --full-speed|--full-speed must not be used with --generate, but both are given",
                "--generate g --no-force|--no-force must not be used with --generate, but both are given",
                "--without-naks|--without-naks must be used with --slow, but that is not given",
                "--slow --slow|--slow must be given once, but was given twice",
                "--generate g --slow|--slow must not be used with --generate, but both are given",
                "--generate g --without-naks|--without-naks must not be used with --generate, but both are given",
                "--generate g --bytes|--bytes must not be used with --generate, but both are given",
                "--bytes --slow|--slow must not be used with --bytes, but both are given",
                "--risk 1 --bytes|--risk must not be used with --bytes, but both are given",
                "--generate g --risk 2|--risk must not be used with --generate, but both are given",
                "--risk -1|--risk must be a whole number from 0 to 64, but was '-1\'",
                "--risk 65|--risk must be a whole number from 0 to 64, but was '65\'",
                "--risk two|--risk must be a whole number from 0 to 64, but was 'two\'",
                "--risk|--risk must have a value, but none follows",
                "--risk 1 --risk 2|--risk must be given once, but was given twice",
                "--generate g --journal x|--journal must not be used with --generate, but both are given",
            })
    void refusesWhatItDoesNotUnderstand(String arguments, String message) {
        assertThatThrownBy(() -> DemoOptions.parse(List.of(arguments.split(" ", -1))))
                .isInstanceOf(UsageException.class)
                .hasMessage(message);
    }

    @Test
    void refusesNamesThatNoFileCanHave() {
        assertThatThrownBy(() -> DemoOptions.parse(List.of("a\u0000b")))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("FILE must be a file name, but 'a\u0000b' is none: ");
        assertThatThrownBy(() -> DemoOptions.parse(List.of("--json", "")))
                .isInstanceOf(UsageException.class)
                .hasMessage("--json must name a file, but was empty");
        assertThatThrownBy(() -> DemoOptions.parse(List.of("")))
                .isInstanceOf(UsageException.class)
                .hasMessage("FILE must name a file, but was empty");
    }
}
