package dev.slipway.ota.core.http;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body of announced length: a connection that ends before the last byte is an error. */
final class MeasuredBody extends FilterInputStream {
    private final String asked;
    private long remaining;

    MeasuredBody(String asked, InputStream sent, long length) {
        super(sent);
        this.asked = asked;
        this.remaining = length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int most) throws IOException {
        if (remaining == 0) return -1;
        int count = in.read(into, at, (int) Math.min(most, remaining));
        if (count < 0) throw new EOFException(asked + " ended " + remaining + " bytes too early");
        remaining -= count;
        return count;
    }
}
