import Capacitor
import Foundation
import UIKit
import WebKit

/// A web view of the app: it shows one document after another, each of them of one launch.
///
/// Capacitor posts a notification for each navigation before it requests the first byte. By then the view is
/// in its window, so the window's scene says whether the page is visible. `applicationState` does not: while
/// a scene connects, it is `.background`.
@MainActor
final class Page {
  private(set) var isShown = false

  /// The launch of the document that was asked for last.
  private var served: Served?
  /// Whether `load()` was called for a document that has not been requested yet.
  private var isAwaiting = false

  private weak var bridge: CAPBridgeProtocol?
  private let ota: Ota
  private nonisolated(unsafe) var observers: [NSObjectProtocol] = []
  private var loading: NSKeyValueObservation?

  init(_ bridge: CAPBridgeProtocol, ota: Ota) {
    self.bridge = bridge
    self.ota = ota
    observe(.capacitorDecidePolicyForNavigationAction) { page, action in page.decide(action) }
    observe(UIScene.willEnterForegroundNotification) { page, scene in page.show(in: scene) }
    observe(UIScene.didActivateNotification) { page, scene in page.show(in: scene) }
    observe(UIScene.didEnterBackgroundNotification) { page, scene in page.hide(in: scene) }
    observe(UIScene.didDisconnectNotification) { page, scene in page.close(in: scene) }
    if hasSceneManifest() { return }
    observe(UIApplication.willEnterForegroundNotification) { (page, _: UIApplication) in page.show() }
    observe(UIApplication.didBecomeActiveNotification) { (page, _: UIApplication) in page.show() }
    observe(UIApplication.didEnterBackgroundNotification) { (page, _: UIApplication) in page.hide() }
  }

  deinit {
    observers.forEach(NotificationCenter.default.removeObserver)
  }

  /// Points the web view at the folder of a launch, and puts the launch into the documents that come.
  func point(at launch: Served) {
    guard let bridge, launch != served else { return }
    served = launch
    bridge.setServerBasePath(launch.folder)
    let own = bridge.config.localURL.absoluteString
    // Scripts of a web view stay, and run in their order: the launch that is set last counts.
    let script = WKUserScript(
      source: "if (location.href.startsWith('\(own)')) { \(launch.script) }",
      injectionTime: .atDocumentStart, forMainFrameOnly: true)
    bridge.webView?.configuration.userContentController.addUserScript(script)
  }

  /// Loads the app again. Does nothing while a document is on its way that will be of the same launch.
  func load() {
    if isAwaiting || served == nil { return }
    isAwaiting = true
    loadWhenFree()
  }

  /// Asks for the document, and again if that comes to nothing before it is decided. A load that cancels
  /// another one makes Capacitor load `server.errorPath`: where the app has one, nothing may be loading.
  private func loadWhenFree() {
    loading = nil
    guard isAwaiting, let bridge, let webView = bridge.webView else { return }
    if !webView.isLoading || bridge.config.errorPathURL == nil {
      _ = webView.load(URLRequest(url: bridge.config.appStartServerURL))
    }
    loading = webView.observe(\.isLoading) { [weak self] webView, _ in
      MainActor.assumeIsolated { if !webView.isLoading { self?.loadWhenFree() } }
    }
  }

  /// Starts a new launch in the app, behind the native splash screen if the app has that plugin. It ends the
  /// launch of the document that asks, and no other: a second tap on a button is no second launch.
  func restart() {
    guard let bridge, let webView = bridge.webView else { return }
    let launch = ota.current
    let splash = bridge.plugin(withName: "SplashScreen") == nil ? "" : showSplash
    let ask = splash + "return globalThis.slipwayLaunch?.token ?? '';"
    webView.callAsyncJavaScript(ask, in: nil, in: .page) { [weak self] answer in
      self?.end(launch, askedBy: (try? answer.get()) as? String ?? "")
    }
  }

  /// - Parameter token: Of the document that asked; empty where it could not say it: its process has ended,
  ///   or another document is in its place.
  private func end(_ launch: Served?, askedBy token: String) {
    let current = ota.current
    if let current, !token.isEmpty, !ota.isDocument(of: current, token: token) {
      // It is replaced already; the document that was to come may have come to nothing.
      if bridge?.webView?.isLoading == false { load() }
    } else if launch == current {
      ota.restart()
    }
  }

  private func decide(_ action: WKNavigationAction) {
    guard let bridge, let webView = bridge.webView, let frame = action.targetFrame, frame.isMainFrame,
      frame.webView === webView, let url = action.request.url
    else { return }
    guard url.absoluteString.hasPrefix(bridge.config.localURL.absoluteString),
      action.navigationType == .reload || !isPlace(url, in: webView.url)
    else {
      // It took the place of a load that was not decided yet.
      if isAwaiting { DispatchQueue.main.async { self.loadWhenFree() } }
      return
    }
    isAwaiting = false  // this is the document that was to be loaded
    if let scene, scene.activationState != .background { setShown(true) }
    ota.serve(self)
  }

  private var scene: UIScene? { bridge?.webView?.window?.windowScene }

  private func show(in scene: UIScene) {
    if scene === self.scene { show() }
  }

  private func hide(in scene: UIScene) {
    if scene === self.scene { hide() }
  }

  private func close(in scene: UIScene) {
    guard scene === self.scene else { return }
    hide()
    ota.close(self)
  }

  /// Makes a launch of a document that had not been seen (DEV-34), and loads the page again if its document
  /// is not of that launch: the launch serves another folder, or another window has restarted the app.
  private func show() {
    setShown(true)
    guard let served, !isAwaiting, let launch = ota.launch(isSeen: true) else { return }
    if !ota.isDocument(of: launch, token: served.token) { load() }
  }

  private func hide() {
    setShown(false)
  }

  private func setShown(_ shown: Bool) {
    isShown = shown
    ota.noteShown()
  }

  private func observe<Object: AnyObject & Sendable>(
    _ name: Notification.Name, work: @escaping @MainActor (Page, Object) -> Void
  ) {
    let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      [weak self] notification in
      guard let object = notification.object as? Object else { return }
      MainActor.assumeIsolated { if let self { work(self, object) } }
    }
    observers.append(observer)
  }
}

/// Shows the native splash screen. It is no reason to refuse a restart.
private let showSplash =
  "await Capacitor.nativePromise('SplashScreen', 'show', { autoHide: false }).catch(() => {}); "

/// Whether an address is a place in the document that is shown: WebKit asks for it, and loads nothing.
private func isPlace(_ asked: URL, in shown: URL?) -> Bool {
  let document = { (url: URL) in url.absoluteString.prefix { $0 != "#" } }
  return asked.fragment != nil && shown.map(document) == document(asked)
}

/// Whether the app has scenes. Without scenes, UIKit notifies of the whole app only.
private func hasSceneManifest() -> Bool {
  Bundle.main.object(forInfoDictionaryKey: "UIApplicationSceneManifest") != nil
}
