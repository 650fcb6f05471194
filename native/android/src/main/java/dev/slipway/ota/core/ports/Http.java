package dev.slipway.ota.core.ports;

import dev.slipway.ota.core.base.Cancel;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * HTTP: one GET. Nothing is cached, and redirects are followed here. Where {@code accept-encoding} is
 * asked to be {@code identity} the body comes as it was sent; else a gzip-coded one comes decoded, and
 * {@code content-encoding} tells that it was coded.
 */
public interface Http {
    /**
     * Asks, and waits for the answer's status and headers.
     *
     * @param headers names in lower case
     * @param timeoutMs the longest to wait for the answer
     * @param cancel ends the waiting, and every later read of the body
     * @throws NetworkError {@link TimedOut} when nothing came in time
     */
    Response open(String url, Map<String, String> headers, long timeoutMs, Cancel cancel);

    /** An answer, whose body is read once. */
    interface Response extends AutoCloseable {
        int status();

        /** A header by its name in lower case; {@code null} when it is not there. */
        @Nullable
        String header(String name);

        /** The address that answered, after redirects. */
        String url();

        /**
         * The next bytes, at least one; {@code null} at the end.
         *
         * @throws NetworkError {@link TimedOut} when nothing came in time
         */
        byte @Nullable [] read(long timeoutMs);

        /** Ends the answer, also in the middle. Never throws. */
        @Override
        void close();
    }
}
