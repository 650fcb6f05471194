import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// The bridges that receive progress events, one for each window.
final class Listeners: Sendable {
  private let listeners = Locked<[Weak]>([])

  func add(_ plugin: OtaPlugin) {
    listeners.withLock { listeners in
      listeners.removeAll { $0.plugin == nil }
      listeners.append(Weak(plugin))
    }
  }

  /// Called by the threads of a staging.
  func notify(_ progress: JsonValue) {
    for plugin in listeners.withLock({ $0.compactMap(\.plugin) }) { plugin.notify(progress) }
  }

  private struct Weak {
    weak var plugin: OtaPlugin?
    init(_ plugin: OtaPlugin) { self.plugin = plugin }
  }
}
