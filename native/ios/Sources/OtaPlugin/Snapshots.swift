import Foundation

/// Folder in which Capacitor looks for a web bundle that is not in the app, by its last path component. A
/// version that is served has its name there, as a link.
@MainActor
final class Snapshots {
  private let folder: String
  /// Names that this process gave: a page may still be served by one.
  private var issued: Set<String> = []

  init(folder: String) {
    self.folder = folder
  }

  /// Gives `target` the name, and takes away those that other processes gave.
  ///
  /// - Returns: The path of that name; `target` itself where the disk refuses.
  func point(_ name: String, at target: String) -> String {
    let files = FileManager.default
    let path = "\(folder)/\(name)"
    if issued.contains(name) { return path }
    do {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for other in try files.contentsOfDirectory(atPath: folder) where !issued.contains(other) {
        let link = "\(folder)/\(other)"
        // The folders of other plugins are theirs.
        if (try? files.destinationOfSymbolicLink(atPath: link)) != nil {
          try files.removeItem(atPath: link)
        }
      }
      try files.createSymbolicLink(atPath: path, withDestinationPath: target)
      issued.insert(name)
      return path
    } catch {
      return target
    }
  }
}
