import Foundation

#if !COCOAPODS
  import OtaCore
#endif

/// Whether a person sees the app. Downloads wait while nobody does.
enum Foreground {
  private static let condition = NSCondition()
  private static var isShown = true

  static func set(_ shown: Bool) {
    condition.lock()
    isShown = shown
    condition.broadcast()
    condition.unlock()
  }

  /// Returns once the app is seen; throws `Cancelled` as soon as it is cancelled.
  static func wait(_ cancel: Cancel) throws {
    let watch = cancel.onCancel {
      condition.lock()
      condition.broadcast()
      condition.unlock()
    }
    defer { cancel.forget(watch) }
    condition.lock()
    while !isShown && !cancel.isCancelled { condition.wait() }
    condition.unlock()
    try cancel.throwIfCancelled()
  }
}
