package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancelled;
import dev.slipway.ota.core.base.Ranges;
import dev.slipway.ota.core.base.Retry;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Http.Response;
import dev.slipway.ota.core.ports.NetworkError;
import dev.slipway.ota.core.ports.TimedOut;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a URL. What may pass (a lost connection, a stall, an answer that is cut short, 408, 425,
 * 429, 5xx) is tried again with backoff and jitter, and goes on where it stopped: by {@code Range}, or,
 * where a server knows none, by passing over what was had before. No byte is handed on twice (DEV-13), so
 * progress never goes back. That both halves belong together is shown by the hash at the end, whatever a
 * server makes of {@code If-Range}: servers behind one name tag equal bytes differently, so another tag
 * alone does not begin again.
 *
 * <p>What an answer brought that broke off is handed on where it named the right size, or brought more than
 * 64 KiB: a page in the place of a content is not its beginning (DEV-36).
 */
final class Download implements ChunkSource {
    private static final Retry.Rules RETRIES = new Retry.Rules(5, 50, 250, 30_000);

    /** Fewer bytes of an answer that does not say how many there are may be anything: a page, half a page. */
    private static final int DOUBTFUL_BYTES = 64 * 1024;

    private final DownloadDependencies dependencies;
    private final String url;
    private final long size;
    /** Bytes that are sent for one byte of it. */
    private final double rate;
    /** Bytes that were there before. */
    private final long from;

    private final Retry.Tries tries = new Retry.Tries(RETRIES, Math::random);
    /** Bytes that were handed on, or were there before. */
    private long done;
    /** Bytes that came, those that were passed over included. */
    private long receivedBytes;
    /** Validator of the bytes. */
    private @Nullable String validator;
    /** Whether the server may be asked for a range: one that got it wrong is not asked again. */
    private boolean isRanged;

    private boolean ended;

    // The request under way.
    private @Nullable Response response;
    /** Bytes that were handed on when it was sent. */
    private long before;
    /** Bytes of it that were had before. */
    private long skip;
    /** Bytes that may not be of the content; {@code null} once that is clear. */
    private @Nullable HeldBytes held;

    /**
     * @param content its bytes, as the manifest says. Fewer is a connection that was lost, unless the server
     *     itself named the smaller size: then that is what it has
     * @param from bytes that are there already: the first that is handed on comes after them
     */
    Download(DownloadDependencies dependencies, String url, ContentRef content, long from) {
        this.dependencies = dependencies;
        this.url = url;
        size = content.size();
        // A range of content that is stored compressed is a range of the compressed form.
        isRanged = content.served() == null || content.served() == size;
        rate = size == 0 ? 1 : (double) (content.served() == null ? size : content.served()) / size;
        this.from = from;
        done = from;
        before = from;
    }

    @Override
    public byte @Nullable [] read() {
        while (!ended) {
            try {
                byte[] chunk = next(response == null ? ask() : response);
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
        if (!isRanged) requireWorth(thrown.why);
        long waitMs = tries.next(done > before, thrown.afterMs);
        if (waitMs < 0) {
            ended = true;
            throw new StageError(
                    StageFailureCode.DOWNLOAD, thrown.why + "; gave up after " + tries.failed() + " tries");
        }
        try {
            dependencies.clock().sleep(waitMs, dependencies.cancel());
        } catch (Cancelled cancelled) {
            // the next try tells
        }
    }

    /** One request, from where the last one stopped. */
    private Response ask() {
        before = done;
        boolean wasRanged = isRanged;
        Map<String, String> headers =
                done > 0 && isRanged ? Ranges.rangeHeaders(done, validator) : Collections.emptyMap();
        Response asked =
                attempt(() -> dependencies.http().open(url, headers, dependencies.stallMs(), dependencies.cancel()));
        response = asked;
        skip = skippedBytes(asked);
        if (skip > 0 && wasRanged) requireWorth(url + " knows no ranges");
        held = namesSize(asked) ? null : new HeldBytes();
        return asked;
    }

    /** Bytes that were not had before; {@code null} at the end of the answer. */
    private byte @Nullable [] next(Response response) {
        while (true) {
            byte[] chunk = attempt(() -> response.read(dependencies.stallMs()));
            if (chunk == null) break;
            receivedBytes += chunk.length;
            int known = (int) Math.min(skip, chunk.length);
            skip -= known;
            if (known == chunk.length) continue;
            byte[] fresh = known == 0 ? chunk : Arrays.copyOfRange(chunk, known, chunk.length);
            byte[] released = held == null ? fresh : releaseHeld(held, fresh);
            if (released == null) continue;
            done += released.length;
            return released;
        }
        long seen = done + (held == null ? 0 : held.size());
        if (seen < size && !isShort(response, seen)) {
            throw new Interrupted(url + " ended after " + seen + " of " + size + " bytes", 0);
        }
        if (held == null || held.size() == 0) return null;
        done = seen;
        return held.take();
    }

    /** All that was held back, once it is clear that it is of the content; {@code null} before. */
    private byte @Nullable [] releaseHeld(HeldBytes held, byte[] fresh) {
        held.write(fresh, 0, fresh.length);
        if (done + held.size() < size && held.size() <= DOUBTFUL_BYTES) return null;
        this.held = null;
        return held.take();
    }

    /** Requires that repeating an answer is worth it: its bytes are lost, and the other way may cost less. */
    private void requireWorth(String why) {
        long lost = done - from;
        if (lost == 0 || (receivedBytes + lost) * rate <= dependencies.maxRepeatedBytes()) return;
        ended = true;
        long cost = (long) Math.ceil(lost * rate);
        throw new StageError(StageFailureCode.DOWNLOAD, why + "; " + url + " would cost " + cost + " bytes again");
    }

    private <T> T attempt(Supplier<T> step) {
        try {
            dependencies.cancel().throwIfCancelled();
            return step.get();
        } catch (Cancelled | NetworkError thrown) {
            if (dependencies.cancel().isCancelled()) {
                throw new StageError(StageFailureCode.CANCELLED, url + " was cancelled");
            }
            String why = thrown instanceof TimedOut
                    ? "the server sent nothing for " + dependencies.stallMs() + " ms"
                    : thrown.getMessage();
            throw new Interrupted(url + " was interrupted: " + why, 0);
        }
    }

    /** Looks at an answer's beginning: how many of its first bytes were had before. */
    private long skippedBytes(Response response) {
        int status = response.status();
        if (url.startsWith("https:") && response.url().startsWith("http:")) {
            throw new StageError(StageFailureCode.DOWNLOAD, url + " redirects to plain http at " + response.url());
        }
        long from = isRanged ? done : 0;
        Ranges.Verdict verdict = Ranges.readRange(status, response::header, from);
        if (isPage(response)) {
            throw new StageError(
                    StageFailureCode.MISSING, url + " answered " + status + " with a page, expected a file");
        }
        switch (verdict.kind()) {
            case AGAIN -> throw new Interrupted(url + " answered " + status, verdict.afterMs());
            case REFUSED -> {
                StageFailureCode code =
                        status >= 400 && status < 500 ? StageFailureCode.MISSING : StageFailureCode.DOWNLOAD;
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
    private boolean isShort(Response response, long seen) {
        return response.status() == 200
                && Ranges.codingOf(response::header) == null
                && Ranges.wholeNumber(response.header("content-length")) == seen;
    }

    /** Whether an answer itself says that the content has as many bytes as it should (DEV-36). */
    private boolean namesSize(Response response) {
        if (Ranges.codingOf(response::header) != null) return false;
        if (response.status() != 206) return Ranges.wholeNumber(response.header("content-length")) == size;
        String range = String.valueOf(response.header("content-range"));
        return Ranges.wholeNumber(range.substring(range.lastIndexOf('/') + 1)) == size;
    }

    /** No content is stored as a page: a rule of the host put one in its place. */
    private boolean isPage(Response response) {
        String type = response.header("content-type");
        if (type == null || !type.split(";", 2)[0].trim().equalsIgnoreCase("text/html")) return false;
        return response.status() == 206 || (response.status() == 200 && !namesSize(response));
    }

    /** A try that failed in a way that may pass. */
    private static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final String why;
        /** Wait that the server asked for, in milliseconds; 0 for none. */
        final long afterMs;

        Interrupted(String why, long afterMs) {
            super(why);
            this.why = why;
            this.afterMs = afterMs;
        }
    }
}
