import Foundation
import OtaCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP by `URLSession`: bodies are decoded as it decodes them, bytes come as they are read.
public final class UrlSessionHttp: Http {
  private let exchanges = Exchanges()
  private let session: URLSession

  /// - Parameter allowsMetered: Whether lines that cost, or that the user wants spared, may be used.
  public init(allowsMetered: Bool = true) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpMaximumConnectionsPerHost = 8
    // Deadlines are the caller's, piece by piece.
    configuration.timeoutIntervalForRequest = 24 * 60 * 60
    #if canImport(Darwin)
      configuration.allowsExpensiveNetworkAccess = allowsMetered
      configuration.allowsConstrainedNetworkAccess = allowsMetered
    #endif
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  deinit {
    session.invalidateAndCancel()
  }

  public func open(_ url: String, headers: [String: String], timeoutMs: Int, cancel: Cancel) throws
    -> HttpResponse
  {
    try cancel.throwIfCancelled()
    guard let parsed = URL(string: url) else { throw FetchError("\(url) is no address") }
    var request = URLRequest(url: parsed)
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let exchange = Exchange(session.dataTask(with: request), cancel)
    exchanges.add(exchange)
    do {
      try exchange.begin(timeoutMs: timeoutMs)
    } catch {
      exchange.close()
      throw error
    }
    return exchange
  }
}

/// Bytes that are held before the connection is made to wait.
private let mostHeldBytes = 1024 * 1024

/// One request and its answer.
private final class Exchange: HttpResponse {
  let task: URLSessionDataTask
  private let cancel: Cancel
  private var onCancel = 0
  private let lock = NSLock()
  private let changed = DispatchSemaphore(value: 0)
  // What the session's thread brings, and the reader takes.
  private var head: HTTPURLResponse?
  private var held: [Data] = []
  private var heldBytes = 0
  private var isWaiting = false
  private var end: Error?
  private var hasEnded = false
  /// Where a redirect that was not followed leads.
  private var refusedUrl: String?

  init(_ task: URLSessionDataTask, _ cancel: Cancel) {
    self.task = task
    self.cancel = cancel
  }

  var status: Int { lock.withLock { head?.statusCode ?? 0 } }

  var url: String { lock.withLock { refusedUrl ?? head?.url?.absoluteString ?? "" } }

  func header(_ name: String) -> String? {
    lock.withLock { head?.value(forHTTPHeaderField: name) }
  }

  /// Sends the request, and waits for status and headers.
  func begin(timeoutMs: Int) throws {
    onCancel = cancel.onCancel { [weak self] in
      self?.task.cancel()
      self?.changed.signal()
    }
    task.resume()
    try wait(timeoutMs) { head != nil }
  }

  func read(timeoutMs: Int) throws -> [UInt8]? {
    try wait(timeoutMs) { !held.isEmpty }
    let (piece, isRoom) = lock.withLock { () -> (Data?, Bool) in
      guard !held.isEmpty else { return (nil, false) }
      let piece = held.removeFirst()
      heldBytes -= piece.count
      let isRoom = isWaiting && heldBytes < mostHeldBytes / 2
      if isRoom { isWaiting = false }
      return (piece, isRoom)
    }
    if isRoom { task.resume() }
    return piece.map { [UInt8]($0) }
  }

  func close() {
    cancel.forget(onCancel)
    task.cancel()
  }

  /// Waits until what is waited for is there, or the answer has ended.
  private func wait(_ timeoutMs: Int, until isThere: () -> Bool) throws {
    let deadline = DispatchTime.now() + .milliseconds(timeoutMs)
    while true {
      try cancel.throwIfCancelled()
      let isDone = try lock.withLock { () -> Bool in
        if isThere() { return true }
        if let end { throw FetchError(end.localizedDescription) }
        return hasEnded
      }
      if isDone { return }
      if changed.wait(timeout: deadline) == .timedOut { throw TimeoutError(timeoutMs: timeoutMs) }
    }
  }

  // Called by the session's thread.

  func begin(_ response: URLResponse) {
    lock.withLock { head = response as? HTTPURLResponse }
    changed.signal()
  }

  func take(_ data: Data) {
    if data.isEmpty { return }
    let isFull = lock.withLock { () -> Bool in
      held.append(data)
      heldBytes += data.count
      guard heldBytes >= mostHeldBytes, !isWaiting else { return false }
      isWaiting = true
      return true
    }
    if isFull { task.suspend() }
    changed.signal()
  }

  func finish(_ error: Error?) {
    lock.withLock {
      end = error
      hasEnded = true
    }
    changed.signal()
  }

  /// Whether a redirect is followed: never from https to http, whose answer anybody may have written.
  func mayGo(to next: URL?) -> Bool {
    guard task.originalRequest?.url?.scheme == "https", next?.scheme != "https" else { return true }
    lock.withLock { refusedUrl = next?.absoluteString }
    return false
  }
}

/// Hands on what the session brings.
private final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var running: [Int: Exchange] = [:]

  func add(_ exchange: Exchange) {
    lock.withLock { running[exchange.task.taskIdentifier] = exchange }
  }

  private func of(_ task: URLSessionTask) -> Exchange? {
    lock.withLock { running[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    of(dataTask)?.begin(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    of(dataTask)?.take(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    let exchange = lock.withLock { running.removeValue(forKey: task.taskIdentifier) }
    exchange?.finish(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(of(task)?.mayGo(to: request.url) == true ? request : nil)
  }
}
