import Foundation

/// Runs work one after another, in the order in which it was asked for. A serial queue raises the
/// priority of running work to that of the work that waits for it, so that work in the background does not
/// delay a launch.
final class Turns: Sendable {
  private let queue: DispatchQueue

  init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  /// Runs `work` on the caller's thread when all that was asked for before has ended. What it throws is
  /// its caller's alone. Not to be called inside itself.
  func take<T>(_ work: () throws -> T) rethrows -> T {
    try queue.sync(execute: work)
  }

  /// As `take`, without waiting.
  func begin(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: DispatchWorkItem { work() })
  }
}
