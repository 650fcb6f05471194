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
    let exchange = Exchange(task, backlog: Backlog(task, queue: queue), cancel: cancel)
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
private final class Exchange: HttpResponse, Sendable {
  let task: URLSessionDataTask
  private let backlog: Backlog
  private let cancel: Cancel
  private let changed = DispatchSemaphore(value: 0)
  private let state = Locked(State())

  /// State that the session's thread writes and the reader reads.
  private struct State {
    var head: HTTPURLResponse?
    var held: [Data] = []
    var isClosed = false
    var end: Error?
    var hasEnded = false
    /// Address of a redirect that was not followed.
    var refusedUrl: String?
    /// The handler of the reader's `Cancel`.
    var onCancel: Int?
  }

  init(_ task: URLSessionDataTask, backlog: Backlog, cancel: Cancel) {
    self.task = task
    self.backlog = backlog
    self.cancel = cancel
  }

  var status: Int { state.withLock { $0.head?.statusCode ?? 0 } }

  var url: String { state.withLock { $0.refusedUrl ?? $0.head?.url?.absoluteString ?? "" } }

  func header(_ name: String) -> String? {
    state.withLock { $0.head?.value(forHTTPHeaderField: name) }
  }

  /// Sends the request, and waits for status and headers.
  func begin(timeoutMs: Int) throws {
    let onCancel = cancel.onCancel { [weak self] in
      self?.task.cancel()
      self?.changed.signal()
    }
    state.withLock { $0.onCancel = onCancel }
    task.resume()
    try wait(timeoutMs: timeoutMs) { $0.head != nil }
  }

  func read(timeoutMs: Int) throws -> [UInt8]? {
    try wait(timeoutMs: timeoutMs) { !$0.held.isEmpty }
    let piece = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
    if let piece { backlog.take(piece.count) }
    return piece.map { [UInt8]($0) }
  }

  func close() {
    let (onCancel, unread) = state.withLock { state in
      defer { state.held = [] }
      state.isClosed = true
      return (state.onCancel, state.held.reduce(0) { $0 + $1.count })
    }
    if let onCancel { cancel.forget(onCancel) }
    backlog.take(unread)  // before the task is cancelled: its last call waits for room
    task.cancel()
  }

  /// Waits until the condition holds or the response has ended.
  private func wait(timeoutMs: Int, until isMet: (State) -> Bool) throws {
    let deadline = DispatchTime.now() + .milliseconds(timeoutMs)
    while true {
      try cancel.throwIfCancelled()
      let isDone = try state.withLock { state in
        if isMet(state) { return true }
        if let end = state.end { throw FetchError(end.localizedDescription) }
        return state.hasEnded
      }
      if isDone { return }
      if changed.wait(timeout: deadline) == .timedOut { throw TimeoutError(timeoutMs: timeoutMs) }
    }
  }

  // Called by the session's thread.

  func begin(_ response: URLResponse) {
    state.withLock { $0.head = response as? HTTPURLResponse }
    changed.signal()
  }

  func take(_ data: Data) {
    if data.isEmpty { return }
    let isRead = state.withLock { state in
      if !state.isClosed { state.held.append(data) }
      return !state.isClosed
    }
    if isRead { backlog.add(data.count) }
    changed.signal()
  }

  func finish(_ error: Error?) {
    state.withLock { state in
      state.end = error
      state.hasEnded = true
    }
    changed.signal()
  }

  /// Whether a redirect is followed: never from https to http, whose answer anybody may have written.
  func allowsRedirect(to next: URL?) -> Bool {
    guard task.originalRequest?.url?.scheme == "https", next?.scheme != "https" else { return true }
    state.withLock { $0.refusedUrl = next?.absoluteString }
    return false
  }
}

/// Hands on what the session brings.
private final class Exchanges: NSObject, URLSessionDataDelegate {
  private let running = Locked<[Int: Exchange]>([:])

  func add(_ exchange: Exchange) {
    running.withLock { $0[exchange.task.taskIdentifier] = exchange }
  }

  private func of(_ task: URLSessionTask) -> Exchange? {
    running.withLock { $0[task.taskIdentifier] }
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
    let exchange = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    exchange?.finish(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(of(task)?.allowsRedirect(to: request.url) == true ? request : nil)
  }
}
