import Foundation

/// A value that several threads share, accessed by one at a time.
///
/// Unchecked, because the compiler cannot know that the lock guards the value. `Synchronization.Mutex`,
/// which it does know, requires iOS 18.
public final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  public init(_ value: Value) {
    self.value = value
  }

  /// Reads or changes the value. Must not be called from inside itself.
  public func withLock<T>(_ work: (inout Value) throws -> T) rethrows -> T {
    lock.lock()
    defer { lock.unlock() }
    return try work(&value)
  }
}
