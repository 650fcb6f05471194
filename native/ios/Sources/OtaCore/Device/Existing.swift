import Foundation

// A folder on disk with the name of a version that is to be staged (DEV-7).

/// Files that are read at once.
private let concurrency = 6

/// The dependencies of looking at what is staged already.
protocol ExistingDependencies: Sendable {
  var files: Files { get }
  var hashing: Hashing { get }
  var root: String { get }
  /// Whether the version is active, pending or served by the recorded launch, by now.
  var isInUse: @Sendable () throws -> Bool { get }
  /// Does what changes names that others look at, while no other process does (DEV-25).
  var alone: @Sendable (() throws -> Void) throws -> Void { get }
}

/// Looks at what lies under the version's name. A whole folder is kept; a damaged one is moved
/// aside, unless the device may still boot it.
///
/// - Returns: Whether the version is staged already.
func checkExisting(_ dependencies: ExistingDependencies, manifest: Manifest, text: String) throws
  -> Bool
{
  let (files, root) = (dependencies.files, dependencies.root)
  let (name, version) = (manifest.name, manifest.version)
  let folder = versionFolder(root, name: name, version: version)
  if try files.stat(folder) == nil { return false }
  if try isComplete(dependencies, manifest: manifest, text: text, folder: folder) { return true }
  try dependencies.alone {  // it may have been activated while it was read
    if try dependencies.isInUse() {
      throw StageError(.damaged, message: "\(name) \(version) is damaged on the device, and in use")
    }
    try files.remove(markPath(root, name: name, version: version))
    try files.makeDirectory(trashFolder(root))
    try files.rename(folder, to: "\(trashFolder(root))/\(name)@\(version).\(randomId())")
  }
  return false
}

/// Whether mark and files of the version are right, and can be read back (DEV-72).
private func isComplete(
  _ dependencies: ExistingDependencies, manifest: Manifest, text: String, folder: String
) throws -> Bool {
  do {
    return try isMarked(dependencies, manifest: manifest, text: text)
      && isIntact(dependencies, manifest: manifest, folder: folder)
  } catch  where isUnreadable(error) {
    return false
  }
}

/// Whether the version's mark holds that manifest.
private func isMarked(_ dependencies: ExistingDependencies, manifest: Manifest, text: String)
  throws -> Bool
{
  let path = markPath(dependencies.root, name: manifest.name, version: manifest.version)
  guard let stat = try dependencies.files.stat(path), stat.size <= Limits.manifestBytes else {
    return false  // too long is damaged too
  }
  let mark = try dependencies.files.read(path, maxBytes: stat.size)
  return mark.map { $0.elementsEqual(text.utf8) } ?? false
}

private func isIntact(_ dependencies: ExistingDependencies, manifest: Manifest, folder: String)
  throws -> Bool
{
  let found = try listFiles(dependencies.files, folder: folder, prefix: "")
  if found.count != manifest.files.count { return false }
  let isDamaged = Locked(false)
  try forEachParallel(found, limit: concurrency) { file in
    if isDamaged.withLock(\.self) { return }
    guard file.isPlain, let expected = manifest.files[file.path],
      try isContent(
        dependencies.files, hashing: dependencies.hashing, path: "\(folder)/\(file.path)", content: expected)
    else { return isDamaged.withLock { $0 = true } }
  }
  return !isDamaged.withLock(\.self)
}

/// Whether a file is there and holds a content. Throws what the disk refuses, and `Cancelled`.
func isContent(
  _ files: Files, hashing: Hashing, path: String, content: ContentRef, cancel: Cancel? = nil
) throws -> Bool {
  do {
    guard let body = try openBody(files, path: path, size: content.size) else { return false }
    try cancel?.throwIfCancelled()
    try drain(verified(body, expected: NamedContent(content, label: path), by: hashing), cancel: cancel)
    return true
  } catch is StageError {
    return false
  } catch let error as FileError where error.code == .tooLarge {
    return false
  }
}

/// An entry of a version's folder that is not a directory.
struct FoundFile: Sendable {
  let path: String
  /// A link or a special file among them is noticed.
  let isPlain: Bool
}

/// Every entry that is not a directory.
func listFiles(_ files: Files, folder: String, prefix: String) throws -> [FoundFile] {
  var found: [FoundFile] = []
  for entry in try files.list(folder) ?? [] {
    let path = prefix + entry.name
    if entry.kind == .directory {
      found += try listFiles(files, folder: "\(folder)/\(entry.name)", prefix: "\(path)/")
    } else {
      found.append(FoundFile(path: path, isPlain: entry.kind == .file))
    }
  }
  return found
}
