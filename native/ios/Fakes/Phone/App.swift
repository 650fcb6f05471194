import Capacitor
import Compression
import Foundation

/// The life of an app with the plugin, step by step.
@MainActor
final class App {
  private struct Window {
    let window: UIWindow
    let controller: CAPBridgeViewController
    /// How many loads and documents were told of.
    var loads = 0
    var documents = 0

    @MainActor var webView: WKWebView { controller.webView! }
    @MainActor var bridge: CapacitorBridge { controller.bridge! }
    @MainActor var plugin: OtaPlugin { bridge.plugin as! OtaPlugin }
  }

  private var scenes: [String: UIWindowScene] = [:]
  private var windows: [String: Window] = [:]
  /// The token of the launch that was recorded last.
  private var recorded: String?
  private var events: [[String: Any]] = []

  /// Takes a step, and lets the main queue come to rest.
  func take(_ step: [Any]) throws -> [String: Any] {
    events = []
    let answer = try run(step)
    drainMainQueue()
    noteChanges()
    return ["events": events, "answer": answer ?? NSNull()]
  }

  /// - Returns: What a call answered.
  private func run(_ step: [Any]) throws -> Any? {
    let words = step.compactMap { $0 as? String }
    let name = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "app": openApp(step[1] as! [String: Any])
    case "connect": scenes[name] = UIWindowScene()
    case "scene": try move(scenes[name]!, words[2])
    case "application": try post(name)
    case "view": makeWindow(name, scene: words.count > 2 ? scenes[words[2]] : nil)
    case "attach": windows[name]!.window.windowScene = scenes[words[2]]
    case "close": windows[name] = nil
    case "web": try browse(windows[name]!.webView, words[2])
    case "leave": windows[name]!.webView.leave(URL(string: words[2])!)
    case "refuse": WebViewDelegationHandler.refuses = 1
    case "splash": WKWebView.waitsInVain = name == "hangs"
    case "frame": windows[name]!.webView.navigateFrame(URL(string: words[2])!)
    case "place": windows[name]!.webView.navigateWithin(URL(string: words[2])!)
    case "call": return call(windows[name]!, words[2], step[3] as! [String: Any])
    case "restart":
      nonisolated(unsafe) var answered: CallAnswer?
      windows[name]!.plugin.restart(CAPPluginCall([:]) { answered = $0 })
      return answered.map(told)
    case "plugin": return facts(windows[name]!)
    case "decoder": setDecoder(step[1] as! [String: Any])
    case "storage": return try storage(words.dropFirst().map { "\(Phone.home)/\($0)" })
    case "refuse storage": Storage.all.refuse(step[1] as! Bool)
    case "include": try Storage.all.setExcluded(false, "\(Phone.home)/\(name)")
    case "forget flushes": Flushes.all.forget(unknown: Set(words.dropFirst().map(command)))
    case "flushes": return Flushes.all.lines
    default: throw Unknown(step: words[0])
    }
    return nil
  }

  private func openApp(_ app: [String: Any]) {
    Phone.home = app["home"] as! String
    Phone.app = app["app"] as! String
    Phone.info = app["info"] as? [String: Any] ?? [:]
    PluginConfig.values = app["config"] as? [String: Any] ?? [:]
    var options = ViewOptions()
    options.serverURL = (app["serverURL"] as? String).flatMap(URL.init)
    options.errorPathURL = (app["errorPath"] as? String).flatMap(URL.init)
    options.assets = "\(Phone.app)/public"
    options.plugins = app["plugins"] as? [String] ?? []
    options.plugin = { OtaPlugin() }
    CAPBridgeViewController.options = options
    recorded = recordedLaunch()?.token
  }

  private func move(_ scene: UIScene, _ to: String) throws {
    switch to {
    case "enterForeground": scene.enterForeground()
    case "activate": scene.activate()
    case "enterBackground": scene.enterBackground()
    case "connectInBackground": scene.connectInBackground()
    case "disconnect": scene.disconnect()
    default: throw Unknown(step: to)
    }
  }

  private func post(_ notification: String) throws {
    let names = [
      "willEnterForeground": UIApplication.willEnterForegroundNotification,
      "didBecomeActive": UIApplication.didBecomeActiveNotification,
      "didEnterBackground": UIApplication.didEnterBackgroundNotification,
    ]
    guard let name = names[notification] else { throw Unknown(step: notification) }
    NotificationCenter.default.post(name: name, object: UIApplication())
  }

  private func makeWindow(_ name: String, scene: UIWindowScene?) {
    let window = UIWindow(windowScene: scene)
    let controller = CAPBridgeViewController()
    window.rootViewController = controller
    window.makeKeyAndVisible()
    windows[name] = Window(window: window, controller: controller)
  }

  private func browse(_ webView: WKWebView, _ step: String) throws {
    switch step {
    case "decide": webView.decide()
    case "commit": webView.commit()
    case "finish": webView.finish()
    case "fail": webView.fail()
    case "all":
      webView.decide()
      webView.commit()
      webView.finish()
    case "reload": webView.reload()
    case "terminate": webView.terminate()
    default: throw Unknown(step: step)
    }
  }

  /// Calls an operation as a page does: on the bridge's queue.
  private func call(_ window: Window, _ operation: String, _ options: [String: Any]) -> [String: Any] {
    let plugin = window.plugin
    nonisolated(unsafe) var answered: [String: Any]?
    let lock = NSLock()
    let call = CAPPluginCall(options) { answer in
      lock.withLock { answered = told(answer) }
    }
    let methods: [String: (CAPPluginCall) -> Void] = [
      "stageUpdate": plugin.stageUpdate, "stageUpdateDelta": plugin.stageUpdateDelta,
      "activate": plugin.activate, "confirmBoot": plugin.confirmBoot, "revert": plugin.revert,
      "getState": plugin.getState, "acceptSequence": plugin.acceptSequence,
      "readManifest": plugin.readManifest,
    ]
    guard let method = methods[operation] else { return ["rejected": "no such method"] }
    nonisolated(unsafe) let (bridged, answering) = (method, call)  // only that queue uses them
    DispatchQueue(label: "bridge").async { bridged(answering) }
    while true {
      if let told = lock.withLock({ answered }) { return told }
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
    }
  }

  /// The protection class of each item, and whether it is in backups.
  private func storage(_ paths: [String]) throws -> [String] {
    try paths.map { path in
      let protection = try Storage.all.protectionOf(path).rawValue
      return "\(protection)\(try Storage.all.isExcluded(path) ? "" : ", in backups")"
    }
  }

  private func command(_ name: String) -> Int32 {
    name == "full" ? F_FULLFSYNC : F_BARRIERFSYNC
  }

  private func setDecoder(_ quirks: [String: Any]) {
    Decoder.endsLate = quirks["endsLate"] as? Bool ?? false
    Decoder.heldBytes = quirks["heldBytes"] as? Int ?? 0
    Decoder.mostWritten = quirks["mostWritten"] as? Int ?? Int.max
  }

  private func facts(_ window: Window) -> [String: Any] {
    let events = window.bridge.plugin.events
    return [
      "evaluated": window.bridge.evaluated + window.webView.evaluated,
      "progress": events.count,
      "onMain": events.allSatisfy(\.isOnMain),
      "deleted": KeyValueStore.standard.deleted,
      "isShown": Foreground.isShown,
    ]
  }

  /// Runs what was put on the main queue, and what that puts there.
  private func drainMainQueue() {
    for _ in 0..<4 {
      nonisolated(unsafe) var isDrained = false
      DispatchQueue.main.async { isDrained = true }
      while !isDrained {
        _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
      }
    }
  }

  /// Notes what the step did to the phone.
  private func noteChanges() {
    if let launch = recordedLaunch(), launch.token != recorded {
      recorded = launch.token
      events.append(["records": launch.version])
    }
    for (name, window) in windows.sorted(by: { $0.key < $1.key }) {
      for url in window.webView.loads[window.loads...] {
        events.append(["view": name, "loads": url.absoluteString])
      }
      windows[name]!.loads = window.webView.loads.count
      guard window.documents < window.webView.commits, let document = window.webView.document else {
        continue
      }
      windows[name]!.documents = window.webView.commits
      events.append(["view": name, "shows": document.body, "scripts": document.scripts])
    }
  }
}

private func told(_ answer: CallAnswer) -> [String: Any] {
  switch answer {
  case .resolved(let data): return ["resolved": data]
  case .rejected(let message, let code): return ["rejected": message, "code": code ?? NSNull()]
  }
}

private struct Unknown: Error {
  let step: String
}

private func recordedLaunch() -> (version: String, token: String)? {
  let path = "\(Phone.home)/Library/NoCloud/slipway-ota/launch.json"
  guard let bytes = FileManager.default.contents(atPath: path),
    let bundle = PluginConfig.values["bundleName"] as? String,
    let launch = parseJson([UInt8](bytes))?["launches"]?[bundle],
    let version = launch["version"]?.text, let token = launch["token"]?.text
  else { return nil }
  return (version, token)
}
