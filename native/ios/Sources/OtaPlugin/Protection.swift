import Foundation

/// Creates the device's root, excludes it from backups, because a restored record would bring back an old
/// sequence, and makes its files readable before the first unlock, because a push may start the app then.
/// Items that are created inside it later inherit both.
///
/// Set at every start: the system may reset the exclusion, and a failure must not keep the game from
/// starting. If the folder cannot be created, the core reports why as soon as it writes.
func protect(_ root: String) {
  let files = FileManager.default
  var url = URL(fileURLWithPath: root, isDirectory: true)
  try? files.createDirectory(at: url, withIntermediateDirectories: true)
  #if canImport(Darwin)
    let protection: [FileAttributeKey: FileProtectionType] = [.protectionKey: .none]
    try? files.setAttributes(protection, ofItemAtPath: root)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    try? url.setResourceValues(values)
  #endif
}
