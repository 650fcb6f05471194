package dev.slipway.ota;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.NetworkError;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The network of an app that people put away and take up again: it asks and reads only while the app
 * is seen, and not on a metered line where the app says so. A connection that died meanwhile fails as
 * any other, and the core goes on where the bytes on the disk end.
 */
final class PhoneHttp implements Http {
    private final Http network;
    private final Line line;

    PhoneHttp(Http network, Line line) {
        this.network = network;
        this.line = line;
    }

    @Override
    public Response open(String url, Map<String, String> headers, long timeoutMs, Cancel cancel) {
        Foreground.await(cancel);
        refuseMetered();
        Response response = network.open(url, headers, timeoutMs, cancel);
        return new Response() {
            @Override
            public int status() {
                return response.status();
            }

            @Override
            public @Nullable String header(String name) {
                return response.header(name);
            }

            @Override
            public String url() {
                return response.url();
            }

            @Override
            public byte @Nullable [] read(long readTimeoutMs) {
                Foreground.await(cancel);
                refuseMetered();
                return response.read(readTimeoutMs);
            }

            @Override
            public void close() {
                response.close();
            }
        };
    }

    private void refuseMetered() {
        String refusal = line.refusal();
        if (refusal != null) throw new NetworkError(refusal, null);
    }
}
