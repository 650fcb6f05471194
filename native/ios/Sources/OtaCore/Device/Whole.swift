// Whether the version that a launch would serve has its files (DEV-32). Of many files that takes too
// long, so their folders are asked: a folder changes when a name comes to it or goes (DEV-61).

/// Up to so long a mark a launch looks at each file, in bytes: some six hundred files.
private let eachFileMarkBytes = 64 * 1024

/// Most folders in a note, the shortest paths first. Files in other folders are checked later (DEV-62).
private let notedFolders = 1_000

/// Longest valid note, in bytes.
private let noteBytes = 1024 * 1024

/// Paths that are looked at at once.
private let concurrency = 6

/// The folder of versions.
struct VersionFiles {
  let files: Files
  let root: String
}

/// State of a version at a launch.
enum Wholeness {
  /// Each file in its size, or nothing to compare with.
  case whole
  /// Every folder as it was when its files were there.
  case byFolders
  case damaged
}

/// Looks at a marked version as far as a launch has time for.
///
/// - Parameters:
///   - trustsFolders: Whether its folders stand for its files, where these are many.
///   - notes: Whether to note its folders where they did not, for the next launch.
func lookAtVersion(_ version: BundleVersion, in at: VersionFiles, trustsFolders: Bool, notes: Bool) throws
  -> Wholeness
{
  let path = markPath(at.root, name: version.name, version: version.version)
  let mark = try unlessUnreadable { try at.files.stat(path) }
  let isLarge = (mark?.size ?? 0) > eachFileMarkBytes
  if isLarge, trustsFolders, hasNotedFolders(of: version, in: at) { return .byFolders }
  guard let manifest = try readMark(of: version, in: at) else { return .whole }
  // Before the files: what goes meanwhile must not be noted as if it had been there.
  let found = isLarge && notes ? stamps(of: manifest, in: at) : nil
  if try !hasEachFile(of: manifest, in: at) { return .damaged }
  if let found { writeNote(found, of: version, in: at) }
  return .whole
}

/// Whether a marked version has as many files as its mark says, each of its size. True without a mark to
/// compare with.
func hasMarkedFiles(of version: BundleVersion, in at: VersionFiles, cancel: Cancel) throws -> Bool {
  guard let manifest = try readMark(of: version, in: at) else { return true }
  return try hasEachFile(of: manifest, in: at, cancel: cancel)
}

/// Notes the folders of a version that was just staged: each file and each name in them was synced
/// (DEV-63).
func noteFolders(of manifest: Manifest, text: String, in at: VersionFiles) {
  if text.utf8.count <= eachFileMarkBytes { return }
  guard let found = stamps(of: manifest, in: at) else { return }
  writeNote(found, of: BundleVersion(name: manifest.name, version: manifest.version), in: at)
}

/// Every folder that the manifest's paths need, parents first.
func foldersOf(_ manifest: Manifest) -> [String] {
  var folders = Record<Bool>()
  for path in manifest.files.keys {
    for slash in path.utf8.indices where path.utf8[slash] == UInt8(ascii: "/") {
      folders[String(path[..<slash])] = true
    }
  }
  return folders.keys.sorted { $0.utf8.count < $1.utf8.count }
}

/// Reads the manifest in a version's mark; `nil` if it cannot be read: then nothing is compared.
private func readMark(of version: BundleVersion, in at: VersionFiles) throws -> Manifest? {
  let path = markPath(at.root, name: version.name, version: version.version)
  let mark: [UInt8]? = try unlessUnreadable {
    let isLong = (try at.files.stat(path)?.size ?? 0) > Limits.manifestBytes
    return isLong ? nil : try at.files.read(path, maxBytes: Limits.manifestBytes)
  }
  return mark.flatMap { try? parseManifest($0, name: version.name, version: version.version) }
}

/// Whether each file of a manifest is there. A file that the disk cannot look up is not.
private func hasEachFile(of manifest: Manifest, in at: VersionFiles, cancel: Cancel? = nil) throws
  -> Bool
{
  try unlessUnreadable { try lookUpFiles(at, manifest: manifest, cancel: cancel) } ?? false
}

private func lookUpFiles(_ at: VersionFiles, manifest: Manifest, cancel: Cancel?) throws -> Bool {
  let folder = versionFolder(at.root, name: manifest.name, version: manifest.version)
  let found = try listFiles(at.files, folder: folder, prefix: "")
  if found.count != manifest.files.count { return false }
  let isOther = Locked(false)
  try forEachParallel(found, limit: concurrency) { file in
    try cancel?.throwIfCancelled()
    let size = try at.files.stat("\(folder)/\(file.path)")?.size
    if !file.isPlain || size == nil || size != manifest.files[file.path]?.size {
      isOther.withLock { $0 = true }
    }
  }
  return !isOther.withLock(\.self)
}

/// Stamp of a folder: changes when a name in it is added or removed, and in a copy.
private func stampOf(_ stat: FileStat) -> String {
  let (inode, changed) = (stat.inode.map { "\($0)" }, stat.changedMs.map { "\($0)" })
  return "\(inode ?? "") \(changed ?? "") \(stat.mtimeMs)"
}

private func stampOf(_ at: VersionFiles, folder: String, path: String) throws -> String? {
  let stat = try at.files.stat(path == "" ? folder : "\(folder)/\(path)")
  return stat?.kind == .directory ? stat.map(stampOf) : nil
}

/// Stamps of all folders of a version by path; `nil` if one is missing or cannot be read: then there is
/// no note, and the version stays.
private func stamps(of manifest: Manifest, in at: VersionFiles) -> JsonObject? {
  let folder = versionFolder(at.root, name: manifest.name, version: manifest.version)
  var stamps = JsonObject()
  for path in ([""] + foldersOf(manifest)).prefix(notedFolders) {
    guard let stamp = try? stampOf(at, folder: folder, path: path) else { return nil }
    stamps[path] = .string(stamp)
  }
  return stamps
}

/// Best effort: without a note the next launch looks at each file.
private func writeNote(_ stamps: JsonObject, of version: BundleVersion, in at: VersionFiles) {
  let note = jsonBytes(["schema": 1, "folders": .object(stamps)]) + [UInt8(ascii: "\n")]
  guard (try? at.files.makeDirectory(notesFolder(at.root))) != nil else { return }
  try? at.files.writeAtomic(notePath(at.root, name: version.name, version: version.version), bytes: note)
}

/// Whether each folder that is noted is what it was. Not where that cannot be said: then files are looked
/// at.
private func hasNotedFolders(of version: BundleVersion, in at: VersionFiles) -> Bool {
  let folder = versionFolder(at.root, name: version.name, version: version.version)
  do {
    let note = try at.files.read(
      notePath(at.root, name: version.name, version: version.version), maxBytes: noteBytes)
    guard let noted = note.flatMap(parseJson)?["folders"]?.object, !noted.isEmpty else {
      return false
    }
    for (path, stamp) in noted {  // one after another: threads take longer to start
      guard let found = try stampOf(at, folder: folder, path: path), stamp == .string(found) else {
        return false
      }
    }
    return true
  } catch {
    return false
  }
}
