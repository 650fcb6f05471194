import Capacitor
import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
  import SlipwayOtaPlatform
#endif

/// The device of this process, and the launch that its pages run: one of each, whatever bridges come
/// and go.
final class Ota: Sendable {
  /// The key of this plugin in capacitor.config, and its name in JavaScript.
  static let name = "SlipwayOta"
  @MainActor private static var existing: Ota?

  let line: Line
  let device: Device
  let listeners = Listeners()
  private let bundle: String?
  private let embedded: String
  private let snapshots: Snapshots
  @MainActor private var pages: [WeakPage] = []
  /// Whether a person has seen a launch of this process.
  @MainActor private var hasLaunched = false
  private let state = Locked(State())  // the bridge's own queue reads it, too

  private struct State {
    var current: Served?
    var isServing = false
    /// The launch that a document confirms which was served before it was seen, by its first token.
    var seenTokens: [String: String] = [:]
    /// Tokens that were confirmed before their document was seen.
    var earlyTokens: Set<String> = []
  }

  @MainActor static func of(_ config: PluginConfig) -> Ota {
    let ota = existing ?? Ota(config)
    existing = ota
    return ota
  }

  @MainActor private init(_ config: PluginConfig) {
    let files = PosixFiles()
    let library = NSSearchPathForDirectoriesInDomains(.libraryDirectory, .userDomainMask, true)[0]
    let root = library + "/NoCloud/slipway-ota"
    embedded = (Bundle.main.resourcePath ?? Bundle.main.bundlePath) + "/public"
    let manifest = readEmbedded(files, embedded: embedded)
    bundle = config.getString("bundleName") ?? manifest?.manifest.name
    line = Line(refusesMetered: config.getString("metered") == "refuse")
    snapshots = Snapshots(folder: library + "/NoCloud/ionic_built_snapshots")
    protect(root)
    var options = DeviceOptions(
      files: files, http: PhoneHttp(UrlSessionHttp(), line: line), hashing: SystemHashing(),
      ed25519: SystemEd25519(), inflating: SystemInflating(), clock: SystemClock(), root: root)
    options.embedded = embedded
    // The second lock (NAT-6), for the line of releases that the bundle in the app is of.
    options.trusted = config.getString("publicKey").map {
      TrustedReleases(publicKey: $0, app: manifest?.app, channel: manifest?.channel)
    }
    options.backOnTrial = config.getBoolean("backOnTrial", false)
    options.processes = ProcessOptions(pid: processId, isAlive: isAlive)
    device = Device(options) { [listeners] in listeners.notify($0.json) }
  }

  // MARK: Pages

  @MainActor func open(_ page: Page) {
    pages.removeAll { $0.page == nil }
    pages.append(WeakPage(page))
  }

  /// A page whose window is closed. Where none is left, the next one is another launch.
  @MainActor func close(_ page: Page) {
    pages.removeAll { $0.page == nil || $0.page === page }
    if pages.isEmpty { state.withLock { $0.current = nil } }
  }

  /// Ends the launch. Pages that are seen are loaded now, as pages of the next launch; the others when they
  /// are shown.
  @MainActor func restart() {
    state.withLock { $0.current = nil }
    for page in pages.compactMap(\.page) where page.isShown { page.load() }
  }

  /// Pauses downloads unless a page is visible.
  @MainActor func noteShown() {
    Foreground.set(pages.contains { $0.page?.isShown == true })
  }

  // MARK: Launches

  /// The launch that documents run now; `nil` from its end to the first document of the next one.
  var current: Served? { state.withLock(\.current) }

  /// Serves the document that a page asks for: decides which version that is, records the launch, points
  /// the web view there, and puts the launch into that document.
  @MainActor func serve(_ page: Page) {
    if let launch = launch(isSeen: page.isShown) { page.point(at: launch) }
  }

  /// The launch that documents run now. It is decided once, and again when an unseen page is shown.
  ///
  /// - Returns: `nil` where the app has no bundle name: its own folder is served.
  @MainActor func launch(isSeen: Bool) -> Served? {
    let before = state.withLock(\.current)
    if let before, before.isSeen || !isSeen { return before }
    guard let bundle else { return nil }
    let request = LaunchRequest(
      name: bundle, binaryVersion: binaryVersion(), background: !isSeen,
      // The user ended the launch before by closing the last window or by a restart (DEV-55).
      endedByUser: hasLaunched ? [processId] : [])
    let result = device.launch(request)
    hasLaunched = hasLaunched || isSeen
    let folder = folder(bundle, target: result.target)
    let launch = Served(
      token: result.token, script: result.script, folder: folder, isSeen: isSeen)
    let isConfirmed = state.withLock { state in
      state.current = launch
      state.isServing = true
      guard let before, before.folder == folder else { return false }
      state.seenTokens[before.token] = launch.token  // its document is the one that is seen now
      return state.earlyTokens.contains(before.token)
    }
    if isConfirmed {
      device.call("confirmBoot", request: ["name": .string(bundle), "token": .string(launch.token)]) { _ in }
    }
    return launch
  }

  /// Whether the document with this token is of that launch: it was served as such, or before it was seen.
  func isDocument(of launch: Served, token: String) -> Bool {
    token == launch.token || state.withLock { $0.seenTokens[token] == launch.token }
  }

  @MainActor private func folder(_ bundle: String, target: BootTarget) -> String {
    guard case .version(let version) = target, let staged = device.folderOf(bundle, target: target) else {
      return embedded
    }
    return snapshots.point("\(bundle)@\(version)", at: staged)
  }

  /// A request of `confirmBoot`, with the token of the launch that its document now belongs to.
  func confirmation(_ request: JsonValue) -> JsonValue {
    guard let token = request["token"]?.text, let name = request["name"] else { return request }
    return state.withLock { state in
      if let current = state.current, current.token == token, !current.isSeen {
        state.earlyTokens.insert(token)
      }
      guard let seen = state.seenTokens[token] else { return request }
      return ["name": name, "token": .string(seen)]
    }
  }

  /// Reason why nothing is served or staged; `nil` when the boot hook has run.
  var refusal: String? {
    if state.withLock(\.isServing) { return nil }
    let found =
      bundle == nil
      ? "the app has no bundle name, expected ota-embedded-manifest.json among its web assets or "
        + "plugins.\(Ota.name).bundleName"
      : "the boot hook did not run, expected no server.url"
    return "\(found); `slipway ota-doctor` tells what is missing"
  }
}

private struct WeakPage {
  weak var page: Page?
  init(_ page: Page) { self.page = page }
}

/// `1.4.2 (118)`.
private func binaryVersion() -> String? {
  let info = Bundle.main.infoDictionary
  guard let name = info?["CFBundleShortVersionString"] as? String,
    let build = info?["CFBundleVersion"] as? String
  else { return nil }
  return "\(name) (\(build))"
}

private func readEmbedded(_ files: Files, embedded: String) -> EmbeddedManifest? {
  let path = "\(embedded)/\(embeddedManifestFile)"
  guard let bytes = try? files.read(path, maxBytes: Limits.manifestBytes) else { return nil }
  return try? parseEmbeddedManifest(bytes)
}
