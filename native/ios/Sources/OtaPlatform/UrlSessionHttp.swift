import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP by `URLSession`: bodies are decoded as it decodes them, bytes come as they are read.
public final class UrlSessionHttp: Http {
  private let exchanges = Exchanges()
  private let queue = BacklogQueue()
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
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
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
    let task = session.dataTask(with: request)
    let exchange = Exchange(task, Backlog(task, queue), cancel)
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

/// One request and its answer.
private final class Exchange: HttpResponse {
  let task: URLSessionDataTask
  private let backlog: Backlog
  private let cancel: Cancel
  private var onCancel = 0
  private let lock = NSLock()
  private let changed = DispatchSemaphore(value: 0)
  // What the session's thread brings, and the reader takes.
  private var head: HTTPURLResponse?
  private var held: [Data] = []
  private var isClosed = false
  private var end: Error?
  private var hasEnded = false
  /// Where a redirect that was not followed leads.
  private var refusedUrl: String?

  init(_ task: URLSessionDataTask, _ backlog: Backlog, _ cancel: Cancel) {
    self.task = task
    self.backlog = backlog
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
    let piece = lock.withLock { held.isEmpty ? nil : held.removeFirst() }
    if let piece { backlog.take(piece.count) }
    return piece.map { [UInt8]($0) }
  }

  func close() {
    cancel.forget(onCancel)
    let unread = lock.withLock {
      defer { held = [] }
      isClosed = true
      return held.reduce(0) { $0 + $1.count }
    }
    backlog.take(unread)  // before the task is: what is told of that waits for room
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
    let isRead = lock.withLock {
      if !isClosed { held.append(data) }
      return !isClosed
    }
    if isRead { backlog.add(data.count) }
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
