import Foundation

/// Runs `work` on every item, at most `limit` at a time, in order of start. The first failure stops new
/// work from starting; it is thrown once what runs has ended, so nothing is left behind.
func forEachParallel<T: Sendable>(_ items: [T], limit: Int, work: @escaping @Sendable (T) throws -> Void)
  throws
{
  let queue = ParallelQueue(items.count)
  let worker = { @Sendable in
    while let index = queue.take() {
      do {
        try work(items[index])
      } catch {
        queue.fail(error)
      }
    }
  }
  let others = DispatchGroup()
  for _ in 1..<max(min(limit, items.count), 1) {
    others.enter()
    startThread {
      worker()
      others.leave()
    }
  }
  worker()
  others.wait()
  if let failure = queue.failure { throw failure }
}

/// Next item, and the first failure.
private final class ParallelQueue: Sendable {
  private let count: Int
  private let state = Locked((next: 0, failure: Error?.none))

  init(_ count: Int) {
    self.count = count
  }

  var failure: Error? {
    state.withLock(\.failure)
  }

  func take() -> Int? {
    state.withLock { state in
      guard state.failure == nil, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  func fail(_ error: Error) {
    state.withLock { $0.failure = $0.failure ?? error }
  }
}

/// Runs `work` on a thread of its own: it may wait, and the system's pool has few threads.
func startThread(_ work: @escaping @Sendable () -> Void) {
  let thread = Thread(block: { work() })
  thread.stackSize = 1024 * 1024
  thread.start()
}
