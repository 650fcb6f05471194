import Foundation

/// Runs `work` on every item, at most `limit` at a time, in order of start. The first failure stops new
/// work from starting; it is thrown once what runs has ended, so nothing is left behind.
func forEachParallel<T>(_ items: [T], _ limit: Int, _ work: @escaping (T) throws -> Void) throws {
  let queue = ParallelQueue(items.count)
  let worker = {
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

/// Which item is next, and what failed first.
private final class ParallelQueue {
  private let lock = NSLock()
  private let count: Int
  private var next = 0
  private var failed: Error?

  init(_ count: Int) {
    self.count = count
  }

  var failure: Error? {
    lock.withLock { failed }
  }

  func take() -> Int? {
    lock.withLock {
      guard failed == nil, next < count else { return nil }
      defer { next += 1 }
      return next
    }
  }

  func fail(_ error: Error) {
    lock.withLock { failed = failed ?? error }
  }
}

/// Runs `work` on a thread of its own: it may wait, and the system's pool has few threads.
func startThread(_ work: @escaping () -> Void) {
  let thread = Thread(block: { work() })
  thread.stackSize = 1024 * 1024
  thread.start()
}
