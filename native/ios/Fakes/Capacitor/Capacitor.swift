@_exported import WebKit

// The parts of Capacitor's public face that the plugin calls.

public typealias PluginCallResultData = [String: Any]
public let CAPPluginReturnPromise = "promise"

extension Notification.Name {
  public static let capacitorDecidePolicyForNavigationAction = Notification.Name(
    "CapacitorDecidePolicyForNavigationActionNotification")
}

open class CAPPluginMethod: NSObject {
  public let name: String
  public init(name: String!, returnType: String!) { self.name = name }
}

public protocol CAPBridgedPlugin {
  var identifier: String { get }
  var jsName: String { get }
  var pluginMethods: [CAPPluginMethod] { get }
}

/// How a call ended.
public enum CallAnswer {
  case resolved([String: Any])
  case rejected(message: String, code: String?)
}

open class CAPPluginCall: NSObject {
  open var options: [AnyHashable: Any]!
  private let answer: (CallAnswer) -> Void

  public init(_ options: [AnyHashable: Any], _ answer: @escaping (CallAnswer) -> Void) {
    self.options = options
    self.answer = answer
  }

  public func resolve() { answer(.resolved([:])) }
  public func resolve(_ data: PluginCallResultData = [:]) { answer(.resolved(data)) }
  public func reject(
    _ message: String, _ code: String? = nil, _ error: Error? = nil,
    _ data: PluginCallResultData? = nil
  ) {
    answer(.rejected(message: message, code: code))
  }
}

public class PluginConfig: NSObject {
  public static nonisolated(unsafe) var values: [String: Any] = [:]

  public func getBoolean(_ configKey: String, _ defaultValue: Bool) -> Bool {
    Self.values[configKey] as? Bool ?? defaultValue
  }

  public func getString(_ configKey: String, _ defaultValue: String? = nil) -> String? {
    Self.values[configKey] as? String ?? defaultValue
  }
}

open class InstanceConfiguration: NSObject {
  public let serverURL: URL
  public let localURL = URL(string: "capacitor://localhost")!
  public let errorPathURL: URL?
  public var appStartServerURL: URL { serverURL }

  public init(serverURL: URL?, errorPathURL: URL?) {
    self.serverURL = serverURL ?? localURL
    self.errorPathURL = errorPathURL
  }
}

public protocol CAPBridgeProtocol: NSObjectProtocol {
  var config: InstanceConfiguration { get }
  var webView: WKWebView? { get }
  func plugin(withName: String) -> CAPPlugin?
  func eval(js: String)
  func setServerBasePath(_ path: String)
}

open class CAPPlugin: NSObject {
  open weak var bridge: CAPBridgeProtocol?
  /// Every event, and whether the main thread told it.
  public private(set) var events: [(name: String, data: [String: Any], isOnMain: Bool)] = []

  override public init() {}
  open func load() {}
  open func getConfig() -> PluginConfig { PluginConfig() }
  open func notifyListeners(_ eventName: String, data: [String: Any]?) {
    events.append((eventName, data ?? [:], Thread.isMainThread))
  }
}

public class KeyValueStore {
  public static nonisolated(unsafe) let standard = KeyValueStore()
  public private(set) var deleted: [String] = []
  public func `delete`(_ key: String) throws { deleted.append(key) }
}
