package dev.slipway.ota.core.http;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.Cancelled;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.NetworkError;
import dev.slipway.ota.core.ports.TimedOut;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.zip.GZIPInputStream;

/** One request and its answer: run by its own thread, read by another one. */
final class Exchange implements Http.Response, Runnable {
    private static final int CHUNK_BYTES = 64 * 1024;
    /** Pieces that lie ready at most: so much is read ahead. */
    private static final int AHEAD = 4;
    /** As fetch has it. */
    private static final int MOST_REDIRECTS = 20;

    private final String asked;
    private final Map<String, String> headers;
    private final int socketTimeoutMs;
    private Cancel.Watch watch;

    // What both threads see, under this object's lock.
    private final Queue<byte[]> ready = new ArrayDeque<>();
    private HttpURLConnection asking; // until its head has come
    private Map<String, String> head;
    private int status;
    private String url;
    private IOException failure;
    private boolean ended;
    private boolean closed;
    private boolean cancelled;

    Exchange(String url, Map<String, String> headers, long timeoutMs) {
        this.asked = url;
        this.headers = headers;
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
        HttpURLConnection connection = null;
        try {
            connection = request();
            try (InputStream body = bodyOf(connection)) {
                pass(body);
            }
        } catch (Throwable thrown) { // also memory that does not suffice for what a server sends
            synchronized (this) {
                failure = thrown instanceof IOException known ? known : new IOException(thrown.toString(), thrown);
                notifyAll();
            }
            if (connection != null) connection.disconnect();
        }
    }

    /** Asks, following redirects; tells the head of the last answer. */
    private HttpURLConnection request() throws IOException {
        URL at = new URL(asked);
        for (int redirects = 0;; redirects++) {
            HttpURLConnection connection = ask(at);
            int answered = connection.getResponseCode();
            if (answered < 0) throw new IOException(at + " did not answer in HTTP");
            String location = isRedirect(answered) ? connection.getHeaderField("location") : null;
            if (location == null) return tellHead(connection, answered, at);
            if (redirects == MOST_REDIRECTS) throw new IOException(asked + " redirects more than " + MOST_REDIRECTS + " times");
            at = new URL(at, location);
            // Told, not followed: whoever asked refuses it by its address, and nothing is sent in the clear.
            boolean isDowngrade = asked.startsWith("https:") && at.getProtocol().equals("http");
            if (isDowngrade) return tellHead(connection, answered, at);
            connection.disconnect();
        }
    }

    private HttpURLConnection ask(URL at) throws IOException {
        if (!at.getProtocol().equals("http") && !at.getProtocol().equals("https")) {
            throw new IOException(asked + " redirects to " + at + ", expected http or https");
        }
        HttpURLConnection connection = (HttpURLConnection) at.openConnection();
        synchronized (this) {
            if (closed) throw new IOException(asked + " was cancelled");
            asking = connection;
        }
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setConnectTimeout(socketTimeoutMs);
        connection.setReadTimeout(socketTimeoutMs);
        connection.setRequestProperty("accept", "*/*");
        // Said in any case: Android would ask for gzip by itself, and hide that it came.
        connection.setRequestProperty("accept-encoding", "gzip");
        for (Map.Entry<String, String> header : headers.entrySet()) {
            connection.setRequestProperty(header.getKey(), header.getValue());
        }
        return connection;
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    private HttpURLConnection tellHead(HttpURLConnection connection, int answered, URL at) {
        synchronized (this) {
            head = headersOf(connection);
            status = answered;
            url = at.toString();
            asking = null;
            notifyAll();
        }
        return connection;
    }

    /** By names in lower case; of several with one name all, as fetch joins them. */
    private static Map<String, String> headersOf(HttpURLConnection connection) {
        Map<String, String> found = new HashMap<>();
        for (Map.Entry<String, List<String>> header : connection.getHeaderFields().entrySet()) {
            if (header.getKey() == null) continue; // the status line
            String name = header.getKey().toLowerCase(Locale.ROOT);
            for (String value : header.getValue()) found.merge(name, value, (one, other) -> one + ", " + other);
        }
        return found;
    }

    private InputStream bodyOf(HttpURLConnection connection) throws IOException {
        InputStream body = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
        if (body == null) return new java.io.ByteArrayInputStream(new byte[0]);
        String coding = connection.getHeaderField("content-encoding");
        boolean isCoded = coding != null && coding.trim().toLowerCase(Locale.ROOT).equals("gzip");
        boolean isPlain = "identity".equals(headers.get("accept-encoding"));
        return isCoded && !isPlain ? new GZIPInputStream(body, CHUNK_BYTES) : body;
    }

    private void pass(InputStream body) throws IOException {
        byte[] buffer = new byte[CHUNK_BYTES];
        for (;;) {
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
    public byte[] read(long timeoutMs) {
        return await(timeoutMs, false);
    }

    /** Waits for the head, or for a piece of the body. */
    private synchronized byte[] await(long timeoutMs, boolean forHead) {
        long until = System.nanoTime() + timeoutMs * 1_000_000;
        for (;;) {
            if (cancelled) throw new Cancelled();
            if (forHead && head != null) return null;
            byte[] next = forHead ? null : ready.poll();
            if (next != null) {
                notifyAll();
                return next;
            }
            if (failure instanceof SocketTimeoutException) throw new TimedOut(failure.getMessage(), failure);
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
        return status;
    }

    @Override
    public synchronized String header(String name) {
        return head.get(name);
    }

    @Override
    public synchronized String url() {
        return url;
    }

    @Override
    public void close() {
        watch.close();
        HttpURLConnection headless;
        synchronized (this) {
            closed = true;
            ready.clear();
            headless = asking;
            asking = null;
            notifyAll();
        }
        if (headless != null) headless.disconnect(); // a head without an end would be read for ever
    }
}
