package dev.slipway.ota.core.archive;

import java.util.Arrays;

/** Some bytes of an array, in which a zip's numbers stand with the lowest byte first. */
public record ByteView(byte[] array, int from, int length) {
    static final ByteView EMPTY = new ByteView(new byte[0], 0, 0);

    int u8(int at) {
        return array[from + at] & 0xff;
    }

    int u16(int at) {
        return u8(at) | u8(at + 1) << 8;
    }

    long u32(int at) {
        return u16(at) | (long) u16(at + 2) << 16;
    }

    /** A number of eight bytes; past 2^53 not exact, and larger than any file. */
    double u64(int at) {
        return u32(at) + u32(at + 4) * 0x1p32;
    }

    /** The bytes from {@code start} on; fewer than {@code most} only where there are no more. */
    public ByteView part(int start, int most) {
        int begin = Math.min(start, length);
        return new ByteView(array, from + begin, Math.min(most, length - begin));
    }

    /** These bytes in an array of their own. */
    public byte[] copy() {
        return Arrays.copyOfRange(array, from, from + length);
    }

    boolean hasSameBytes(ByteView other) {
        if (length != other.length) return false;
        for (int at = 0; at < length; at++) {
            if (u8(at) != other.u8(at)) return false;
        }
        return true;
    }
}
