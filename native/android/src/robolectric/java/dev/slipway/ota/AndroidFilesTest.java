package dev.slipway.ota;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.jvm.NioFiles;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;

/** A phone's files do what the desktop's do, on which all suites of the device run: to the word of an error. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = 29, shadows = RealOs.class)
public class AndroidFilesTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void sameAsNio() throws Exception {
        assertEquals(String.join("\n", tell(new NioFiles(), "nio")), String.join("\n", tell(new AndroidFiles(), "os")));
    }

    @Test
    public void writesLargeFilesWhole() throws Exception {
        byte[] bytes = new byte[300_000];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 31 >> 3);
        Files files = new AndroidFiles();
        String path = folder.getRoot() + "/large";
        files.write(path, bytes, Files.Write.CREATE_NEW, Files.Write.SYNC);
        assertArrayEquals(bytes, files.read(path, bytes.length));
        assertArrayEquals(Arrays.copyOfRange(bytes, 100_000, 250_000), files.readRange(path, 100_000, 150_000));
        int length = 0;
        try (ChunkSource source = files.openRead(path)) {
            for (byte[] chunk = source.read(); chunk != null; chunk = source.read()) length += chunk.length;
        }
        assertEquals(bytes.length, length);
        assertTrue(files.freeSpace(path) > 0);
    }

    /** Answers of a table of calls: paths below the test's folder, errors without the system's number. */
    private List<String> tell(Files files, String name) throws Exception {
        String root = folder.newFolder(name).getPath();
        new ProcessBuilder("sh", "-c", "mkfifo fifo; ln -s nowhere link; mkdir full; : > full/file")
                .directory(new File(root))
                .start()
                .waitFor();
        List<String> told = new ArrayList<>();
        Function<Calls, Void> ask = calls -> {
            told.add(outcome(root, calls));
            return null;
        };
        for (String path : List.of("missing", "fifo", "link", "full", "full/file", "full/file/below", "/dev/null")) {
            String at = path.startsWith("/") ? path : root + "/" + path;
            told.add("-- " + path);
            ask.apply(() -> files.stat(at) == null
                    ? null
                    : files.stat(at).kind() + " " + files.stat(at).size());
            if (!path.equals("fifo")) ask.apply(() -> files.list(at)); // java.nio waits for its other end
            ask.apply(() -> text(files.read(at, 10)));
            ask.apply(() -> files.openRead(at) == null ? null : "opened");
            ask.apply(() -> text(files.readRange(at, 1, 2)));
            if (path.startsWith("/")) continue;
            ask.apply(() -> files.write(at, bytes("new"), Files.Write.CREATE_NEW));
            ask.apply(() -> files.write(at, bytes("written"), Files.Write.SYNC));
            ask.apply(() -> run(() -> files.append(at, bytes("!"))));
            ask.apply(() -> text(files.read(at, 7)));
            ask.apply(() -> run(() -> files.writeAtomic(at, bytes("atomic"))));
            ask.apply(() -> run(() -> files.sync(at)));
            ask.apply(() -> run(() -> files.makeDirectory(at)));
            ask.apply(() -> run(() -> files.makeDirectory(at + "/a/b")));
            ask.apply(() -> run(() -> files.rename(at, root + "/full")));
            ask.apply(() -> run(() -> files.rename(at, root + "/moved")));
            ask.apply(() -> files.list(root));
            ask.apply(() -> run(() -> files.remove(root + "/moved")));
            ask.apply(() -> run(() -> files.remove(at)));
            ask.apply(() -> files.list(root));
        }
        return told;
    }

    private interface Calls {
        Object run();
    }

    private static Object run(Runnable work) {
        work.run();
        return "done";
    }

    private static String outcome(String root, Calls calls) {
        try {
            return String.valueOf(calls.run());
        } catch (FileError thrown) {
            return (thrown.code + " " + thrown.getMessage()).replace(root, "").replaceFirst(" \\(E[A-Z]+\\)$", "");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }
}
