@_exported import Foundation

#if canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif

public typealias PluginCallResultData = [String: Any]
public let CAPPluginReturnPromise = "promise"

open class WKNavigation: NSObject {}

open class WKWebView: NSObject {
  @discardableResult open func load(_ request: URLRequest) -> WKNavigation? { fatalError() }
}

open class CAPPluginMethod: NSObject {
  public init(name: String!, returnType: String!) {}
}

public protocol CAPBridgedPlugin {
  var identifier: String { get }
  var jsName: String { get }
  var pluginMethods: [CAPPluginMethod] { get }
}

open class CAPPluginCall: NSObject {
  open var options: [AnyHashable: Any]!
  public func resolve() {}
  public func resolve(_ data: PluginCallResultData = [:]) {}
  public func reject(
    _ message: String, _ code: String? = nil, _ error: Error? = nil,
    _ data: PluginCallResultData? = nil
  ) {}
}

public class PluginConfig: NSObject {
  public func getBoolean(_ configKey: String, _ defaultValue: Bool) -> Bool {
    fatalError()
  }

  public func getString(_ configKey: String, _ defaultValue: String? = nil) -> String? {
    fatalError()
  }
}

open class InstanceConfiguration: NSObject {
  open var localURL: URL { fatalError() }
  open var serverURL: URL { fatalError() }
  public var appStartServerURL: URL { fatalError() }
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
  open func load() {}
  open func getConfig() -> PluginConfig { fatalError() }
  open func notifyListeners(_ eventName: String, data: [String: Any]?) {}
}

public class KeyValueStore {
  public static let standard = KeyValueStore()
  public func `delete`(_ key: String) throws {}
}
