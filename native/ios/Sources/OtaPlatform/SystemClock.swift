import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// The machine's clock.
public final class SystemClock: Clock {
  public init() {}

  public func now() -> Double {
    Date().timeIntervalSince1970 * 1000
  }

  public func monotonic() -> Double {
    // This clock stops while the device sleeps. It is not on Apple's list of APIs that require a reason.
    Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000
  }

  public func sleep(ms: Double, cancel: Cancel?) throws {
    let wakeUp = DispatchSemaphore(value: 0)
    let id = cancel?.onCancel { wakeUp.signal() }
    defer { if let id { cancel?.forget(id) } }
    // A time that is no number, or has no end, would trap.
    let bounded = ms.isFinite ? min(max(ms, 0), 2_147_483_647) : 0
    _ = wakeUp.wait(timeout: .now() + .microseconds(Int(bounded * 1000)))
    try cancel?.throwIfCancelled()
  }
}
