package dev.slipway.ota;

import android.app.Activity;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.os.Build;
import android.os.Process;
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
import dev.slipway.ota.core.device.LaunchResult;
import dev.slipway.ota.core.device.TrustedReleases;
import dev.slipway.ota.core.format.EmbeddedManifest;
import dev.slipway.ota.core.format.Layout;
import dev.slipway.ota.core.format.OwnEd25519;
import dev.slipway.ota.core.format.Release;
import dev.slipway.ota.core.http.UrlConnectionHttp;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.SystemClock;
import java.io.File;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The device of this process, and what its pages are served: one device, whatever activities come and go.
 *
 * <p>Launches take turns by {@link #launching}, and wait for the disk. The lock of this object guards the other
 * fields. The main thread takes it in each callback of an activity, so no thread may hold it during disk work.
 */
final class Ota {
    /** The key of this plugin in capacitor.config, and its name in JavaScript. */
    static final String NAME = "SlipwayOta";
    /** Why nothing can be staged or served. */
    static final String NOT_HOOKED =
            "the boot hook did not run, expected an activity that extends BridgeActivity, and no server.url";

    private static final String EMBEDDED = AssetFiles.ROOT + "/" + Bridge.DEFAULT_WEB_ASSET_DIR;

    private static @Nullable Ota current;

    final Device device;
    final Line line;
    private final @Nullable String bundle;
    private final @Nullable String binaryVersion;
    private final Set<Long> endedByUser;
    private final Object launching = new Object();
    private final Map<Activity, Page> pages = new IdentityHashMap<>();
    private volatile boolean isBooted;
    private @Nullable Served served;

    /**
     * A launch, and the folder that its documents are served from.
     *
     * @param folder {@code null} for the bundle inside the app
     * @param token confirms the launch; known to its documents alone (NAT-7)
     * @param script what each of its documents runs first
     */
    record Served(@Nullable String folder, String token, String script) {}

    private Ota(Context context, PluginConfig config) {
        Files files = new AssetFiles(new AndroidFiles(), context.getAssets());
        EmbeddedManifest embedded = readEmbedded(files);
        line = new Line(context, "refuse".equals(config.getString("metered")));
        boolean goesBackOnTrial = config.getBoolean("backOnTrial", false);
        endedByUser = goesBackOnTrial ? Exits.byUser(context) : Collections.emptySet();
        // Outside of what Android backs up: a restored record would bring an old sequence back.
        String root = new File(context.getNoBackupFilesDir(), "slipway-ota").getPath();
        device = new Device(new DeviceOptions(
                files,
                new PhoneHttp(new UrlConnectionHttp(), line),
                new SystemClock(),
                new AndroidProcesses(),
                root,
                EMBEDDED,
                trusted(config, embedded),
                goesBackOnTrial,
                DeviceOptions.STALL_MS,
                new Cancel()));
        bundle = config.getString(
                "bundleName", embedded == null ? null : embedded.manifest().name());
        binaryVersion = binaryVersionOf(context);
    }

    static synchronized Ota of(Context context, CapConfig config) {
        if (current == null) {
            current = new Ota(context.getApplicationContext(), config.getPluginConfiguration(NAME));
        }
        return current;
    }

    /**
     * Decides what the page of an activity shows: once a launch, for an activity that is made again goes on
     * with it.
     *
     * @param isSaved whether the system had destroyed the activity, and restores it from its saved state
     * @return {@code null} without a bundle's name
     */
    @Nullable
    Page open(Activity activity, boolean isSaved) {
        if (bundle == null) return null;
        Served ended;
        synchronized (this) {
            ended = served;
            if (ended != null && (isSaved || !isReopened(activity))) return add(activity, ended);
        }
        synchronized (launching) {
            Served restarted = running();
            if (restarted == null || restarted.equals(ended)) return add(activity, launch(bundle));
            return add(activity, restarted); // it was under way: a launch that nothing has shown yet
        }
    }

    private synchronized Page add(Activity activity, Served launch) {
        served = launch;
        Page page = new Page(launch);
        pages.put(activity, page);
        return page;
    }

    /**
     * Whether a person opens the app from the launcher after Back: the activity that was left is finishing,
     * and the system destroys it when it has time, which may be after the next one is made.
     */
    private boolean isReopened(Activity activity) {
        Intent intent = activity.getIntent();
        boolean isByLauncher = intent != null && intent.hasCategory(Intent.CATEGORY_LAUNCHER);
        return isByLauncher && !pages.isEmpty() && pages.keySet().stream().allMatch(Activity::isFinishing);
    }

    /** The page that was opened for an activity; {@code null} for one that the boot hook did not see. */
    synchronized @Nullable Page pageOf(Activity activity) {
        return pages.get(activity);
    }

    /** The launch that pages run now; {@code null} once the last activity has finished. */
    synchronized @Nullable Served running() {
        return served;
    }

    /**
     * Launches again in place of a launch, unless that has ended already. Pages are to be turned then. For a
     * thread that may wait for the disk.
     *
     * @return whether it did
     */
    boolean restart(Served ended) {
        synchronized (launching) {
            if (!ended.equals(running()) || bundle == null) return false;
            run(launch(bundle));
            return true;
        }
    }

    private synchronized void run(Served launch) {
        served = launch;
    }

    /** Turns the pages that are seen to the launch that runs, also those of other activities: a screen can be split. */
    synchronized void turnShown() {
        for (Page page : pages.values()) {
            if (page.isShown()) turn(page);
        }
    }

    /** Shows an activity. Another one may have restarted the app while this one was hidden. */
    static synchronized void show(Activity activity) {
        Ota ota = current;
        Page page = ota == null ? null : ota.pageOf(activity);
        if (ota == null || page == null) return;
        page.setShown(true);
        ota.turn(page);
    }

    /** Hides an activity. Its page is turned once it is shown. */
    static synchronized void hide(Activity activity) {
        Page page = current == null ? null : current.pageOf(activity);
        if (page != null) page.setShown(false);
    }

    private synchronized void turn(Page page) {
        if (served != null) page.turnTo(served);
    }

    /** An activity is gone. Once the last one has finished, the next one is a launch. */
    static synchronized void close(Activity activity) {
        if (current != null) current.forget(activity);
    }

    private synchronized void forget(Activity activity) {
        if (pages.remove(activity) != null && activity.isFinishing() && pages.isEmpty()) served = null;
    }

    /** The caller holds {@link #launching}. */
    private Served launch(String bundle) {
        Set<Long> ended = new HashSet<>(endedByUser);
        if (isBooted) ended.add((long) Process.myPid()); // who left the page, or asked for another
        LaunchResult launched = device.launch(new LaunchRequest(bundle, binaryVersion, false, ended));
        isBooted = true;
        BootTarget target = launched.target();
        String folder = target.isEmbedded() ? null : device.folderOf(bundle, target);
        return new Served(folder, launched.token(), launched.script());
    }

    /** Why nothing can be staged; {@code null} when the boot hook has run. */
    @Nullable
    String refusal() {
        if (isBooted) return null;
        String found = bundle == null
                ? "the app has no bundle name, expected ota-embedded-manifest.json among its web assets or plugins."
                        + NAME + ".bundleName"
                : NOT_HOOKED;
        return "Cannot stage: " + found + "; `slipway ota-doctor` tells what is missing";
    }

    private static @Nullable EmbeddedManifest readEmbedded(Files files) {
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
    private static @Nullable TrustedReleases trusted(PluginConfig config, @Nullable EmbeddedManifest embedded) {
        String publicKey = config.getString("publicKey");
        if (publicKey == null) return null;
        Release.Target target =
                embedded == null ? Release.Target.DEFAULT : new Release.Target(embedded.app(), embedded.channel());
        return new TrustedReleases(publicKey, target, new OwnEd25519());
    }

    /** {@code 1.4.2 (118)}. */
    @SuppressWarnings("deprecation") // the number as a long came with Android 9
    private static @Nullable String binaryVersionOf(Context context) {
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
