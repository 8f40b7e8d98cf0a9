package io.sluice.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** The settings that {@link Repeat} takes from the poms, so that its test runs are set up as Maven's are, from one place. */
final class Poms {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]+)}");

    private final Path root;
    private final Element parent;

    /**
     * Reads the parent pom.
     *
     * @param root the folder of the parent pom
     * @throws IOException if it cannot be read
     */
    Poms(Path root) throws IOException {
        this.root = root;
        this.parent = read(root.resolve("pom.xml"));
    }

    /** Returns the modules' folders, in the order of the parent pom. */
    List<String> modules() {
        List<String> names = new ArrayList<>();
        Element modules = child(parent, "modules");
        if (modules != null) {
            for (Element module : children(modules)) {
                names.add(text(module));
            }
        }
        return names;
    }

    /**
     * Returns the JVM flags of a module's tests, as the Surefire plugin of the parent pom names them.
     *
     * @param module the module's folder
     * @return the flags, one each
     * @throws IOException if the module's pom cannot be read
     */
    List<String> testFlags(String module) throws IOException {
        Map<String, String> properties = properties(parent);
        properties.putAll(properties(read(root.resolve(module).resolve("pom.xml"))));
        String flags = resolve(text(surefireSetting("argLine")), properties).strip();
        return flags.isEmpty() ? List.of() : List.of(flags.split("\\s+"));
    }

    /** Returns JUnit's configuration parameters, {@code key=value} each, as the parent pom names them. */
    List<String> testParameters() throws IOException {
        List<String> parameters = new ArrayList<>();
        Element properties = surefireSetting("properties");
        text(childOf(properties, "configurationParameters"))
                .lines()
                .filter(line -> !line.isBlank())
                .forEach(line ->
                        parameters.add(line.replaceFirst("\\s*=\\s*", "=").strip()));
        return parameters;
    }

    private Element surefireSetting(String name) throws IOException {
        Element plugins = childOf(childOf(childOf(parent, "build"), "pluginManagement"), "plugins");
        for (Element plugin : children(plugins)) {
            if (text(childOf(plugin, "artifactId")).equals("maven-surefire-plugin")) {
                return childOf(childOf(plugin, "configuration"), name);
            }
        }
        throw new IOException("the parent pom manages no maven-surefire-plugin");
    }

    private static String resolve(String text, Map<String, String> properties) throws IOException {
        Matcher matcher = PLACEHOLDER.matcher(text);
        StringBuilder resolved = new StringBuilder();
        while (matcher.find()) {
            String value = properties.get(matcher.group(1));
            if (value == null) {
                throw new IOException("no pom defines " + matcher.group() + ", which the test flags use");
            }
            matcher.appendReplacement(resolved, Matcher.quoteReplacement(value));
        }
        return matcher.appendTail(resolved).toString();
    }

    private static Map<String, String> properties(Element project) {
        Map<String, String> properties = new LinkedHashMap<>();
        Element element = child(project, "properties");
        if (element != null) {
            for (Element property : children(element)) {
                properties.put(property.getTagName(), text(property));
            }
        }
        return properties;
    }

    private static Element read(Path pom) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("cannot read " + pom + ": " + e.getMessage(), e);
        }
    }

    private static Element childOf(Element element, String name) throws IOException {
        Element found = child(element, name);
        if (found == null) {
            throw new IOException("the parent pom's <" + element.getTagName() + "> has no <" + name + ">");
        }
        return found;
    }

    private static @Nullable Element child(Element element, String name) {
        for (Element candidate : children(element)) {
            if (candidate.getTagName().equals(name)) {
                return candidate;
            }
        }
        return null;
    }

    private static List<Element> children(Element element) {
        List<Element> elements = new ArrayList<>();
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element found) {
                elements.add(found);
            }
        }
        return elements;
    }

    private static String text(Element element) {
        return element.getTextContent().strip();
    }
}
