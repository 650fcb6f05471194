package dev.slipway.ota.core.base;

import dev.slipway.ota.core.ports.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is a file with its owner's token in it.
 *
 * <p>A lock whose owner died is taken over by exactly one of those who wait: the one that creates the
 * file named after the dead owner's token.
 */
public final class FileLock {
    /** Age, in milliseconds, from which a lock's owner counts as dead: guarded work takes milliseconds. */
    private static final long STALE_MS = 5_000;
    /** The same for half a token: one that is just being written, or that a power cut tore. */
    private static final long TORN_LOCK_MS = 1_000;

    private static final long RETRY_MS = 20;
    /** Longest wait for a lock, in milliseconds: other processes keep taking it, or cannot be told apart. */
    public static final long TIMEOUT_MS = 60_000;

    /** The files of a lock. */
    public interface LockFiles {
        /** A whole file, or {@code null} when it is not there. */
        byte @Nullable [] read(String path, int maxBytes);

        /** Writes a file, {@code exists} where one is there. */
        void createNew(String path, byte[] body);

        /** Removes a file; missing is fine. */
        void remove(String path);
    }

    /** Owner of a lock. */
    public interface Owner {
        /** A token that no other owner ever has: a UUID, after hex digits and {@code -}. */
        String token();

        /** Whether the process that wrote this token has ended, so that its lock need not be waited for. */
        boolean isGone(String token);
    }

    private final LockFiles files;
    private final Clock clock;
    private final String path;
    private final Owner owner;
    private final Map<String, Seen> seen = new HashMap<>();

    /** A text that a file has held since. */
    private record Seen(String text, long since) {}

    private FileLock(LockFiles files, Clock clock, String path, Owner owner) {
        this.files = files;
        this.clock = clock;
        this.path = path;
        this.owner = owner;
    }

    /**
     * Runs {@code work} while this writer alone holds the file {@code path}. It gets a function that tells
     * whether the lock is still its own, to be asked right before what must not happen twice.
     *
     * @param timeoutMs the longest that the lock is waited for
     * @throws FileError {@code busy} when others hold it longer
     */
    public static <T> T withLock(
            LockFiles files, Clock clock, String path, Owner owner, long timeoutMs, Function<BooleanSupplier, T> work) {
        FileLock lock = new FileLock(files, clock, path, owner);
        lock.take(timeoutMs);
        try {
            return work.apply(lock::isHeld);
        } finally {
            lock.giveBack();
        }
    }

    private void take(long timeoutMs) {
        long began = clock.monotonic();
        while (!create(path)) {
            String holder = ownerOf(path);
            if (holder == null) continue; // given back just now
            if (isSilent(path, holder)) breakLock(holder);
            long waitedMs = clock.monotonic() - began;
            if (waitedMs > timeoutMs || timeoutMs == 0) {
                throw new FileError(
                        FileError.Code.BUSY, path, path + " stayed locked for " + secondsOf(timeoutMs) + " s");
            }
            clock.sleep(Math.round(RETRY_MS * (0.5 + Math.random())), new Cancel());
        }
    }

    private static String secondsOf(long ms) {
        return new JsonNumber(ms / 1000.0).toString();
    }

    private boolean create(String file) {
        try {
            files.createNew(file, Bytes.encodeUtf8(owner.token()));
            return true;
        } catch (FileError thrown) {
            if (thrown.code == FileError.Code.EXISTS) return false;
            throw thrown;
        }
    }

    private boolean isHeld() {
        return owner.token().equals(ownerOf(path));
    }

    /** A lock that cannot be released goes silent: the process that waits next takes it over. */
    private void giveBack() {
        try {
            if (isHeld()) files.remove(path);
        } catch (RuntimeException thrown) {
            // said above
        }
    }

    private @Nullable String ownerOf(String file) {
        byte[] bytes = files.read(file, 100);
        if (bytes == null) return null;
        String text = Bytes.decodeUtf8(bytes);
        return text == null ? "" : text; // bytes that a power cut left are nobody's
    }

    /**
     * Whether a file has held the same text for so long that who wrote it is taken for dead: by our own
     * monotonic clock, for times of files may be another machine's, or just wrong.
     */
    private boolean isSilent(String file, String text) {
        if (owner.isGone(text)) return true;
        Seen before = seen.get(file);
        long silentMs = isToken(text) ? STALE_MS : TORN_LOCK_MS;
        if (before != null && before.text.equals(text)) return clock.monotonic() - before.since > silentMs;
        seen.put(file, new Seen(text, clock.monotonic()));
        return false;
    }

    /** Takes a dead owner's lock away; of several that try, one does. */
    private void breakLock(String dead) {
        String claim = path + "." + (isToken(dead) ? dead : "damaged");
        if (!create(claim)) {
            String claimer = ownerOf(claim);
            if (claimer != null && isSilent(claim, claimer)) files.remove(claim);
            return;
        }
        if (dead.equals(ownerOf(path))) files.remove(path);
        if (owner.token().equals(ownerOf(claim))) files.remove(claim);
    }

    private static boolean isToken(String text) {
        int uuid = text.length() - 36;
        if (uuid < 0 || (uuid > 0 && (uuid == 1 || text.charAt(uuid - 1) != '-'))) return false;
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            boolean isDash = at == uuid + 8 || at == uuid + 13 || at == uuid + 18 || at == uuid + 23;
            boolean isHex = (unit >= '0' && unit <= '9') || (unit >= 'a' && unit <= 'f');
            boolean isRight = at >= uuid ? (isDash ? unit == '-' : isHex) : isHex || unit == '-';
            if (!isRight) return false;
        }
        return true;
    }
}
