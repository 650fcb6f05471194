import Foundation

/// Where Capacitor looks for a web bundle that is not in the app: by its last path component, in one
/// folder. The version that is served has its name there, as a link.
struct Snapshots {
  let folder: String

  /// Gives `target` the name, and takes away all others that were given.
  ///
  /// - Returns: The path of that name; `target` itself where the disk refuses.
  func point(_ name: String, at target: String) -> String {
    let files = FileManager.default
    let path = "\(folder)/\(name)"
    do {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for other in try files.contentsOfDirectory(atPath: folder) {
        let link = "\(folder)/\(other)"
        // The folders of other plugins are theirs.
        if (try? files.destinationOfSymbolicLink(atPath: link)) != nil {
          try files.removeItem(atPath: link)
        }
      }
      try files.createSymbolicLink(atPath: path, withDestinationPath: target)
      return path
    } catch {
      return target
    }
  }
}
