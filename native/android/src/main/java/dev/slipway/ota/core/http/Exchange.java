package dev.slipway.ota.core.http;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.Cancel.Watch;
import dev.slipway.ota.core.base.Cancelled;
import dev.slipway.ota.core.http.Get.Head;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.NetworkError;
import dev.slipway.ota.core.ports.TimedOut;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** One request and its answer: run by its own thread, read by another one. */
final class Exchange implements Http.Response, Runnable {
    private static final int CHUNK_BYTES = 64 * 1024;
    /** Pieces that lie ready at most: so much is read ahead. */
    private static final int AHEAD = 4;
    /** Most redirects of one request, as many as fetch follows. */
    private static final int MAX_REDIRECTS = 20;

    private final String asked;
    private final Map<String, String> headers;
    /** Servers that have sent an interim answer; shared by all exchanges. */
    private final Set<String> hinting;

    private final int socketTimeoutMs;
    private @Nullable Watch watch;

    // What both threads see, under this object's lock.
    private final Queue<byte[]> ready = new ArrayDeque<>();
    private @Nullable Get asking; // until its head has come
    private @Nullable Head head;
    private String url;
    private @Nullable IOException failure;
    private boolean ended;
    private boolean closed;
    private boolean cancelled;

    Exchange(String url, Map<String, String> headers, long timeoutMs, Set<String> hinting) {
        this.asked = url;
        this.url = url;
        this.headers = new HashMap<>(headers);
        this.headers.putIfAbsent("accept", "*/*");
        // Said in any case: Android would ask for gzip by itself, and hide that it came.
        this.headers.putIfAbsent("accept-encoding", "gzip");
        this.hinting = hinting;
        this.socketTimeoutMs = (int) Math.min(Math.max(timeoutMs, 1), Integer.MAX_VALUE);
    }

    void watch(Cancel cancel) {
        watch = cancel.onCancel(() -> {
            synchronized (this) {
                cancelled = true;
                closed = true;
                notifyAll();
            }
        });
    }

    @Override
    public void run() {
        Get get = null;
        try {
            get = request();
            try (InputStream body = bodyOf(get)) {
                pass(body);
            }
        } catch (Throwable thrown) { // also memory that does not suffice for what a server sends
            synchronized (this) {
                failure = thrown instanceof IOException known ? known : new IOException(thrown.toString(), thrown);
                if (get == null) get = asking;
                notifyAll();
            }
            if (get != null) get.end();
        }
    }

    /** Sends the request, follows redirects, and reports the head of the last answer. */
    private Get request() throws IOException {
        URL at = new URL(asked);
        for (int redirects = 0; ; redirects++) {
            Get get = ask(at);
            Head answer = get.head();
            String location = isRedirect(answer.status()) ? answer.headers().get("location") : null;
            if (location == null) return publish(get, at);
            if (redirects == MAX_REDIRECTS) {
                throw new IOException(asked + " redirects more than " + MAX_REDIRECTS + " times");
            }
            at = new URL(at, location);
            // Reported, not followed: the caller refuses it by its address, and nothing is sent in the clear.
            boolean isDowngrade = asked.startsWith("https:") && at.getProtocol().equals("http");
            if (isDowngrade) return publish(get, at);
            get.end();
        }
    }

    /** Asks one server, until its final answer begins (DEV-35). */
    private Get ask(URL at) throws IOException {
        if (!at.getProtocol().equals("http") && !at.getProtocol().equals("https")) {
            throw new IOException(asked + " redirects to " + at + ", expected http or https");
        }
        String server = at.getProtocol() + "://" + at.getAuthority();
        if (!hinting.contains(server)) {
            Get get = register(new PlatformGet(at, headers, socketTimeoutMs));
            if (!get.head().isInterim()) return get;
            // The final answer is left in a connection that the platform may keep, and would be taken for
            // that of the next request: from here on this server is asked without it.
            hinting.add(server);
            get.end();
        }
        Get get = register(new SocketGet(at, headers, socketTimeoutMs));
        get.head();
        return get;
    }

    private Get register(Get get) throws IOException {
        synchronized (this) {
            if (closed) throw new IOException(asked + " was cancelled");
            asking = get;
        }
        return get;
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private Get publish(Get get, URL at) throws IOException {
        Head answer = get.head();
        synchronized (this) {
            head = answer;
            url = at.toString();
            asking = null;
            notifyAll();
        }
        return get;
    }

    private InputStream bodyOf(Get get) throws IOException {
        InputStream body = get.body();
        String coding = get.head().headers().get("content-encoding");
        boolean isCoded =
                coding != null && coding.trim().toLowerCase(Locale.ROOT).equals("gzip");
        boolean isPlain = "identity".equals(headers.get("accept-encoding"));
        return isCoded && !isPlain ? new GZIPInputStream(body, CHUNK_BYTES) : body;
    }

    private void pass(InputStream body) throws IOException {
        byte[] buffer = new byte[CHUNK_BYTES];
        while (true) {
            int count = body.read(buffer);
            synchronized (this) {
                while (ready.size() >= AHEAD && !closed) waitFor(0);
                if (closed) return;
                if (count > 0) ready.add(Arrays.copyOf(buffer, count));
                else if (count < 0) ended = true;
                notifyAll();
                if (ended) return;
            }
        }
    }

    void awaitHead(long timeoutMs) {
        try {
            await(timeoutMs, true);
        } catch (RuntimeException thrown) {
            close();
            throw thrown;
        }
    }

    @Override
    public byte @Nullable [] read(long timeoutMs) {
        return await(timeoutMs, false);
    }

    /** Waits for the head, or for a piece of the body. */
    private synchronized byte @Nullable [] await(long timeoutMs, boolean forHead) {
        long until = System.nanoTime() + timeoutMs * 1_000_000;
        while (true) {
            if (cancelled) throw new Cancelled();
            if (forHead && head != null) return null;
            byte[] next = forHead ? null : ready.poll();
            if (next != null) {
                notifyAll();
                return next;
            }
            if (failure instanceof SocketTimeoutException) throw new TimedOut(messageOf(failure), failure);
            if (failure != null) throw new NetworkError(messageOf(failure), failure);
            if (ended || closed) return null;
            long leftMs = (until - System.nanoTime() + 999_999) / 1_000_000;
            if (leftMs <= 0) throw new TimedOut(asked + " sent nothing for " + timeoutMs + " ms", null);
            waitFor(leftMs);
        }
    }

    private static String messageOf(IOException failure) {
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    private void waitFor(long ms) {
        try {
            wait(ms);
        } catch (InterruptedException thrown) {
            Thread.currentThread().interrupt();
            cancelled = true;
            closed = true;
        }
    }

    @Override
    public synchronized int status() {
        return headOf().status();
    }

    @Override
    public synchronized @Nullable String header(String name) {
        return headOf().headers().get(name);
    }

    private Head headOf() {
        if (head == null) throw new IllegalStateException(asked + " has not been answered yet");
        return head;
    }

    @Override
    public synchronized String url() {
        return url;
    }

    @Override
    public void close() {
        if (watch != null) watch.close();
        Get headless;
        synchronized (this) {
            closed = true;
            ready.clear();
            headless = asking;
            asking = null;
            notifyAll();
        }
        if (headless != null) headless.end(); // a head without an end would be read for ever
    }
}
