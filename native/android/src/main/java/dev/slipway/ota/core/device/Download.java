package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancelled;
import dev.slipway.ota.core.base.Ranges;
import dev.slipway.ota.core.base.Retry;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.NetworkError;
import dev.slipway.ota.core.ports.TimedOut;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The bytes of a URL. What may pass (a lost connection, a stall, an answer that is cut short, 408, 425,
 * 429, 5xx) is tried again with backoff and jitter, and goes on where it stopped: by {@code Range}, or,
 * where a server knows none, by passing over what was had before. No byte is handed on twice (DEV-13), so
 * progress never goes back. That both halves belong together is shown by the hash at the end, whatever a
 * server makes of {@code If-Range}: servers behind one name tag equal bytes differently, so another tag
 * alone does not begin again.
 */
final class Download implements ChunkSource {
    private static final Retry.Rules RETRIES = new Retry.Rules(5, 50, 250, 30_000);

    private final DownloadDependencies dependencies;
    private final String url;
    private final long size;
    private final Retry.Tries tries = new Retry.Tries(RETRIES, Math::random);
    /** Bytes that were handed on, or were there before. */
    private long done;
    /** What the bytes were tagged with. */
    private String validator;
    /** Whether the server may be asked for a range: one that got it wrong is not asked again. */
    private boolean isRanged = true;
    private boolean ended;

    // The request under way.
    private Http.Response response;
    /** Where it began. */
    private long before;
    /** Bytes of it that were had before. */
    private long skip;

    /**
     * @param size bytes in all, as the manifest says. Fewer is a connection that was lost, unless the server
     *     itself named the smaller size: then that is what it has
     * @param from bytes that are there already: the first that is handed on comes after them
     */
    Download(DownloadDependencies dependencies, String url, long size, long from) {
        this.dependencies = dependencies;
        this.url = url;
        this.size = size;
        done = from;
        before = from;
    }

    @Override
    public byte[] read() {
        while (!ended) {
            try {
                if (response == null) ask();
                byte[] chunk = next();
                if (chunk != null) return chunk;
                close();
            } catch (Interrupted thrown) {
                endRequest();
                if (done == size && done > before) close(); // only the end is lost
                else waitAfter(thrown);
            } catch (RuntimeException thrown) {
                close();
                throw thrown;
            }
        }
        return null;
    }

    @Override
    public void close() {
        ended = true;
        endRequest();
    }

    private void endRequest() {
        if (response != null) response.close();
        response = null;
    }

    private void waitAfter(Interrupted thrown) {
        long waitMs = tries.next(done > before, thrown.afterMs);
        if (waitMs < 0) {
            ended = true;
            throw new StageError("download", thrown.getMessage() + "; gave up after " + tries.failed() + " tries");
        }
        try {
            dependencies.clock().sleep(waitMs, dependencies.cancel());
        } catch (Cancelled cancelled) {
            // the next try tells
        }
    }

    /** One request, from where the last one stopped. */
    private void ask() {
        before = done;
        Map<String, String> headers =
            done > 0 && isRanged ? Ranges.rangeHeaders(done, validator) : Collections.emptyMap();
        response = attempt(
            () -> dependencies.http().open(url, headers, dependencies.stallMs(), dependencies.cancel()));
        skip = skippedBytes();
    }

    /** Bytes that were not had before; {@code null} at the end of the answer. */
    private byte[] next() {
        for (;;) {
            byte[] chunk = attempt(() -> response.read(dependencies.stallMs()));
            if (chunk == null) break;
            int known = (int) Math.min(skip, chunk.length);
            skip -= known;
            if (known == chunk.length) continue;
            done += chunk.length - known;
            return known == 0 ? chunk : Arrays.copyOfRange(chunk, known, chunk.length);
        }
        if (done < size && !isShort()) {
            throw new Interrupted(url + " ended after " + done + " of " + size + " bytes", 0);
        }
        return null;
    }

    private <T> T attempt(Supplier<T> step) {
        try {
            dependencies.cancel().throwIfCancelled();
            return step.get();
        } catch (Cancelled | NetworkError thrown) {
            if (dependencies.cancel().isCancelled()) throw new StageError("cancelled", url + " was cancelled");
            String why = thrown instanceof TimedOut
                ? "the server sent nothing for " + dependencies.stallMs() + " ms"
                : thrown.getMessage();
            throw new Interrupted(url + " was interrupted: " + why, 0);
        }
    }

    /** Looks at an answer's beginning: how many of its first bytes were had before. */
    private long skippedBytes() {
        int status = response.status();
        if (url.startsWith("https:") && response.url().startsWith("http:")) {
            throw new StageError("download", url + " redirects to plain http at " + response.url());
        }
        long from = isRanged ? done : 0;
        Ranges.Verdict verdict = Ranges.readRange(status, response::header, from);
        switch (verdict.kind()) {
            case AGAIN -> throw new Interrupted(url + " answered " + status, verdict.afterMs());
            case REFUSED -> {
                String code = status >= 400 && status < 500 ? "missing" : "download";
                throw new StageError(code, url + " answered " + status + ", expected 200");
            }
            case REST -> {
                if (verdict.total() < 0 || verdict.total() == size) return 0;
            }
            default -> {}
        }
        boolean isCoded = Ranges.codingOf(response::header) != null;
        // Some engines do not decode what they were not to ask for: such bytes cannot be passed over.
        boolean isWhole = verdict.kind() == Ranges.Kind.WHOLE && (from == 0 || !isCoded);
        if (!isWhole) {
            isRanged = false;
            throw new Interrupted(url + " answered " + status + " without the bytes from " + done + " on", 0);
        }
        validator = Ranges.validatorOf(response::header);
        if (isCoded) isRanged = false; // its ranges would be of the coded form
        return done;
    }

    /** Whether the server has fewer bytes than the manifest says, and sent them all. */
    private boolean isShort() {
        return response.status() == 200 && Ranges.codingOf(response::header) == null
            && Ranges.wholeNumber(response.header("content-length")) == done;
    }

    /** A try that failed in a way that may pass. */
    private static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** What the server asked to be waited; 0 for nothing. */
        final long afterMs;

        Interrupted(String message, long afterMs) {
            super(message);
            this.afterMs = afterMs;
        }
    }
}
