import Foundation

/// Ends what runs: asked by loops, and heard by what waits.
public final class Cancel {
  private let lock = NSLock()
  private var cancelled = false
  private var handlers: [Int: () -> Void] = [:]
  private var lastId = 0

  public init() {}

  public var isCancelled: Bool {
    lock.withLock { cancelled }
  }

  /// Cancels, once. Handlers run on this thread, before it returns.
  public func cancel() {
    let waiting = lock.withLock {
      cancelled = true
      let waiting = handlers
      handlers = [:]
      return waiting
    }
    for (_, handler) in waiting.sorted(by: { $0.key < $1.key }) { handler() }
  }

  /// Calls `handler` when this is cancelled, at once when it is already. What it answers is given to
  /// `forget` when nobody waits for it any more.
  public func onCancel(_ handler: @escaping () -> Void) -> Int {
    let id: Int? = lock.withLock {
      if cancelled { return nil }
      lastId += 1
      handlers[lastId] = handler
      return lastId
    }
    if id == nil { handler() }
    return id ?? 0
  }

  /// Forgets a handler; it may be running.
  public func forget(_ id: Int) {
    lock.withLock { _ = handlers.removeValue(forKey: id) }
  }

  public func throwIfCancelled() throws {
    if isCancelled { throw Cancelled() }
  }

  /// Runs work with a `Cancel` of its own, which any of `these` cancels too.
  public static func any<T>(_ these: [Cancel], _ work: (Cancel) throws -> T) rethrows -> T {
    let joined = Cancel()
    let ids = these.map { one in (one, one.onCancel { joined.cancel() }) }
    defer { for (one, id) in ids { one.forget(id) } }
    return try work(joined)
  }
}

/// Work was cancelled.
public struct Cancelled: Error, CustomStringConvertible {
  public var description: String { "This operation was aborted" }

  public init() {}
}
