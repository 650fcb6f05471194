package dev.slipway.ota;

import com.getcapacitor.JSObject;
import com.getcapacitor.Plugin;
import com.getcapacitor.PluginCall;
import com.getcapacitor.PluginMethod;
import com.getcapacitor.annotation.CapacitorPlugin;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.device.StageError;
import dev.slipway.ota.core.format.OtaProgress;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.format.StageResult;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.json.JSONException;
import org.jspecify.annotations.Nullable;

/** The bridge: hands requests of JavaScript to the device, and answers. Nothing is decided here. */
@CapacitorPlugin(name = Ota.NAME)
public final class OtaPlugin extends Plugin {
    /**
     * Operations block, some for minutes, and Capacitor has one thread for all plugins. Never shut down:
     * calls come after {@link #handleOnDestroy}, and one that it refused would end the app. Its threads end idle.
     */
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> new Thread(work, "slipway-ota"));

    // Set by load(), before any call.
    private Ota ota;
    private Runnable forget;
    /** {@code null} where the boot hook did not see the activity. */
    private @Nullable Page page;

    @Override
    public void load() {
        ota = Ota.of(getContext(), bridge.getConfig());
        forget = ota.device.addListener(this::notifyProgress);
        page = ota.pageOf(getActivity());
        if (page != null) page.attach(bridge);
    }

    @Override
    protected void handleOnDestroy() {
        forget.run();
    }

    @PluginMethod
    public void stageUpdate(PluginCall call) {
        run(call, request -> stage(call, () -> ota.device.stageUpdate(request)));
    }

    @PluginMethod
    public void stageUpdateDelta(PluginCall call) {
        run(call, request -> stage(call, () -> ota.device.stageUpdateDelta(request)));
    }

    @PluginMethod
    public void activate(PluginCall call) {
        run(call, request -> answer(call, ota.device.activate(request).toJson()));
    }

    @PluginMethod
    public void confirmBoot(PluginCall call) {
        askSplash("hide", "{}"); // the game is up, whatever the disk says of it
        run(call, request -> {
            ota.device.confirmBoot(request);
            call.resolve();
        });
    }

    @PluginMethod
    public void revert(PluginCall call) {
        run(call, request -> {
            ota.device.revert(request);
            call.resolve();
        });
    }

    @PluginMethod
    public void getState(PluginCall call) {
        run(call, request -> answer(call, ota.device.getState()));
    }

    @PluginMethod
    public void acceptSequence(PluginCall call) {
        run(call, request -> {
            ota.device.acceptSequence(request);
            call.resolve();
        });
    }

    @PluginMethod
    public void readManifest(PluginCall call) {
        run(call, request -> answer(call, ota.device.readManifest(request)));
    }

    /** Starts a new launch in place of the page that asks: that one is answered first, and gone then. */
    @PluginMethod
    public void restart(PluginCall call) {
        Page asking = page;
        if (asking == null) {
            call.reject("Cannot restart: " + Ota.NOT_HOOKED, StageFailureCode.INVALID.text);
            return;
        }
        call.resolve();
        bridge.executeOnMainThread(
                () -> asking.askLaunch(ota.running(), ended -> threads.execute(() -> restart(ended))));
    }

    private void restart(Ota.Served ended) {
        if (!ota.restart(ended)) return; // it has ended already
        bridge.executeOnMainThread(() -> {
            askSplash("show", "{autoHide:false}");
            ota.turnShown();
        });
    }

    /** Runs an operation on a thread of its own. What it throws rejects the call, by its code (NAT-5). */
    private void run(PluginCall call, Consumer<JsonValue> operation) {
        threads.execute(() -> {
            try {
                operation.accept(JsonText.parseJson(call.getData().toString()));
            } catch (StageError thrown) {
                call.reject(thrown.getMessage(), thrown.code.text);
            } catch (Throwable thrown) { // also memory or stack that do not suffice for what was asked
                call.reject(String.valueOf(thrown.getMessage()), "io");
            }
        });
    }

    private void stage(PluginCall call, Staging staging) {
        StageResult result;
        if (ota.refusal() != null) result = StageResult.failed(StageFailureCode.INVALID, ota.refusal());
        else if (ota.line.refusal() != null) result = StageResult.failed(StageFailureCode.DOWNLOAD, ota.line.refusal());
        else result = staging.run();
        answer(call, result.toJson());
    }

    private interface Staging {
        StageResult run();
    }

    private void answer(PluginCall call, JsonObject answer) {
        call.resolve(toJs(answer));
    }

    private void notifyProgress(OtaProgress event) {
        notifyListeners("otaProgress", toJs(event.toJson()));
    }

    private static JSObject toJs(JsonObject object) {
        try {
            return new JSObject(JsonText.stringify(object));
        } catch (JSONException thrown) {
            throw new IllegalStateException(thrown); // what was written as JSON is JSON
        }
    }

    /** Asks the native splash, where the app has that plugin. */
    private void askSplash(String method, String options) {
        if (bridge.getPlugin("SplashScreen") == null) return;
        bridge.eval("Capacitor.nativePromise('SplashScreen', '" + method + "', " + options + ")", null);
    }
}
