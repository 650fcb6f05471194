package dev.slipway.ota.core.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** One GET over one connection: nothing is followed, nothing decoded. */
interface Get {
    /** Asks, and reads the head of the answer. */
    Head head() throws IOException;

    /** The body, once the head is there: as it was sent. */
    InputStream body() throws IOException;

    /** Ends it, also from another thread that gives up waiting. Never throws. */
    void end();

    /**
     * The part of an answer before its body.
     *
     * @param headers by names in lower case; of several with one name all, as fetch joins them
     */
    record Head(int status, Map<String, String> headers) {
        /** Whether another head follows (RFC 9110 §15.2). */
        boolean isInterim() {
            return status >= 100 && status < 200 && status != 101;
        }
    }
}
