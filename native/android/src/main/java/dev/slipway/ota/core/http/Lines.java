package dev.slipway.ota.core.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Lines of what a server sends, all together within a bound. */
final class Lines {
    private final String asked;
    private final InputStream sent;
    private final int maxBytes;
    private int remaining;

    Lines(String asked, InputStream sent, int maxBytes) {
        this.asked = asked;
        this.sent = sent;
        this.maxBytes = maxBytes;
        this.remaining = maxBytes;
    }

    /** The next one, without its end. */
    String next() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int read = sent.read();
            if (read < 0) throw new EOFException(asked + " ended the connection before its answer");
            if (--remaining < 0) throw new IOException(asked + " sent more than " + maxBytes + " bytes of headers");
            if (read == '\n') break;
            line.append((char) read);
        }
        int length = line.length();
        return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
    }
}
