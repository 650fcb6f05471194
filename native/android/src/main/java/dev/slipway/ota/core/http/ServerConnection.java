package dev.slipway.ota.core.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the server of an address: through the first that can be reached of the proxies that the
 * machine names, and in TLS for https.
 */
final class ServerConnection {
    private final URL at;
    private final int timeoutMs;
    private final int port;
    private Proxy proxy = Proxy.NO_PROXY;
    // What both threads see, under this object's lock.
    private @Nullable Socket socket;
    private boolean isClosed;

    ServerConnection(URL at, int timeoutMs) {
        this.at = at;
        this.timeoutMs = timeoutMs;
        this.port = at.getPort() < 0 ? at.getDefaultPort() : at.getPort();
    }

    Socket open() throws IOException {
        Socket plain = connect();
        if (!isSecure()) return plain;
        if (isByHttp()) openTunnel(plain);
        SSLSocket secure =
                (SSLSocket) HttpsURLConnection.getDefaultSSLSocketFactory().createSocket(plain, bareHost(), port, true);
        register(secure);
        secure.setSoTimeout(timeoutMs); // before Android 10 it does not go by the socket below
        SSLParameters checked = secure.getSSLParameters();
        checked.setEndpointIdentificationAlgorithm("HTTPS"); // else any certificate would do for any host
        secure.setSSLParameters(checked);
        secure.startHandshake();
        return secure;
    }

    /**
     * Connects by one proxy after the other, as a list of PROXY a; PROXY b; DIRECT says. All of them have one
     * deadline, of which each gets its share: a silent one leaves the caller's time to those that follow.
     */
    private Socket connect() throws IOException {
        List<Proxy> proxies = proxiesFor(at);
        long until = System.nanoTime() + timeoutMs * 1_000_000L;
        for (int tried = 0; ; tried++) {
            proxy = proxies.get(tried);
            int left = proxies.size() - tried;
            Socket plain = register(proxy.type() == Proxy.Type.SOCKS ? new Socket(proxy) : new Socket(Proxy.NO_PROXY));
            try {
                plain.setSoTimeout(timeoutMs);
                long leftMs = (until - System.nanoTime()) / 1_000_000;
                plain.connect(isByHttp() ? addressOf(proxy) : new InetSocketAddress(bareHost(), port), (int)
                        Math.max(leftMs / left, 1));
                return plain;
            } catch (IOException thrown) {
                end(plain);
                if (left == 1) throw thrown;
                tellUnreachable(thrown);
            }
        }
    }

    private boolean isByHttp() {
        return proxy.type() == Proxy.Type.HTTP;
    }

    private void tellUnreachable(IOException thrown) throws IOException {
        ProxySelector selector = ProxySelector.getDefault();
        if (selector != null && proxy.address() != null) selector.connectFailed(uriOf(at), proxy.address(), thrown);
    }

    private boolean isSecure() {
        return at.getProtocol().equals("https");
    }

    /** Returns the target of the request line: the whole address for a proxy, else its path and query. */
    String target() {
        String path = encoded(at.getFile());
        if (!path.startsWith("/")) path = "/" + path;
        return isByHttp() && !isSecure() ? "http://" + authority() + path : path;
    }

    /** The host, and the port where it is named. */
    String authority() {
        return at.getPort() < 0 ? at.getHost() : at.getHost() + ":" + at.getPort();
    }

    private String bareHost() {
        String host = at.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Returns the proxies that the machine names for an address, at least one: none is a proxy too. */
    static List<Proxy> proxiesFor(URL at) throws IOException {
        ProxySelector selector = ProxySelector.getDefault();
        List<Proxy> named = selector == null ? Collections.<Proxy>emptyList() : selector.select(uriOf(at));
        return named.isEmpty() ? Collections.singletonList(Proxy.NO_PROXY) : named;
    }

    private static URI uriOf(URL at) throws IOException {
        try {
            return new URI(at.getProtocol(), at.getAuthority(), "/", null, null);
        } catch (URISyntaxException thrown) {
            throw new IOException(at + " is not a valid URL", thrown);
        }
    }

    private static InetSocketAddress addressOf(Proxy proxy) {
        InetSocketAddress named = (InetSocketAddress) proxy.address(); // a selector leaves it unresolved
        return new InetSocketAddress(named.getHostString(), named.getPort());
    }

    private void openTunnel(Socket plain) throws IOException {
        String server = at.getHost() + ":" + port;
        String request = "CONNECT " + server + " HTTP/1.1\r\nhost: " + server + "\r\n\r\n";
        plain.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        // Nothing is read ahead: what follows is the server's.
        int status = SocketGet.finalHead("The proxy of " + at, plain.getInputStream())
                .status();
        if (status != 200) throw new IOException("The proxy of " + at + " answered " + status + " to CONNECT");
    }

    /** A body that closes the connection at its end, or when it is closed. */
    InputStream ending(InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public void close() {
                ServerConnection.this.close();
            }
        };
    }

    void close() {
        Socket open;
        synchronized (this) {
            isClosed = true;
            open = socket;
        }
        end(open);
    }

    private <T extends Socket> T register(T made) throws IOException {
        synchronized (this) {
            socket = made;
            if (!isClosed) return made;
        }
        end(made);
        throw new IOException(at + " was cancelled");
    }

    private static void end(@Nullable Socket open) {
        try {
            if (open != null) open.close();
        } catch (IOException thrown) {
            // It is closed, however that ended.
        }
    }

    /** Encodes the characters that an address may contain and a request line may not. */
    private static String encoded(String path) {
        StringBuilder text = new StringBuilder();
        for (byte one : path.getBytes(StandardCharsets.UTF_8)) {
            if (one > ' ' && one < 0x7f) text.append((char) one);
            else text.append(String.format(Locale.ROOT, "%%%02X", one & 0xff));
        }
        return text.toString();
    }
}
