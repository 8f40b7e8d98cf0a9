package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/**
 * A Java block of the documentation, as a program.
 *
 * <p>A block that begins with a type declaration (after package, imports, comments, annotations) stands for itself and
 * is run if it has a {@code main}. Any other block is the body of a method and is run as it is. Before it may stand
 * HTML comments: {@code given: ...}, members and imports that its reader is to imagine, and {@code compile only}.
 */
record Snippet(String mainClass, String source, boolean runs) {
    private static final Pattern TYPE = Pattern.compile(
            "\\A(?:\\s|//[^\\n]*\\n|/\\*.*?\\*/|package [^;]*;|import [^;]*;|@\\w+)*"
                    + "(?:(?:public|final|abstract|sealed|non-sealed|strictfp)\\s+)*(?:class|interface|record|enum|@interface)\\s+(\\w+)",
            Pattern.DOTALL);
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package\\s+([\\w.]+);");
    private static final Pattern IMPORT = Pattern.compile("(?m)^\\s*import [^;]*;\\s*$");

    /** How a program ended. */
    record Ended(int status, String out, String err) {}

    static Snippet of(Markdown.Block block) {
        String given = null;
        boolean compileOnly = false;
        for (String comment : block.comments()) {
            if (comment.startsWith("given:")) {
                given = comment.substring("given:".length());
            } else if (comment.equals("compile only")) {
                compileOnly = true;
            }
        }
        Matcher type = TYPE.matcher(block.text());
        if (given == null && type.find()) {
            Matcher named = PACKAGE.matcher(block.text());
            String mainClass = (named.find() ? named.group(1) + "." : "") + type.group(1);
            return new Snippet(
                    mainClass, block.text(), !compileOnly && block.text().contains(" static void main("));
        }
        String members = given == null ? "" : given;
        String imports = IMPORT.matcher(members + "\n" + block.text())
                .results()
                .map(found -> found.group().strip())
                .collect(Collectors.joining("\n"));
        String source = imports + "\npublic class Snippet {\n"
                + IMPORT.matcher(members).replaceAll("")
                + "\n    public static void main(String[] arguments) throws Exception {\n        new Snippet().run();\n    }\n"
                + "\n    void run() throws Exception {\n"
                + IMPORT.matcher(block.text()).replaceAll("")
                + "    }\n}\n";
        return new Snippet("Snippet", source, !compileOnly);
    }

    /** Returns what the compiler says, warnings too; nothing if all is well. */
    String compile(Path folder) throws IOException {
        Path file = folder.resolve("source").resolve(mainClass.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, source);
        var compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler).as("a JDK's compiler").isNotNull();
        StringWriter said = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-d",
                    folder.resolve("classes").toString(),
                    "--release",
                    "17",
                    "-proc:none",
                    "-Xlint:all,-path,-classfile,-options",
                    "-Werror",
                    "-cp",
                    System.getProperty("java.class.path"));
            boolean done = compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(file))
                    .call();
            return done ? "" : said + "\n" + source;
        }
    }

    /** Runs what was compiled, in a JVM of its own. */
    Ended run(Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-ea");
        command.add("-cp");
        command.add(folder.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path"));
        command.add(mainClass);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly().waitFor();
        return new Ended(
                ended ? process.exitValue() : -1,
                Files.readString(folder.resolve("out")),
                (ended ? "" : "did not end within 60 s\n") + Files.readString(folder.resolve("err")));
    }
}
