import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Bytes that came in and were not read yet: the network waits while there are many.

#if canImport(Darwin)
  /// Bytes of one task that are held before it is made to wait.
  private let maxBytes = 1024 * 1024

  typealias BacklogQueue = OperationQueue

  /// Backlog of one task.
  final class Backlog: Sendable {
    private let task: URLSessionTask
    private let state = Locked((bytes: 0, isWaiting: false))

    init(_ task: URLSessionTask, queue: BacklogQueue) {
      self.task = task
    }

    // The task is suspended and resumed under the lock: in another order it would stay suspended.

    func add(_ count: Int) {
      state.withLock { state in
        state.bytes += count
        if state.bytes < maxBytes || state.isWaiting { return }
        state.isWaiting = true
        task.suspend()
      }
    }

    func take(_ count: Int) {
      state.withLock { state in
        state.bytes -= count
        if state.bytes >= maxBytes / 2 || !state.isWaiting { return }
        state.isWaiting = false
        task.resume()
      }
    }
  }
#else
  /// Bytes of all tasks of a session that are held before it is made to wait.
  private let maxBytes = 4 * 1024 * 1024

  /// Backlog of one task. On Linux a suspended task resumes by itself, so its delegate queue waits instead.
  final class Backlog: Sendable {
    private let queue: BacklogQueue

    init(_ task: URLSessionTask, queue: BacklogQueue) {
      self.queue = queue
    }

    func add(_ count: Int) {
      queue.change(by: count)
    }

    func take(_ count: Int) {
      queue.change(by: -count)
    }
  }

  /// Takes calls of the delegate when there is room, and makes libcurl's thread wait for it.
  ///
  /// Unchecked, as its superclass is: `changed` guards `bytes`.
  final class BacklogQueue: OperationQueue, @unchecked Sendable {
    private let changed = NSCondition()
    private var bytes = 0

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      changed.withLock {
        while bytes >= maxBytes { changed.wait() }
      }
      super.addOperation(block)
    }

    func change(by count: Int) {
      changed.withLock {
        bytes += count
        changed.broadcast()
      }
    }
  }
#endif
