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
import java.util.function.Consumer;
import org.json.JSONObject;
import org.jspecify.annotations.Nullable;

/**
 * The page in the web view of one activity, and the launch that it belongs to: each document finds its launch
 * before any script of its own runs (NAT-7). Used on the main thread.
 */
final class Page extends WebViewListener {
    /** Progress that a web view reports while nothing is loading. */
    private static final int LOADED = 100;

    private Ota.Served served;
    private @Nullable Bridge bridge;
    private @Nullable ScriptHandler handler;
    private boolean isShown;

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

    boolean isShown() {
        return isShown;
    }

    void setShown(boolean shown) {
        isShown = shown;
    }

    /**
     * Passes {@code running} on if the document in the web view is of that launch: a restart ends the launch of
     * the document that asks, and no other, so a second tap on a button is not a second launch. A document of
     * another launch is about to be replaced; if nothing came of that, its replacement is loaded again.
     */
    void askLaunch(Ota.@Nullable Served running, Consumer<Ota.Served> pass) {
        Bridge built = bridge;
        if (built == null || running == null) return;
        WebView view = built.getWebView();
        view.evaluateJavascript("window.slipwayLaunch&&window.slipwayLaunch.token", token -> {
            boolean isReplaced = token != null && token.startsWith("\"") && !token.equals('"' + running.token() + '"');
            if (!isReplaced) pass.accept(running);
            else if (!served.equals(running)) turnTo(running);
            else if (view.getProgress() == LOADED) SlipwayServerPath.change(built, folder());
        });
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
        try {
            handler = WebViewCompat.addDocumentStartJavaScript(
                    bridge.getWebView(), served.script(), Collections.singleton(originOf(bridge)));
        } catch (IllegalArgumentException thrown) {
            // an origin of which no rule can be made: as in a web view that has no such scripts
        }
    }

    /**
     * Injects the launch at the earliest time that a web view without document-start scripts offers, into the
     * app's own documents alone.
     */
    @Override
    public void onPageStarted(WebView view) {
        if (handler != null || bridge == null) return;
        String own = JSONObject.quote(originOf(bridge) + "/");
        view.evaluateJavascript("if((location.href+'/').startsWith(" + own + ")){" + served.script() + "}", null);
    }

    private static String originOf(Bridge bridge) {
        Uri page = Uri.parse(bridge.getAppUrl());
        return page.buildUpon().path(null).fragment(null).clearQuery().build().toString();
    }
}
