import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.codehaus.mojo.animal_sniffer.SignatureChecker;
import org.codehaus.mojo.animal_sniffer.logging.PrintWriterLogger;

/** Looks whether classes use what an Android does not have: {@code CheckApi SIGNATURE CLASSES…}. */
final class CheckApi {
    /** Classes that are not the system's: our own, an app's, and those that D8 turns into older code. */
    private static final Set<String> IGNORED = new HashSet<>(Arrays.asList(
            "dev.slipway.ota.*",
            "com.getcapacitor.*",
            "androidx.*",
            "java.lang.Record",
            "java.lang.runtime.ObjectMethods",
            "java.lang.invoke.StringConcatFactory"));

    private CheckApi() {}

    public static void main(String[] args) throws IOException {
        SignatureChecker checker = new SignatureChecker(
                Files.newInputStream(Path.of(args[0])), IGNORED, new PrintWriterLogger(System.out));
        checker.setSourcePath(Collections.emptyList());
        // What is used only where it is there says so.
        checker.setAnnotationTypes(Collections.singletonList("androidx.annotation.RequiresApi"));
        int count = 0;
        for (int i = 1; i < args.length; i++) {
            checker.process(new File(args[i]));
            count += countOf(Path.of(args[i]));
        }
        System.out.println(count + " classes, " + (checker.isSignatureBroken() ? "refused" : "all known"));
        System.exit(checker.isSignatureBroken() || count == 0 ? 1 : 0);
    }

    private static int countOf(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return Math.toIntExact(
                    files.filter(file -> file.toString().endsWith(".class")).count());
        }
    }
}
