import Capacitor
import Foundation
import UIKit

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// The bridge: hands requests of JavaScript to the device, and answers. Nothing is decided here.
///
/// Capacitor loads plugins after it has made the web view and before that asks for a page: from then on
/// each document is served by the boot hook, and no line of an app can be forgotten.
///
/// Unchecked: what is stored here is set on the main thread by `load()`, before Capacitor passes a call.
@objc(SlipwayOtaPlugin)
public final class OtaPlugin: CAPPlugin, CAPBridgedPlugin, @unchecked Sendable {
  public let identifier = "SlipwayOtaPlugin"
  public let jsName = Ota.name
  public let pluginMethods: [CAPPluginMethod] = [
    CAPPluginMethod(name: "stageUpdate", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "stageUpdateDelta", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "activate", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "restart", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "confirmBoot", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "revert", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "getState", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "acceptSequence", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "readManifest", returnType: CAPPluginReturnPromise),
  ]

  private var ota: Ota?
  private var page: Page?

  override public func load() {
    MainActor.assumeIsolated { open() }
  }

  @MainActor private func open() {
    guard let bridge else { return }
    let ota = Ota.of(getConfig())
    self.ota = ota
    ota.listeners.add(self)
    // An older version of the app, or another plugin, may have left a folder there to be loaded. The store
    // throws only for values that it cannot encode, and nothing is encoded here.
    try? KeyValueStore.standard.delete("serverBasePath")
    let config = bridge.config
    if config.serverURL != config.localURL { return }  // live reload: a server decides what is shown
    let page = Page(bridge, ota: ota)
    self.page = page
    ota.open(page)
  }

  @objc func stageUpdate(_ call: CAPPluginCall) {
    stage("stageUpdate", for: call)
  }

  @objc func stageUpdateDelta(_ call: CAPPluginCall) {
    stage("stageUpdateDelta", for: call)
  }

  @objc func activate(_ call: CAPPluginCall) {
    run("activate", for: call)
  }

  /// Answers first: the page that called is then replaced.
  @objc func restart(_ call: CAPPluginCall) {
    if let refusal = ota?.refusal { return call.reject("Cannot restart: \(refusal)", "invalid") }
    call.resolve()
    DispatchQueue.main.async { self.page?.restart() }
  }

  @objc func confirmBoot(_ call: CAPPluginCall) {
    hideSplash()  // the game is up, whatever the disk says of it
    run("confirmBoot", for: call) { [ota] request in ota?.confirmation(request) ?? request }
  }

  @objc func revert(_ call: CAPPluginCall) {
    run("revert", for: call)
  }

  @objc func getState(_ call: CAPPluginCall) {
    run("getState", for: call)
  }

  @objc func acceptSequence(_ call: CAPPluginCall) {
    run("acceptSequence", for: call)
  }

  @objc func readManifest(_ call: CAPPluginCall) {
    run("readManifest", for: call)
  }

  private func stage(_ operation: String, for call: CAPPluginCall) {
    let refused = ota.map { ota in
      ota.refusal.map { ("invalid", "Cannot stage: \($0)") } ?? ota.line.refusal.map { ("download", $0) }
    }
    guard let (code, detail) = refused ?? nil else { return run(operation, for: call) }
    call.resolve(["ok": false, "code": code, "detail": detail])
  }

  /// Begins an operation. What it throws rejects the call, by its code (NAT-5).
  private func run(
    _ operation: String, for call: CAPPluginCall, prepare: (JsonValue) -> JsonValue = { $0 }
  ) {
    nonisolated(unsafe) let call = call  // Capacitor lets any thread answer it
    guard let device = ota?.device, let request = requestOf(call) else {
      return call.reject("Cannot \(operation): the request is no JSON", "invalid")
    }
    device.call(operation, request: prepare(request)) { answer in
      switch answer {
      case .success(.null): call.resolve()
      case .success(let value): call.resolve(toJs(value))
      case .failure(let error): call.reject("\(error)", codeOf(error))
      }
    }
  }

  /// Reports staging progress to the page, on the main thread: Capacitor's list of listeners has no lock,
  /// and a navigation empties it there.
  func notify(_ progress: JsonValue) {
    DispatchQueue.main.async { self.notifyListeners("otaProgress", data: toJs(progress)) }
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
