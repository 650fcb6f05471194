@_exported import UIKit

#if canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif

// A web view whose navigations a driver takes through their steps: asked for, decided, provisional,
// committed, finished. Nothing goes on by itself.

open class WKNavigation: NSObject {}

@MainActor open class WKFrameInfo: NSObject {
  public let isMainFrame: Bool
  public private(set) weak var webView: WKWebView?

  init(_ webView: WKWebView, isMainFrame: Bool) {
    self.webView = webView
    self.isMainFrame = isMainFrame
  }
}

public enum WKNavigationType: Int { case linkActivated, reload, other }

@MainActor open class WKNavigationAction: NSObject {
  public let request: URLRequest
  public let navigationType: WKNavigationType
  public let targetFrame: WKFrameInfo?

  init(_ request: URLRequest, _ targetFrame: WKFrameInfo, _ type: WKNavigationType = .other) {
    self.request = request
    navigationType = type
    self.targetFrame = targetFrame
  }
}

public enum WKNavigationActionPolicy: Int { case cancel, allow }

@MainActor public protocol WKNavigationDelegate: AnyObject {
  func webView(
    _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
    decisionHandler: @escaping (WKNavigationActionPolicy) -> Void)
  func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!)
  func webView(
    _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!,
    withError error: Error)
  func webView(
    _ webView: WKWebView, didFail navigation: WKNavigation!, withError error: Error)
  func webViewWebContentProcessDidTerminate(_ webView: WKWebView)
}

@MainActor public protocol WKURLSchemeHandler: AnyObject {
  /// The file that answers a request, as text.
  func body(of url: URL) -> String?
}

public enum WKUserScriptInjectionTime: Int { case atDocumentStart, atDocumentEnd }

@MainActor open class WKUserScript: NSObject {
  public let source: String
  public let injectionTime: WKUserScriptInjectionTime
  public let isForMainFrameOnly: Bool

  public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {
    self.source = source
    self.injectionTime = injectionTime
    isForMainFrameOnly = forMainFrameOnly
  }
}

@MainActor open class WKUserContentController: NSObject {
  public private(set) var userScripts: [WKUserScript] = []
  public func addUserScript(_ userScript: WKUserScript) { userScripts.append(userScript) }
}

@MainActor open class WKWebViewConfiguration: NSObject {
  public var userContentController = WKUserContentController()
  public var schemeHandler: WKURLSchemeHandler?
}

@MainActor open class WKContentWorld: NSObject {
  public static let page = WKContentWorld()
}

/// A document that committed: what was served, and the scripts that ran before its own.
public struct Document {
  public let body: String
  public let scripts: [String]

  /// That of the last launch that was put into it.
  var token: String? {
    let before = "\"token\":\""
    guard let last = scripts.last(where: { $0.contains(before) }) else { return nil }
    return last.components(separatedBy: before).last?.components(separatedBy: "\"").first
  }
}

@MainActor open class WKWebView: UIView {
  public let configuration: WKWebViewConfiguration
  public weak var navigationDelegate: WKNavigationDelegate?
  public private(set) var document: Document?
  /// How many documents there were.
  public private(set) var commits = 0
  /// Every address that was loaded.
  public private(set) var loads: [URL] = []
  private var step = Step.idle
  private var isTellingOfCancel = false
  private var observations: [ObjectIdentifier: () -> Void] = [:]

  private enum Step {
    case idle
    case asked(URLRequest)
    case provisional(URLRequest, body: String)
    case committed
  }

  public init(configuration: WKWebViewConfiguration) {
    self.configuration = configuration
  }

  public var url: URL? { loads.last }

  /// Not yet while the delegate has not decided, as in WebKit's `PageLoadState`.
  public var isLoading: Bool {
    switch step {
    case .idle, .asked: return false
    case .provisional, .committed: return true
    }
  }

  /// A load that comes before the last one has ended cancels that one, and the delegate hears of it.
  @discardableResult open func load(_ request: URLRequest) -> WKNavigation? {
    let cancelled = URLError(.cancelled)
    loads.append(request.url!)
    let (before, wasLoading) = (step, isLoading)
    step = .asked(request)
    // A load that the delegate starts in response is not reported again.
    if !isTellingOfCancel {
      isTellingOfCancel = true
      switch before {
      case .idle: break
      case .asked, .provisional:
        navigationDelegate?.webView(
          self, didFailProvisionalNavigation: nil, withError: cancelled)
      case .committed: navigationDelegate?.webView(self, didFail: nil, withError: cancelled)
      }
      isTellingOfCancel = false
    }
    if wasLoading { tellObservers() }
    return WKNavigation()
  }

  @discardableResult open func reload() -> WKNavigation? {
    loads.last.flatMap { load(URLRequest(url: $0)) }
  }

  /// JavaScript that native code ran in documents.
  public private(set) var evaluated: [String] = []
  /// Whether what such JavaScript waits for never comes.
  public static var waitsInVain = false
  /// What is told once the document of that JavaScript is gone.
  private var unreachable: [() -> Void] = []

  public func callAsyncJavaScript(
    _ functionBody: String, arguments: [String: Any] = [:], in frame: WKFrameInfo? = nil,
    in contentWorld: WKContentWorld,
    completionHandler: ((Result<Any, Error>) -> Void)? = nil
  ) {
    evaluated.append(functionBody)
    nonisolated(unsafe) let completionHandler = completionHandler
    let fail = { completionHandler?(.failure(URLError(.unknown))) ?? () }
    if Self.waitsInVain && functionBody.contains("await ") { return unreachable.append(fail) }
    let (began, token) = (commits, document?.token ?? "")
    DispatchQueue.main.async {
      if self.commits == began, self.document != nil { completionHandler?(.success(token)) } else { fail() }
    }
  }

  // Operations of a driver.

  /// The delegate decides; then the document is asked for.
  public func decide() {
    guard case .asked(let request) = step else { return }
    let action = WKNavigationAction(request, WKFrameInfo(self, isMainFrame: true))
    navigationDelegate?.webView(self, decidePolicyFor: action) { policy in
      MainActor.assumeIsolated { self.goOn(request, policy) }
    }
  }

  private func goOn(_ request: URLRequest, _ policy: WKNavigationActionPolicy) {
    guard policy == .allow else { return end() }
    navigationDelegate?.webView(self, didStartProvisionalNavigation: nil)
    let body = configuration.schemeHandler?.body(of: request.url!) ?? ""
    step = .provisional(request, body: body)
    tellObservers()
  }

  /// The new document takes the place of the old one, and the scripts of now run in it.
  public func commit() {
    guard case .provisional(_, let body) = step else { return }
    document = Document(
      body: body, scripts: configuration.userContentController.userScripts.map(\.source))
    commits += 1
    let failing = unreachable
    unreachable = []
    for fail in failing { fail() }
    step = .committed
  }

  public func finish() {
    guard case .committed = step else { return }
    end()
  }

  /// The document cannot be had, or not all of it.
  public func fail() {
    let before = step
    end()
    let error = URLError(.resourceUnavailable)
    switch before {
    case .idle, .asked: break
    case .provisional:
      navigationDelegate?.webView(self, didFailProvisionalNavigation: nil, withError: error)
    case .committed: navigationDelegate?.webView(self, didFail: nil, withError: error)
    }
  }

  /// The document goes elsewhere, and the delegate is asked whether it may. What was asked for and not
  /// decided before is dropped: nobody hears of that.
  public func leave(_ url: URL) {
    if case .asked = step { step = .idle }
    let action = WKNavigationAction(URLRequest(url: url), WKFrameInfo(self, isMainFrame: true))
    navigationDelegate?.webView(self, decidePolicyFor: action) { policy in
      if policy == .allow { MainActor.assumeIsolated { self.goOn(action.request, policy) } }
    }
  }

  /// A navigation of another frame, which the delegate is asked about as well.
  public func navigateFrame(_ url: URL) {
    let action = WKNavigationAction(URLRequest(url: url), WKFrameInfo(self, isMainFrame: false))
    navigationDelegate?.webView(self, decidePolicyFor: action) { _ in }
  }

  /// A link to a place in the document, which the delegate is asked about too: nothing is loaded.
  public func navigateWithin(_ url: URL) {
    if case .asked = step { step = .idle }
    let frame = WKFrameInfo(self, isMainFrame: true)
    let action = WKNavigationAction(URLRequest(url: url), frame, .linkActivated)
    navigationDelegate?.webView(self, decidePolicyFor: action) { _ in }
  }

  /// The system ends the process of the page.
  public func terminate() {
    document = nil
    end()
    navigationDelegate?.webViewWebContentProcessDidTerminate(self)
  }

  private func end() {
    step = .idle
    tellObservers()
  }

  private func tellObservers() {
    for tell in observations.values { tell() }
  }
}

// Linux has no key-value observing.

public final class NSKeyValueObservation: NSObject {
  private let onInvalidate: () -> Void
  init(_ onInvalidate: @escaping () -> Void) { self.onInvalidate = onInvalidate }
  deinit { onInvalidate() }
}

public struct NSKeyValueObservedChange<Value> {}

extension WKWebView {
  nonisolated public func observe<Value>(
    _ keyPath: KeyPath<WKWebView, Value>,
    changeHandler: @escaping @Sendable (WKWebView, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    MainActor.assumeIsolated {
      let key = NSObject()
      let id = ObjectIdentifier(key)
      observations[id] = { [unowned self] in changeHandler(self, NSKeyValueObservedChange()) }
      return NSKeyValueObservation { [weak self] in
        _ = key
        MainActor.assumeIsolated { self?.observations[id] = nil }
      }
    }
  }
}
