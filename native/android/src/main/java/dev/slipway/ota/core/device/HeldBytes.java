package dev.slipway.ota.core.device;

import java.io.ByteArrayOutputStream;

/** Bytes that are held back before the disk is written. */
final class HeldBytes extends ByteArrayOutputStream {
    /** What is held, and holds nothing. */
    byte[] take() {
        byte[] taken = toByteArray();
        reset();
        return taken;
    }
}
