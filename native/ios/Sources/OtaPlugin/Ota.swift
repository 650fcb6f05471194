import Capacitor
import Foundation

#if !COCOAPODS
  import OtaCore
  import OtaPlatform
#endif

/// The device of this process, and what the process serves: one of each, whatever bridges come and go.
final class Ota {
  /// The key of this plugin in capacitor.config, and its name in JavaScript.
  static let name = "SlipwayOta"
  private static var current: Ota?

  let device: Device
  let line: Line
  /// Told every progress of a staging, from its threads.
  let listener = ProgressListener()
  /// Whether this process was started where nobody sees it, and has not been seen since.
  private(set) var isBackground = false

  private let bundle: String?
  private let embedded: String
  private let snapshots: Snapshots
  private var served: String?
  private let lock = NSLock() // `served` is asked for by the bridge's own queue

  /// On the main thread, as `boot`.
  static func of(_ config: PluginConfig) -> Ota {
    let ota = current ?? Ota(config)
    current = ota
    return ota
  }

  private init(_ config: PluginConfig) {
    let files = PosixFiles()
    let library = NSSearchPathForDirectoriesInDomains(.libraryDirectory, .userDomainMask, true)[0]
    let root = library + "/NoCloud/slipway-ota"
    embedded = (Bundle.main.resourcePath ?? Bundle.main.bundlePath) + "/public"
    let manifest = readEmbedded(files, embedded)
    bundle = config.getString("bundleName") ?? manifest?.manifest.name
    line = Line(refusesMetered: config.getString("metered") == "refuse")
    snapshots = Snapshots(folder: library + "/NoCloud/ionic_built_snapshots")
    protect(root)
    var options = DeviceOptions(
      files: files, http: PhoneHttp(UrlSessionHttp(), line), hashing: SystemHashing(),
      ed25519: SystemEd25519(), inflating: SystemInflating(), clock: SystemClock(), root: root)
    options.embedded = embedded
    // The second lock (NAT-6), for the line of releases that the bundle in the app is of.
    options.trusted = config.getString("publicKey").map {
      TrustedReleases(publicKey: $0, app: manifest?.app, channel: manifest?.channel)
    }
    options.backOnTrial = config.getBoolean("backOnTrial", false)
    options.processes = ProcessOptions(pid: processId, isAlive: isAlive)
    device = Device(options) { [listener] in listener.tell($0.json) }
  }

  /// Decides what this process serves, once; anew when a process that nobody saw is seen.
  ///
  /// - Returns: The folder.
  func boot(isBackground: Bool) -> String {
    if let served = lock.withLock({ served }), !self.isBackground { return served }
    guard let bundle else { return embedded }
    self.isBackground = isBackground
    let request = LaunchRequest(
      name: bundle, binaryVersion: binaryVersion(), background: isBackground)
    let target = device.launch(request).target
    let folder: String
    switch target {
    case .embedded: folder = embedded
    case .version(let version):
      let staged = device.folderOf(bundle, target) ?? embedded
      folder = snapshots.point("\(bundle)@\(version)", at: staged)
    }
    lock.withLock { served = folder }
    return folder
  }

  /// Why nothing can be staged; `nil` when the boot hook has run.
  var refusal: String? {
    if lock.withLock({ served }) != nil { return nil }
    let found =
      bundle == nil
      ? "the app has no bundle name, expected ota-embedded-manifest.json among its web assets or "
        + "plugins.\(Ota.name).bundleName"
      : "the boot hook did not run, expected no server.url"
    return "Cannot stage: \(found); `slipway ota-doctor` tells what is missing"
  }
}

/// Whoever listens to progress: the bridge that was loaded last.
final class ProgressListener {
  private let lock = NSLock()
  private var listen: (JsonValue) -> Void = { _ in }

  func set(_ listen: @escaping (JsonValue) -> Void) {
    lock.withLock { self.listen = listen }
  }

  func tell(_ progress: JsonValue) {
    let listen = lock.withLock { self.listen }
    listen(progress)
  }
}

/// `1.4.2 (118)`.
private func binaryVersion() -> String? {
  let info = Bundle.main.infoDictionary
  guard let name = info?["CFBundleShortVersionString"] as? String,
    let build = info?["CFBundleVersion"] as? String
  else { return nil }
  return "\(name) (\(build))"
}

private func readEmbedded(_ files: Files, _ embedded: String) -> EmbeddedManifest? {
  let path = "\(embedded)/\(EMBEDDED_MANIFEST_FILE)"
  guard let bytes = try? files.read(path, maxBytes: LIMITS.manifestBytes) else { return nil }
  return try? parseEmbeddedManifest(bytes)
}

/// Makes the device's root where it is not, out of backups (a restored record would bring an old sequence
/// back) and readable before the first unlock, for a push may start the app then. What is made in it
/// later takes that over. A root that cannot be made now is made by the core, or it says why not.
private func protect(_ root: String) {
  let files = FileManager.default
  var url = URL(fileURLWithPath: root, isDirectory: true)
  try? files.createDirectory(at: url, withIntermediateDirectories: true)
  #if canImport(Darwin)
    let open: [FileAttributeKey: Any] = [.protectionKey: FileProtectionType.none]
    try? files.setAttributes(open, ofItemAtPath: root)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    try? url.setResourceValues(values)
  #endif
}
