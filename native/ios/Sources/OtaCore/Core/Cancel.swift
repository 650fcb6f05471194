import Foundation

/// Ends what runs: asked by loops, and heard by what waits.
public final class Cancel: Sendable {
  private struct State {
    var isCancelled = false
    var handlers: [Int: @Sendable () -> Void] = [:]
    var lastId = 0
  }

  private let state = Locked(State())

  public init() {}

  public var isCancelled: Bool {
    state.withLock(\.isCancelled)
  }

  /// Cancels, once. Handlers run on this thread, before it returns.
  ///
  /// - Returns: Whether this call did: not when it was cancelled before.
  @discardableResult
  public func cancel() -> Bool {
    let waiting = state.withLock { state -> [Int: @Sendable () -> Void]? in
      if state.isCancelled { return nil }
      state.isCancelled = true
      defer { state.handlers = [:] }
      return state.handlers
    }
    for (_, handler) in (waiting ?? [:]).sorted(by: { $0.key < $1.key }) { handler() }
    return waiting != nil
  }

  /// Calls `handler` when this is cancelled, at once when it is already. What it answers is given to
  /// `forget` when the caller no longer waits.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Int {
    let id: Int? = state.withLock { state in
      if state.isCancelled { return nil }
      state.lastId += 1
      state.handlers[state.lastId] = handler
      return state.lastId
    }
    if id == nil { handler() }
    return id ?? 0
  }

  /// Forgets a handler; it may be running.
  public func forget(_ id: Int) {
    state.withLock { _ = $0.handlers.removeValue(forKey: id) }
  }

  public func throwIfCancelled() throws {
    if isCancelled { throw Cancelled() }
  }

  /// Runs work with a `Cancel` of its own, which any of `these` cancels too.
  public static func any<T>(_ these: [Cancel], work: (Cancel) throws -> T) rethrows -> T {
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
