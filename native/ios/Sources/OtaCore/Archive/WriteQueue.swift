import Foundation

/// Files that are written at once: each waits for the disk most of its time.
private let concurrency = 8
/// Bytes that wait to be written.
private let waitingBytes = 8 * 1024 * 1024

/// Runs the writes of small files side by side, while the next ones are unpacked.
///
/// Unchecked, because the compiler cannot know that `changed` guards what follows it.
final class WriteQueue: @unchecked Sendable {
  private let changed = NSCondition()
  private var waiting: [() -> Void] = []
  private var threads = 0
  private var idle = 0
  private var running = 0
  private var runningBytes = 0
  private var failure: Error?
  private var hasEnded = false

  /// Starts a write as soon as there is room. Throws what an earlier one failed with.
  ///
  /// - Parameter bytes: How much it holds in memory until it has ended.
  func start(_ bytes: Int, write: @escaping @Sendable () throws -> Void) throws {
    try changed.withLock {
      while isFull(bytes) { changed.wait() }
      if let failure { throw failure }
      running += 1
      runningBytes += bytes
      waiting.append { [self] in
        let outcome = Result { try write() }
        changed.withLock { ended(bytes, outcome: outcome) }
      }
      if idle < waiting.count && threads < concurrency {
        threads += 1
        startThread { self.work() }
      }
      changed.broadcast()
    }
  }

  /// Waits for all that were started. Throws what the first of them failed with.
  func settle() throws {
    try changed.withLock {
      while running > 0 { changed.wait() }
      if let failure { throw failure }
    }
  }

  /// Lets the threads go. What was started was settled before.
  func end() {
    changed.withLock {
      hasEnded = true
      changed.broadcast()
    }
  }

  private func isFull(_ bytes: Int) -> Bool {
    running >= concurrency || (runningBytes > 0 && runningBytes + bytes > waitingBytes)
  }

  private func ended(_ bytes: Int, outcome: Result<Void, Error>) {
    running -= 1
    runningBytes -= bytes
    if case .failure(let error) = outcome { failure = failure ?? error }
    changed.broadcast()
  }

  private func work() {
    while let write = next() { write() }
  }

  private func next() -> (() -> Void)? {
    changed.withLock {
      idle += 1
      defer { idle -= 1 }
      while waiting.isEmpty && !hasEnded { changed.wait() }
      return waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }
}
