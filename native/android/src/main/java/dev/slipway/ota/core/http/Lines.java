package dev.slipway.ota.core.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Lines of what a server sends, all together within a bound. */
final class Lines {
    private final String asked;
    private final InputStream sent;
    private final int mostBytes;
    private int left;

    Lines(String asked, InputStream sent, int mostBytes) {
        this.asked = asked;
        this.sent = sent;
        this.mostBytes = mostBytes;
        this.left = mostBytes;
    }

    /** The next one, without its end. */
    String next() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int read = sent.read();
            if (read < 0) throw new EOFException(asked + " ended the connection before its answer");
            if (--left < 0) throw new IOException(asked + " sent more than " + mostBytes + " bytes of headers");
            if (read == '\n') break;
            line.append((char) read);
        }
        int length = line.length();
        return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
    }
}
