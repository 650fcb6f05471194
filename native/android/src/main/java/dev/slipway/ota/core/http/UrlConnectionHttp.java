package dev.slipway.ota.core.http;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.ports.Http;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * {@link Http} by {@link java.net.HttpURLConnection}, which Android and the desktop have alike.
 *
 * <p>A body cannot be ended from another thread while it is waited for, so each answer is read by a thread
 * of its own, a few pieces ahead of who asked. Whoever gives up does so at once; the thread ends with the
 * socket's own deadline.
 */
public final class UrlConnectionHttp implements Http {
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "ota-http");
        thread.setDaemon(true);
        return thread;
    });

    private final Set<String> hinting = ConcurrentHashMap.newKeySet();

    @Override
    public Response open(String url, Map<String, String> headers, long timeoutMs, Cancel cancel) {
        cancel.throwIfCancelled();
        Exchange exchange = new Exchange(url, headers, timeoutMs, hinting);
        exchange.watch(cancel);
        threads.execute(exchange);
        exchange.awaitHead(timeoutMs);
        return exchange;
    }
}
