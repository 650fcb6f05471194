package dev.slipway.ota;

import android.net.Uri;
import android.webkit.WebView;
import androidx.webkit.ScriptHandler;
import androidx.webkit.WebViewCompat;
import androidx.webkit.WebViewFeature;
import com.getcapacitor.Bridge;
import com.getcapacitor.SlipwayServerPath;
import com.getcapacitor.WebViewListener;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The page in the web view of one activity, and the launch that it belongs to: each document finds its launch
 * before any script of its own runs (NAT-7). Used on the main thread.
 */
final class Page extends WebViewListener {
    private Ota.Served served;
    private @Nullable Bridge bridge;
    private @Nullable ScriptHandler handler;
    private final AtomicBoolean isTurning = new AtomicBoolean();

    Page(Ota.Served served) {
        this.served = served;
    }

    /** The folder that is shown; {@code null} for the bundle inside the app. */
    @Nullable
    String folder() {
        return served.folder();
    }

    /** Takes the bridge that was built for it, before that loads a document. */
    void attach(Bridge built) {
        bridge = built;
        addScript(built);
    }

    /** Whether it may turn to another launch: not while it is about to. Any thread asks. */
    boolean beginTurn() {
        return isTurning.compareAndSet(false, true);
    }

    /** Loads the document of another launch; nothing where the page is of that one already. */
    void turnTo(Ota.Served next) {
        if (served.equals(next)) return;
        served = next;
        if (handler != null) handler.remove();
        if (bridge == null) return;
        addScript(bridge);
        SlipwayServerPath.change(bridge, next.folder());
    }

    private void addScript(Bridge bridge) {
        handler = null;
        if (!WebViewFeature.isFeatureSupported(WebViewFeature.DOCUMENT_START_SCRIPT)) return;
        Uri page = Uri.parse(bridge.getAppUrl());
        String origin =
                page.buildUpon().path(null).fragment(null).clearQuery().build().toString();
        try {
            handler = WebViewCompat.addDocumentStartJavaScript(
                    bridge.getWebView(), served.script(), Collections.singleton(origin));
        } catch (IllegalArgumentException thrown) {
            // an origin of which no rule can be made: as in a web view that has no such scripts
        }
    }

    /** Injects the launch at the earliest time that a web view without document-start scripts offers. */
    @Override
    public void onPageStarted(WebView view) {
        isTurning.set(false);
        if (handler == null && bridge != null) view.evaluateJavascript(served.script(), null);
    }
}
