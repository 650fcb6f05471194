package dev.slipway.ota;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import android.webkit.ValueCallback;
import android.webkit.WebView;
import android.webkit.WebViewClient;
import androidx.webkit.ScriptHandler;
import androidx.webkit.WebViewCompat;
import androidx.webkit.WebViewFeature;
import com.getcapacitor.Bridge;
import com.getcapacitor.BridgeActivity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.annotation.RealObject;
import org.robolectric.shadow.api.Shadow;
import org.robolectric.shadows.ShadowWebView;

/**
 * Web views that note what each document of theirs is served from, and which launch it finds when it begins:
 * by a document-start script, or by one that is run once the page has started.
 */
final class Documents {
    private static final Pattern LAUNCH = Pattern.compile("window\\.slipwayLaunch=Object\\.freeze\\((\\{.*\\})\\);");
    private static final Pattern OWN =
            Pattern.compile("if\\(\\(location\\.href\\+'/'\\)\\.startsWith\\((.*?)\\)\\)\\{(.*)\\}");

    /** Whether web views have document-start scripts. */
    static boolean hasStartScripts = true;
    /** Every document, as it was loaded. */
    static final List<Document> LOADED = new ArrayList<>();
    /** Number of coming loads that lead nowhere: a document with unsaved input may stay. */
    static int dropped;

    private Documents() {}

    /**
     * A document.
     *
     * @param url its address
     * @param folder what its files are served from; null where a server decides
     * @param launches what was put into it, in order
     */
    record Document(String url, String folder, List<JSONObject> launches) {
        /** The launch that a script of the document finds. */
        JSONObject launch() {
            return launches.isEmpty() ? null : launches.get(launches.size() - 1);
        }

        private void run(String script) {
            try {
                Matcher own = OWN.matcher(script);
                boolean isGuarded = own.matches();
                if (isGuarded && !(url + "/").startsWith(new JSONArray("[" + own.group(1) + "]").getString(0))) return;
                Matcher launch = LAUNCH.matcher(isGuarded ? own.group(2) : script);
                if (!launch.matches()) return;
                launches.add(new JSONObject(launch.group(1)));
            } catch (JSONException thrown) {
                throw new AssertionError(script, thrown);
            }
        }
    }

    static void reset(boolean startScripts) {
        hasStartScripts = startScripts;
        LOADED.clear();
        dropped = 0;
    }

    /** The document that was loaded last. */
    static Document last() {
        return LOADED.get(LOADED.size() - 1);
    }

    /** Each document: the version that its folder is of, and the number of the launch that it finds. */
    static String told() throws Exception {
        List<String> tokens = new ArrayList<>();
        List<String> told = new ArrayList<>();
        for (Document document : LOADED) {
            JSONObject launch = document.launch();
            if (launch == null) {
                told.add("server none");
                continue;
            }
            assertEquals("game", launch.getString("name"));
            String version = launch.getString("version");
            String folder = document.folder();
            assertTrue(folder, version.equals("embedded") ? folder.equals("public") : folder.endsWith("/" + version));
            if (!tokens.contains(launch.getString("token"))) tokens.add(launch.getString("token"));
            told.add(version + " " + (tokens.indexOf(launch.getString("token")) + 1));
        }
        return String.join(", ", told);
    }

    @Implements(WebView.class)
    public static final class View extends ShadowWebView {
        @RealObject
        private WebView view;

        private final List<Script> scripts = new ArrayList<>();
        private Document shown;

        private record Script(String text, Set<String> origins) {}

        @Implementation
        @Override
        protected void loadUrl(String url) {
            super.loadUrl(url);
            if (!(view.getContext() instanceof BridgeActivity activity)) return;
            if (dropped > 0) {
                dropped--;
                return;
            }
            Bridge bridge = activity.getBridge(); // none yet, where its constructor loads a server's page
            shown = new Document(url, bridge == null ? null : bridge.getServerBasePath(), new ArrayList<>());
            LOADED.add(shown);
            for (Script script : scripts) {
                if ((url + "/").startsWith(script.origins.iterator().next() + "/")) shown.run(script.text);
            }
            WebViewClient client = getWebViewClient();
            if (client != null) client.onPageStarted(view, url, null);
        }

        @Implementation
        @Override
        protected void evaluateJavascript(String script, ValueCallback<String> callback) {
            super.evaluateJavascript(script, callback);
            if (shown != null) shown.run(script);
            if (callback == null) return;
            JSONObject launch = script.equals("window.slipwayLaunch&&window.slipwayLaunch.token") && shown != null
                    ? shown.launch()
                    : null;
            callback.onReceiveValue(launch == null ? "null" : JSONObject.quote(launch.optString("token")));
        }

        /** Documents of this one load at once. */
        @Implementation
        protected int getProgress() {
            return 100;
        }
    }

    @Implements(WebViewFeature.class)
    public static final class Features {
        private Features() {}

        @Implementation
        protected static boolean isFeatureSupported(String feature) {
            return hasStartScripts && feature.equals(WebViewFeature.DOCUMENT_START_SCRIPT);
        }
    }

    @Implements(WebViewCompat.class)
    public static final class Compat {
        private Compat() {}

        @Implementation
        protected static ScriptHandler addDocumentStartJavaScript(WebView view, String script, Set<String> origins) {
            View shadow = Shadow.extract(view);
            View.Script added = new View.Script(script, origins);
            shadow.scripts.add(added);
            return new ScriptHandler() {
                @Override
                public void remove() {
                    shadow.scripts.remove(added);
                }
            };
        }
    }
}
