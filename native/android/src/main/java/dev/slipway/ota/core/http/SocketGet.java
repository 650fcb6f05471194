package dev.slipway.ota.core.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A GET over a connection of its own, for servers that send interim answers before the final one, 103
 * Early Hints above all (DEV-35): {@link java.net.HttpURLConnection} of Android and of Java 17 takes the
 * first for the final one. Its connection ends with its answer.
 */
final class SocketGet implements Get {
    private static final int MAX_INTERIM = 16;
    /** Of all heads of one answer together. */
    private static final int MAX_HEAD_BYTES = 64 * 1024;

    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] ([1-9][0-9]{2})( .*)?");

    private final URL at;
    private final Map<String, String> headers;
    private final ServerConnection connection;
    private InputStream sent = new ByteArrayInputStream(new byte[0]);
    private @Nullable Head head;

    SocketGet(URL at, Map<String, String> headers, int timeoutMs) {
        this.at = at;
        this.headers = headers;
        this.connection = new ServerConnection(at, timeoutMs);
    }

    @Override
    public Head head() throws IOException {
        if (head != null) return head;
        Socket socket = connection.open();
        socket.getOutputStream().write(request().getBytes(StandardCharsets.US_ASCII));
        sent = new BufferedInputStream(socket.getInputStream());
        head = finalHead(at.toString(), sent);
        return head;
    }

    private String request() throws IOException {
        StringBuilder text =
                new StringBuilder("GET ").append(connection.target()).append(" HTTP/1.1\r\n");
        text.append("host: ").append(connection.authority()).append("\r\nconnection: close\r\n");
        String agent = System.getProperty("http.agent"); // the platform says it too; some servers refuse who does not
        if (agent != null) {
            text.append("user-agent: ").append(agent.replaceAll("[^ -~]", "?")).append("\r\n");
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            text.append(header.getKey()).append(": ").append(header.getValue()).append("\r\n");
        }
        // What a server said once is sent back to it, and must stay in its line.
        for (String value : headers.values()) {
            if (!value.matches("[ -~]*")) throw new IOException(at + " cannot be asked with the header " + value);
        }
        return text.append("\r\n").toString();
    }

    /** Reads heads up to the one that none follows (RFC 9110 §15.2). */
    static Head finalHead(String asked, InputStream sent) throws IOException {
        Lines lines = new Lines(asked, sent, MAX_HEAD_BYTES);
        for (int interim = 0; interim <= MAX_INTERIM; interim++) {
            Head found = oneHead(asked, lines);
            if (!found.isInterim()) return found;
        }
        throw new IOException(asked + " sent more than " + MAX_INTERIM + " interim answers");
    }

    private static Head oneHead(String asked, Lines lines) throws IOException {
        Matcher status = STATUS_LINE.matcher(lines.next());
        if (!status.matches()) throw new IOException(asked + " did not answer in HTTP");
        Map<String, String> found = new HashMap<>();
        for (String field = lines.next(); !field.isEmpty(); field = lines.next()) {
            int colon = field.indexOf(':');
            String name = colon < 0 ? "" : field.substring(0, colon).toLowerCase(Locale.ROOT);
            if (!name.matches("[!-9;-~]+")) throw new IOException(asked + " sent a header without a name");
            found.merge(name, field.substring(colon + 1).trim(), (one, other) -> one + ", " + other);
        }
        return new Head(Integer.parseInt(status.group(1)), found);
    }

    /** Returns the body, whose end is found as RFC 9112 §6.3 says. */
    @Override
    public InputStream body() throws IOException {
        Head head = head();
        if (head.status() == 204 || head.status() == 304) {
            return connection.ending(new ByteArrayInputStream(new byte[0]));
        }
        String coding = head.headers().get("transfer-encoding");
        if (coding != null) {
            if (!coding.equalsIgnoreCase("chunked")) throw new IOException(at + " sent the transfer coding " + coding);
            return connection.ending(new ChunkedBody(at.toString(), sent));
        }
        String length = head.headers().get("content-length");
        if (length == null) return connection.ending(sent);
        if (!length.matches("[0-9]{1,18}")) throw new IOException(at + " sent the length " + length);
        return connection.ending(new MeasuredBody(at.toString(), sent, Long.parseLong(length)));
    }

    @Override
    public void end() {
        connection.close();
    }
}
