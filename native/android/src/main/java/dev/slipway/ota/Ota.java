package dev.slipway.ota;

import android.content.Context;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.os.Build;
import androidx.annotation.RequiresApi;
import com.getcapacitor.Bridge;
import com.getcapacitor.CapConfig;
import com.getcapacitor.PluginConfig;
import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.device.BootTarget;
import dev.slipway.ota.core.device.Device;
import dev.slipway.ota.core.device.DeviceOptions;
import dev.slipway.ota.core.device.LaunchRequest;
import dev.slipway.ota.core.device.TrustedReleases;
import dev.slipway.ota.core.format.EmbeddedManifest;
import dev.slipway.ota.core.format.Layout;
import dev.slipway.ota.core.format.Release;
import dev.slipway.ota.core.http.UrlConnectionHttp;
import dev.slipway.ota.core.ports.Ed25519;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.SystemClock;
import java.io.File;
import java.util.Collections;
import java.util.Set;

/** The device of this process, and what the process serves: one of each, whatever activities come and go. */
final class Ota {
    /** The key of this plugin in capacitor.config, and its name in JavaScript. */
    static final String NAME = "SlipwayOta";
    private static final String EMBEDDED = AssetFiles.ROOT + "/" + Bridge.DEFAULT_WEB_ASSET_DIR;

    private static Ota current;

    final Device device;
    final Line line;
    private final String bundle;
    private final String binaryVersion;
    private final Set<Long> endedByUser;
    private boolean isBooted;
    private String served;

    private Ota(Context context, PluginConfig config) {
        Files files = new AssetFiles(new AndroidFiles(), context.getAssets());
        EmbeddedManifest embedded = readEmbedded(files);
        line = new Line(context, "refuse".equals(config.getString("metered")));
        boolean goesBackOnTrial = config.getBoolean("backOnTrial", false);
        endedByUser = goesBackOnTrial ? Exits.byUser(context) : Collections.emptySet();
        // Outside of what Android backs up: a restored record would bring an old sequence back.
        String root = new File(context.getNoBackupFilesDir(), "slipway-ota").getPath();
        device = new Device(new DeviceOptions(files, new PhoneHttp(new UrlConnectionHttp(), line), new SystemClock(),
            new AndroidProcesses(), root, EMBEDDED, trusted(config, embedded), goesBackOnTrial,
            DeviceOptions.STALL_MS, new Cancel()));
        bundle = config.getString("bundleName", embedded == null ? null : embedded.manifest().name());
        binaryVersion = binaryVersionOf(context);
    }

    static synchronized Ota of(Context context, CapConfig config) {
        if (current == null) {
            current = new Ota(context.getApplicationContext(), config.getPluginConfiguration(NAME));
        }
        return current;
    }

    /**
     * Decides what this process serves, once: an activity that is made again goes on with it.
     *
     * @return the folder; {@code null} for the bundle inside the app
     */
    synchronized String boot() {
        if (isBooted || bundle == null) return served;
        BootTarget target = device.launch(new LaunchRequest(bundle, binaryVersion, false, endedByUser)).target();
        isBooted = true;
        served = target.isEmbedded() ? null : device.folderOf(bundle, target);
        return served;
    }

    /** Why nothing can be staged; {@code null} when the boot hook has run. */
    synchronized String refusal() {
        if (isBooted) return null;
        String found = bundle == null
            ? "the app has no bundle name, expected ota-embedded-manifest.json among its web assets or plugins."
                + NAME + ".bundleName"
            : "the boot hook did not run, expected an activity that extends BridgeActivity, and no server.url";
        return "Cannot stage: " + found + "; `slipway ota-doctor` tells what is missing";
    }

    private static EmbeddedManifest readEmbedded(Files files) {
        try {
            byte[] bytes = files.read(EMBEDDED + "/" + Layout.EMBEDDED_MANIFEST_FILE, Limits.MANIFEST_BYTES);
            if (bytes == null) return null;
            Result<EmbeddedManifest> parsed = EmbeddedManifest.parseEmbeddedManifest(bytes);
            return parsed.isOk() ? parsed.value() : null;
        } catch (RuntimeException thrown) {
            return null;
        }
    }

    /** The second lock (NAT-6), for the line of releases that the bundle in the app is of. */
    private static TrustedReleases trusted(PluginConfig config, EmbeddedManifest embedded) {
        String publicKey = config.getString("publicKey");
        if (publicKey == null) return null;
        Release.Target target = embedded == null
            ? Release.Target.DEFAULT
            : new Release.Target(embedded.app(), embedded.channel());
        Ed25519 ed25519 = PlatformEd25519.isSupported() ? new PlatformEd25519() : new BouncyCastleEd25519();
        return new TrustedReleases(publicKey, target, ed25519);
    }

    /** {@code 1.4.2 (118)}. */
    @SuppressWarnings("deprecation") // the number as a long came with Android 9
    private static String binaryVersionOf(Context context) {
        try {
            PackageInfo info = context.getPackageManager().getPackageInfo(context.getPackageName(), 0);
            long code = Build.VERSION.SDK_INT >= Build.VERSION_CODES.P ? longCodeOf(info) : info.versionCode;
            return info.versionName + " (" + code + ")";
        } catch (PackageManager.NameNotFoundException thrown) {
            return null; // of this very app
        }
    }

    @RequiresApi(Build.VERSION_CODES.P)
    private static long longCodeOf(PackageInfo info) {
        return info.getLongVersionCode();
    }
}
