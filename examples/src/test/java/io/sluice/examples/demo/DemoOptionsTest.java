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
                    .hasMessage(other[0] + " cannot be used together with --aeron");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--rate 0|--rate '0' must be a whole number from 1 to 10000000",
                "--rate -5|--rate '-5' must be a whole number from 1 to 10000000",
                "--rate 10000001|--rate '10000001' must be a whole number from 1 to 10000000",
                "--rate 99999999999999999999|--rate '99999999999999999999' must be a whole number from 1 to 10000000",
                "--rate 1.5|--rate '1.5' must be a whole number from 1 to 10000000",
                "--rate fast|--rate 'fast' must be a whole number from 1 to 10000000",
                "--rate|--rate needs a value",
                "--rate 5 --rate 6|--rate is given twice",
                "--rate=5|unknown option '--rate=5'; ./sluice demo --help lists them",
                "-x|unknown option '-x'; ./sluice demo --help lists them",
                "a b|one input file at a time: 'a' and 'b' are given",
                "--messages 0|--messages '0' must be a whole number from 1 to 2000000000",
                "--messages 10000001|--messages 10000001 is too many to be kept in memory, at most 10000000; write them with --generate FILE",
                "--messages 5 f|--messages is for a generated session, not for the file 'f'",
                "f --seed 5|--seed is for a generated session, not for the file 'f'",
                "--seed x|--seed 'x' must be a whole number from -9223372036854775808 to 9223372036854775807",
                "--generate g f|an input file ('f') cannot be used together with --generate",
                "--generate g --rate 5|--rate cannot be used together with --generate",
                "--generate g --books x|--books cannot be used together with --generate",
                "--generate g --json x|--json cannot be used together with --generate",
                "--full-speed --rate 5|--full-speed cannot be used together with --rate",
                "--full-speed --full-speed|--full-speed is given twice",
                "--generate g --full-speed|--full-speed cannot be used together with --generate",
                "--generate g --no-force|--no-force cannot be used together with --generate",
                "--without-naks|--without-naks is for a slow subscriber, and needs --slow",
                "--slow --slow|--slow is given twice",
                "--generate g --slow|--slow cannot be used together with --generate",
                "--generate g --without-naks|--without-naks cannot be used together with --generate",
                "--generate g --bytes|--bytes cannot be used together with --generate",
                "--bytes --slow|--slow cannot be used together with --bytes",
                "--risk 1 --bytes|--risk cannot be used together with --bytes",
                "--generate g --risk 2|--risk cannot be used together with --generate",
                "--risk -1|--risk '-1' must be a whole number from 0 to 64",
                "--risk 65|--risk '65' must be a whole number from 0 to 64",
                "--risk two|--risk 'two' must be a whole number from 0 to 64",
                "--risk|--risk needs a value",
                "--risk 1 --risk 2|--risk is given twice",
                "--generate g --journal x|--journal cannot be used together with --generate",
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
                .hasMessageStartingWith("FILE 'a\u0000b' is no file name: ");
        assertThatThrownBy(() -> DemoOptions.parse(List.of("--json", "")))
                .isInstanceOf(UsageException.class)
                .hasMessage("--json needs a name, not an empty one");
        assertThatThrownBy(() -> DemoOptions.parse(List.of("")))
                .isInstanceOf(UsageException.class)
                .hasMessage("FILE needs a name, not an empty one");
    }
}
