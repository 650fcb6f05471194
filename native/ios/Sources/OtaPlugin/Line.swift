import Foundation
import Network

/// The line that a phone is on, and whether the app lets updates use it.
///
/// Unchecked: the system updates `currentPath`, which any thread may read.
final class Line: @unchecked Sendable {
  private let monitor: NWPathMonitor?

  init(refusesMetered: Bool) {
    monitor = refusesMetered ? NWPathMonitor() : nil
    monitor?.start(queue: DispatchQueue(label: "dev.slipway.ota.line"))
  }

  /// Reason why nothing may be downloaded now; `nil` when it may.
  var refusal: String? {
    guard let path = monitor?.currentPath, path.isExpensive || path.isConstrained else { return nil }
    return "Cannot download: the line is metered, expected one that is not "
      + "(plugins.SlipwayOta.metered is \"refuse\")"
  }
}
