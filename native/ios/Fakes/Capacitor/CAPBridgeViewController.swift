// How Capacitor 7 and 8 make a view and its bridge, and what they answer the web view: the order is
// that of their sources (CAPBridgeViewController, CapacitorBridge, WebViewDelegationHandler).

/// Options of the app's view.
public struct ViewOptions {
  public var serverURL: URL?
  public var errorPathURL: URL?
  /// The web assets in the app.
  public var assets = ""
  /// Plugins of the app besides the one that is tested.
  public var plugins: [String] = []
  /// Makes the plugin.
  public var plugin: () -> CAPPlugin = { CAPPlugin() }

  public init() {}
}

open class CAPBridgeViewController: UIViewController {
  public static var options = ViewOptions()
  public private(set) var bridge: CapacitorBridge?
  public private(set) var webView: WKWebView?

  override public init() {}

  override public func loadView() {
    let options = Self.options
    let (assets, delegate) = (AssetHandler(options.assets), WebViewDelegationHandler())
    let configuration = WKWebViewConfiguration()
    configuration.schemeHandler = assets
    let view = WKWebView(configuration: configuration)
    view.navigationDelegate = delegate
    webView = view
    self.view = view
    bridge = CapacitorBridge(options, view, assets, delegate)
  }

  override public func viewDidLoad() {
    if let bridge { webView?.load(URLRequest(url: bridge.config.appStartServerURL)) }
  }
}

public final class CapacitorBridge: NSObject, CAPBridgeProtocol {
  public let config: InstanceConfiguration
  public private(set) weak var webView: WKWebView?
  public let plugin: CAPPlugin
  /// JavaScript that native code ran in the page.
  public private(set) var evaluated: [String] = []
  private let assets: AssetHandler
  private let delegate: WebViewDelegationHandler
  private let others: [String: CAPPlugin]

  @MainActor init(
    _ options: ViewOptions, _ webView: WKWebView, _ assets: AssetHandler,
    _ delegate: WebViewDelegationHandler
  ) {
    config = InstanceConfiguration(
      serverURL: options.serverURL, errorPathURL: options.errorPathURL)
    self.webView = webView
    self.assets = assets
    self.delegate = delegate
    others = Dictionary(uniqueKeysWithValues: options.plugins.map { ($0, CAPPlugin()) })
    plugin = options.plugin()
    super.init()
    delegate.bridge = self
    plugin.bridge = self
    plugin.load()
  }

  public func plugin(withName: String) -> CAPPlugin? { others[withName] }
  public func eval(js: String) { evaluated.append(js) }

  public func setServerBasePath(_ path: String) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    MainActor.assumeIsolated { assets.basePath = path }
  }
}

@MainActor final class AssetHandler: WKURLSchemeHandler {
  var basePath: String
  init(_ basePath: String) { self.basePath = basePath }

  func body(of url: URL) -> String? {
    let path = url.pathExtension.isEmpty ? "/index.html" : url.path
    return try? String(contentsOfFile: basePath + path, encoding: .utf8)
  }
}

@MainActor public final class WebViewDelegationHandler: WKNavigationDelegate {
  weak var bridge: CapacitorBridge?
  /// How many navigations another plugin refuses from now on.
  public static var refuses = 0

  public func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
  ) {
    NotificationCenter.default.post(
      name: .capacitorDecidePolicyForNavigationAction, object: navigationAction)
    if Self.refuses > 0 {  // another plugin's `shouldOverrideLoad`
      Self.refuses -= 1
      return decisionHandler(.cancel)
    }
    let (asked, config) = (navigationAction.request.url!.absoluteString, bridge?.config)
    let own = [config?.serverURL, config?.localURL].compactMap { $0?.absoluteString }
    let isMain = navigationAction.targetFrame?.isMainFrame != false
    decisionHandler(isMain && !own.contains(where: asked.hasPrefix) ? .cancel : .allow)
  }

  public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {}

  public func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!,
    withError error: Error
  ) {
    loadErrorPage(webView)
  }

  public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: Error) {
    loadErrorPage(webView)
  }

  public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) { webView.reload() }

  private func loadErrorPage(_ webView: WKWebView) {
    if let url = bridge?.config.errorPathURL { webView.load(URLRequest(url: url)) }
  }
}
