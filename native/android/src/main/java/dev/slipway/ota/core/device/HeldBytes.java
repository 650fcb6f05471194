package dev.slipway.ota.core.device;

import java.io.ByteArrayOutputStream;

/** Bytes that are held back before the disk is written. */
final class HeldBytes extends ByteArrayOutputStream {
    /** Returns the held bytes, and holds none of them any longer. */
    byte[] take() {
        byte[] taken = toByteArray();
        reset();
        return taken;
    }
}
