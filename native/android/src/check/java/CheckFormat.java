import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import com.palantir.javaformat.java.JavaFormatterOptions.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Looks whether sources are as the formatter writes them, or writes them so: {@code CheckFormat [--in-place] FOLDER}. */
final class CheckFormat {
    private CheckFormat() {}

    public static void main(String[] args) throws IOException, FormatterException {
        boolean isInPlace = args[0].equals("--in-place");
        Formatter formatter = Formatter.createFormatter(
                JavaFormatterOptions.builder().style(Style.PALANTIR).build());
        int differing = 0;
        for (Path source : sourcesIn(Path.of(args[args.length - 1]))) {
            String found = Files.readString(source);
            String expected = formatter.formatSourceAndFixImports(found);
            if (found.equals(expected)) continue;
            differing++;
            if (isInPlace) {
                Files.writeString(source, expected);
            } else {
                System.out.println(source + firstDifference(found.split("\n", -1), expected.split("\n", -1)));
            }
        }
        System.exit(differing == 0 || isInPlace ? 0 : 1);
    }

    private static List<Path> sourcesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }

    private static String firstDifference(String[] found, String[] expected) {
        int at = 0;
        while (at + 1 < Math.min(found.length, expected.length) && found[at].equals(expected[at])) at++;
        return ":" + (at + 1) + ": found\n" + found[at] + "\nexpected\n" + expected[at];
    }
}
