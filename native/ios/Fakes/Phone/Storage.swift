import Foundation

// Attributes of a file on iOS: its protection class, and whether it is in backups. Each belongs to the
// item, not to its path.

/// The attributes of all items that were set, by inode.
final class Storage: Sendable {
  static let all = Storage()

  private struct State {
    var protection: [UInt64: FileProtectionType] = [:]
    var excluded: Set<UInt64> = []
    var isRefusing = false
  }

  private let state = Locked(State())

  /// Refuses changes, as a phone before its first unlock or a failing disk does.
  func refuse(_ isRefusing: Bool) {
    state.withLock { $0.isRefusing = isRefusing }
  }

  /// Sets the class of an item. What is in a folder already keeps its own; what is created there later
  /// inherits the folder's.
  func setProtection(_ protection: FileProtectionType, _ path: String) throws {
    let item = try inode(path)
    let inside = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    let known = inside.compactMap { name in try? (inode("\(path)/\(name)"), protectionOf("\(path)/\(name)")) }
    try state.withLock { state in
      if state.isRefusing { throw CocoaError(.fileWriteNoPermission) }
      for (inner, own) in known { state.protection[inner] = own }
      state.protection[item] = protection
    }
  }

  /// The class of an item: its own, or the one of the folder that it was created in.
  func protectionOf(_ path: String) throws -> FileProtectionType {
    let item = try inode(path)
    if let own = state.withLock({ $0.protection[item] }) { return own }
    let parent = (path as NSString).deletingLastPathComponent
    return path == Phone.home ? .completeUntilFirstUserAuthentication : try protectionOf(parent)
  }

  /// Excludes an item from backups, and with a folder all that is in it. Fails for an item that is missing.
  func setExcluded(_ isExcluded: Bool, _ path: String) throws {
    let item = try inode(path)
    try state.withLock { state in
      if state.isRefusing { throw CocoaError(.fileWriteNoPermission) }
      if isExcluded { state.excluded.insert(item) } else { state.excluded.remove(item) }
    }
  }

  /// Whether an item is in no backup, by itself or by a folder around it.
  func isExcluded(_ path: String) throws -> Bool {
    let item = try inode(path)
    if state.withLock({ $0.excluded.contains(item) }) { return true }
    return path == Phone.home ? false : try isExcluded((path as NSString).deletingLastPathComponent)
  }

  private func inode(_ path: String) throws -> UInt64 {
    var found = stat()
    guard lstat(path, &found) == 0 else { throw CocoaError(.fileNoSuchFile) }
    return UInt64(found.st_ino)
  }
}

extension FileManager {
  func setAttributes(
    _ attributes: [FileAttributeKey: FileProtectionType], ofItemAtPath path: String
  ) throws {
    if let protection = attributes[.protectionKey] { try Storage.all.setProtection(protection, path) }
  }
}

extension URL {
  mutating func setResourceValues(_ values: URLResourceValues) throws {
    if let isExcluded = values.isExcludedFromBackup { try Storage.all.setExcluded(isExcluded, path) }
  }
}
