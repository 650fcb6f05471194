package dev.slipway.ota;

import android.os.Looper;
import android.system.ErrnoException;
import android.system.Os;
import android.system.OsConstants;
import android.system.StructStat;
import android.system.StructStatVfs;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.FileDescriptor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;

/** Android's system calls as those of this kernel: Linux on x86-64, whose numbers and structures Android shares. */
@Implements(Os.class)
public final class RealOs {
    private static final LibC LIBC = Native.load("c", LibC.class);
    private static final Map<FileDescriptor, Integer> OPEN = Collections.synchronizedMap(new IdentityHashMap<>());

    /** The id of a process of another app: one that may be asked here, as a test is root. */
    static final int OTHERS = 1;

    private static volatile Hold hold;

    private RealOs() {}

    /** A disk that answers no thread but the main one, until it is closed, or a test has waited for too long. */
    static final class Hold implements AutoCloseable {
        private final CountDownLatch over = new CountDownLatch(1);
        private final List<String> mainCalls = new ArrayList<>();
        private volatile boolean isAsked;
        private volatile boolean isTooLong;

        Hold() {
            hold = this;
        }

        /** Whether a thread waits for an answer. */
        boolean isAsked() {
            return isAsked;
        }

        /** Whether a call waited until the timeout because no test closed this hold. */
        boolean isTooLong() {
            return isTooLong;
        }

        /** The plugin's methods that asked the disk on the main thread meanwhile. */
        List<String> mainCalls() {
            return mainCalls;
        }

        @Override
        public void close() {
            hold = null;
            over.countDown();
        }

        private void ask() {
            if (Looper.getMainLooper().isCurrentThread()) {
                String caller = Arrays.stream(new Throwable().getStackTrace())
                        .map(StackTraceElement::toString)
                        .filter(frame -> !frame.matches(".*\\b(RealOs|Os)\\b.*"))
                        .findFirst()
                        .orElseThrow();
                if (caller.startsWith("dev.slipway.")) mainCalls.add(caller); // Capacitor has settings
                return;
            }
            isAsked = true;
            try {
                if (over.await(20, TimeUnit.SECONDS)) return;
                isTooLong = true;
                close();
            } catch (InterruptedException thrown) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The C library. */
    public interface LibC extends Library {
        int open(String path, int flags, int mode);

        int close(int descriptor);

        int fstat(int descriptor, Pointer stat);

        int stat(String path, Pointer stat);

        int lstat(String path, Pointer stat);

        long pread(int descriptor, Pointer bytes, long length, long offset);

        long write(int descriptor, Pointer bytes, long length);

        int fsync(int descriptor);

        int rename(String from, String to);

        int mkdir(String path, int mode);

        int remove(String path);

        int kill(int pid, int signal);

        int statvfs(String path, Pointer disk);
    }

    @Implementation
    public static FileDescriptor open(String path, int flags, int mode) throws ErrnoException {
        int opened = (int) call("open", () -> LIBC.open(path, flags, mode));
        FileDescriptor descriptor = new FileDescriptor();
        OPEN.put(descriptor, opened);
        return descriptor;
    }

    @Implementation
    public static void close(FileDescriptor descriptor) throws ErrnoException {
        Integer opened = OPEN.remove(descriptor);
        call("close", () -> LIBC.close(opened));
    }

    @Implementation
    public static StructStat fstat(FileDescriptor descriptor) throws ErrnoException {
        return statOf("fstat", stat -> LIBC.fstat(OPEN.get(descriptor), stat));
    }

    @Implementation
    public static StructStat stat(String path) throws ErrnoException {
        return statOf("stat", stat -> LIBC.stat(path, stat));
    }

    @Implementation
    public static StructStat lstat(String path) throws ErrnoException {
        return statOf("lstat", stat -> LIBC.lstat(path, stat));
    }

    @Implementation
    public static int pread(FileDescriptor descriptor, byte[] bytes, int start, int length, long offset)
            throws ErrnoException {
        Memory memory = new Memory(Math.max(1, length));
        int read = (int) call("pread", () -> LIBC.pread(OPEN.get(descriptor), memory, length, offset));
        memory.read(0, bytes, start, read);
        return read;
    }

    @Implementation
    public static int write(FileDescriptor descriptor, byte[] bytes, int start, int length) throws ErrnoException {
        Memory memory = new Memory(Math.max(1, length));
        memory.write(0, bytes, start, length);
        return (int) call("write", () -> LIBC.write(OPEN.get(descriptor), memory, length));
    }

    @Implementation
    public static void fsync(FileDescriptor descriptor) throws ErrnoException {
        call("fsync", () -> LIBC.fsync(OPEN.get(descriptor)));
    }

    @Implementation
    public static void rename(String from, String to) throws ErrnoException {
        call("rename", () -> LIBC.rename(from, to));
    }

    @Implementation
    public static void mkdir(String path, int mode) throws ErrnoException {
        call("mkdir", () -> LIBC.mkdir(path, mode));
    }

    @Implementation
    public static void remove(String path) throws ErrnoException {
        call("remove", () -> LIBC.remove(path));
    }

    @Implementation
    public static void kill(int pid, int signal) throws ErrnoException {
        if (pid == OTHERS) throw new ErrnoException("kill", OsConstants.EPERM);
        call("kill", () -> LIBC.kill(pid, signal));
    }

    @Implementation
    public static StructStatVfs statvfs(String path) throws ErrnoException {
        Memory disk = new Memory(112);
        call("statvfs", () -> LIBC.statvfs(path, disk));
        return new StructStatVfs(
                disk.getLong(0),
                disk.getLong(8),
                disk.getLong(16),
                disk.getLong(24),
                disk.getLong(32),
                disk.getLong(40),
                disk.getLong(48),
                disk.getLong(56),
                disk.getLong(64),
                disk.getLong(72),
                disk.getLong(80));
    }

    private static StructStat statOf(String name, ToStat asked) throws ErrnoException {
        Memory stat = new Memory(144);
        call(name, () -> asked.of(stat));
        return new StructStat(
                stat.getLong(0),
                stat.getLong(8),
                stat.getInt(24),
                stat.getLong(16),
                stat.getInt(28),
                stat.getInt(32),
                stat.getLong(40),
                stat.getLong(48),
                stat.getLong(72),
                stat.getLong(88),
                stat.getLong(104),
                stat.getLong(56),
                stat.getLong(64));
    }

    private interface ToStat {
        int of(Pointer stat);
    }

    private interface Call {
        long run();
    }

    private static long call(String name, Call asked) throws ErrnoException {
        Hold held = hold;
        if (held != null) held.ask();
        long answer = asked.run();
        if (answer == -1) throw new ErrnoException(name, Native.getLastError());
        return answer;
    }
}
