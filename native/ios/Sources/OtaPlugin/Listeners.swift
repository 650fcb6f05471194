import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// The bridges that are told of progress: each window has one.
final class Listeners: @unchecked Sendable {
  private let lock = NSLock()
  private var listeners: [Weak] = []

  func add(_ plugin: OtaPlugin) {
    lock.withLock {
      listeners.removeAll { $0.plugin == nil }
      listeners.append(Weak(plugin))
    }
  }

  /// Called by the threads of a staging.
  func tell(_ progress: JsonValue) {
    for plugin in lock.withLock({ listeners.compactMap(\.plugin) }) { plugin.tell(progress) }
  }

  private struct Weak {
    weak var plugin: OtaPlugin?
    init(_ plugin: OtaPlugin) { self.plugin = plugin }
  }
}
