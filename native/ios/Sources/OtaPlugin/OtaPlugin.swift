import Capacitor
import Foundation
import UIKit

#if !COCOAPODS
  import OtaCore
#endif

/// The bridge: hands requests of JavaScript to the device, and answers. Nothing is decided here.
///
/// Capacitor loads plugins after it has made the web view and before that loads a page: so `load` is
/// the boot hook, and no line of an app can be forgotten.
@objc(SlipwayOtaPlugin)
public final class OtaPlugin: CAPPlugin, CAPBridgedPlugin {
  public let identifier = "SlipwayOtaPlugin"
  public let jsName = Ota.name
  public let pluginMethods: [CAPPluginMethod] = [
    CAPPluginMethod(name: "stageUpdate", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "stageUpdateDelta", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "activate", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "confirmBoot", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "revert", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "getState", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "acceptSequence", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "readManifest", returnType: CAPPluginReturnPromise),
  ]

  private var ota: Ota?
  private var observers: [NSObjectProtocol] = []

  override public func load() {
    guard let bridge else { return }
    let ota = Ota.of(getConfig())
    self.ota = ota
    ota.listener.set { [weak self] progress in
      self?.notifyListeners("otaProgress", data: toJs(progress))
    }
    // What an older version of the app, or another plugin, left there was to be loaded.
    try? KeyValueStore.standard.delete("serverBasePath")
    observe(UIApplication.didEnterBackgroundNotification) { _ in Foreground.set(false) }
    observe(UIApplication.willEnterForegroundNotification) { plugin in plugin.becomeShown() }
    let config = bridge.config
    if config.serverURL != config.localURL { return }  // live reload: a server decides what is shown
    let isBackground = UIApplication.shared.applicationState == .background
    Foreground.set(!isBackground)
    bridge.setServerBasePath(ota.boot(isBackground: isBackground))
  }

  deinit {
    observers.forEach(NotificationCenter.default.removeObserver)
  }

  @objc func stageUpdate(_ call: CAPPluginCall) {
    stage("stageUpdate", call)
  }

  @objc func stageUpdateDelta(_ call: CAPPluginCall) {
    stage("stageUpdateDelta", call)
  }

  @objc func activate(_ call: CAPPluginCall) {
    run("activate", call)
  }

  @objc func confirmBoot(_ call: CAPPluginCall) {
    hideSplash()  // the game is up, whatever the disk says of it
    run("confirmBoot", call)
  }

  @objc func revert(_ call: CAPPluginCall) {
    run("revert", call)
  }

  @objc func getState(_ call: CAPPluginCall) {
    run("getState", call)
  }

  @objc func acceptSequence(_ call: CAPPluginCall) {
    run("acceptSequence", call)
  }

  @objc func readManifest(_ call: CAPPluginCall) {
    run("readManifest", call)
  }

  private func stage(_ operation: String, _ call: CAPPluginCall) {
    let refused = ota.map { ota in
      ota.refusal.map { ("invalid", $0) } ?? ota.line.refusal.map { ("download", $0) }
    }
    guard let (code, detail) = refused ?? nil else { return run(operation, call) }
    call.resolve(["ok": false, "code": code, "detail": detail])
  }

  /// Begins an operation. What it throws rejects the call, by its code (NAT-5).
  private func run(_ operation: String, _ call: CAPPluginCall) {
    guard let device = ota?.device, let request = requestOf(call) else {
      return call.reject("Cannot \(operation): the request is no JSON", "invalid")
    }
    device.call(operation, request) { answer in
      switch answer {
      case .success(.null): call.resolve()
      case .success(let value): call.resolve(toJs(value))
      case .failure(let error): call.reject("\(error)", codeOf(error))
      }
    }
  }

  /// A process that was started for a push or a fetch is seen for the first time: that is a launch
  /// (DEV-34), and the page of the one before was nobody's.
  private func becomeShown() {
    Foreground.set(true)
    guard let ota, ota.isBackground, let bridge else { return }
    bridge.setServerBasePath(ota.boot(isBackground: false))
    _ = bridge.webView?.load(URLRequest(url: bridge.config.appStartServerURL))
  }

  private func observe(_ name: Notification.Name, _ work: @escaping (OtaPlugin) -> Void) {
    let center = NotificationCenter.default
    observers.append(
      center.addObserver(forName: name, object: nil, queue: .main) { [weak self] _ in
        if let self { work(self) }
      })
  }

  /// Takes the native splash away, where the app has that plugin: with `launchAutoHide` false it stays
  /// until now.
  private func hideSplash() {
    guard let bridge, bridge.plugin(withName: "SplashScreen") != nil else { return }
    bridge.eval(js: "Capacitor.nativePromise('SplashScreen', 'hide', {})")
  }
}

private func requestOf(_ call: CAPPluginCall) -> JsonValue? {
  guard JSONSerialization.isValidJSONObject(call.options ?? [:]),
    let data = try? JSONSerialization.data(withJSONObject: call.options ?? [:])
  else { return nil }
  return parseJson([UInt8](data))
}

private func toJs(_ value: JsonValue) -> [String: Any] {
  let object = try? JSONSerialization.jsonObject(with: Data(jsonBytes(value)))
  return object as? [String: Any] ?? [:]
}

private func codeOf(_ error: Error) -> String {
  (error as? StageError)?.code.rawValue ?? "io"
}
