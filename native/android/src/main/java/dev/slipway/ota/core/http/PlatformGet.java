package dev.slipway.ota.core.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A GET by {@link HttpURLConnection}, which keeps connections and knows the network's proxies. */
final class PlatformGet implements Get {
    private final URL at;
    private final HttpURLConnection connection;

    PlatformGet(URL at, Map<String, String> headers, int timeoutMs) throws IOException {
        this.at = at;
        connection = (HttpURLConnection) at.openConnection();
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        // For each proxy that the machine names, one after the other: together they have one deadline.
        connection.setConnectTimeout(
                Math.max(timeoutMs / ServerConnection.proxiesFor(at).size(), 1));
        connection.setReadTimeout(timeoutMs);
        for (Map.Entry<String, String> header : headers.entrySet()) {
            connection.setRequestProperty(header.getKey(), header.getValue());
        }
    }

    @Override
    public Head head() throws IOException {
        int status = connection.getResponseCode();
        if (status < 0) throw new IOException(at + " did not answer in HTTP");
        Map<String, String> found = new HashMap<>();
        for (Map.Entry<String, List<String>> header :
                connection.getHeaderFields().entrySet()) {
            if (header.getKey() == null) continue; // the status line
            String name = header.getKey().toLowerCase(Locale.ROOT);
            for (String value : header.getValue()) found.merge(name, value, (one, other) -> one + ", " + other);
        }
        return new Head(status, found);
    }

    @Override
    public InputStream body() throws IOException {
        boolean isRefusal = connection.getResponseCode() >= 400;
        InputStream body = isRefusal ? connection.getErrorStream() : connection.getInputStream();
        return body == null ? new ByteArrayInputStream(new byte[0]) : body;
    }

    @Override
    public void end() {
        connection.disconnect();
    }
}
