import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// Whether the app is visible. Downloads wait until it is.
enum Foreground {
  /// Guards `shown`, which the compiler cannot know.
  private static let condition = NSCondition()
  private static nonisolated(unsafe) var shown = true

  static var isShown: Bool { condition.withLock { shown } }

  static func set(_ isShown: Bool) {
    condition.withLock {
      shown = isShown
      condition.broadcast()
    }
  }

  /// Returns once the app is seen; throws `Cancelled` as soon as it is cancelled.
  static func wait(_ cancel: Cancel) throws {
    let watch = cancel.onCancel {
      condition.withLock { condition.broadcast() }
    }
    defer { cancel.forget(watch) }
    condition.lock()
    while !shown && !cancel.isCancelled { condition.wait() }
    condition.unlock()
    try cancel.throwIfCancelled()
  }
}
