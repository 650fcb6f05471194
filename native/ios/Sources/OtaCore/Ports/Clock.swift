/// Time, injected so that no test waits for it.
public protocol Clock: AnyObject, Sendable {
  /// Milliseconds since the epoch: for records, never for measuring.
  func now() -> Double
  /// Milliseconds of a clock that never goes back.
  func monotonic() -> Double
  /// Returns after `ms`; throws `Cancelled` as soon as `cancel` is.
  func sleep(ms: Double, cancel: Cancel?) throws
}
