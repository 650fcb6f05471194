/// HTTP.
public protocol Http: AnyObject, Sendable {
  /// Sends a GET request and waits for status and headers. Nothing is cached, no cookie is kept.
  /// Redirects are followed, and `url` is where they led. A redirect from https to http is not followed, but
  /// `url` names it, too. What the server coded is decoded, where the system does so even for a request
  /// with `accept-encoding: identity`.
  ///
  /// - Throws: `TimeoutError` when nothing came within `timeoutMs`, `Cancelled`, or `FetchError`.
  func open(_ url: String, headers: [String: String], timeoutMs: Int, cancel: Cancel) throws
    -> HttpResponse
}

/// An answer whose body is read by one thread.
public protocol HttpResponse: AnyObject {
  var status: Int { get }
  /// Address of the answer, redirects followed.
  var url: String { get }
  /// A header, whatever its case; several of one name are joined by `, `.
  func header(_ name: String) -> String?
  /// The next piece of the body, never empty; `nil` at its end.
  ///
  /// - Throws: `TimeoutError` when nothing came within `timeoutMs`, `Cancelled`, or `FetchError`.
  func read(timeoutMs: Int) throws -> [UInt8]?
  /// Gives the connection up; who reads calls it, also after the end, and once is enough.
  func close()
}

/// A request that got no answer, or whose answer broke off.
public struct FetchError: Error, CustomStringConvertible {
  public let message: String
  public var description: String { message }

  public init(_ message: String) {
    self.message = message
  }
}

/// An operation timed out. The caller knows which one.
public struct TimeoutError: Error, CustomStringConvertible {
  public let timeoutMs: Int
  public var description: String { "took more than \(timeoutMs) ms" }

  public init(timeoutMs: Int) {
    self.timeoutMs = timeoutMs
  }
}
