import Foundation

// Content on its way, at `.partial/<sha256>.<id>`: it outlives the process, and serves any version that
// needs it (DEV-21). A name is claimed by renaming it, so two processes never append to one file.

/// Contents that were in `.partial` when a staging began.
final class Partials: Sendable {
  private let files: Files
  private let hashing: Hashing
  private let root: String
  private let byHash: Locked<[String: PartialFile]>

  /// Lists the files in `.partial`. The folder has to exist before a content is opened.
  init(_ files: Files, hashing: Hashing, root: String) throws {
    self.files = files
    self.hashing = hashing
    self.root = root
    let found = try listPartials(files, root: root).map { ($0.hash, $0) }
    byHash = Locked(Dictionary(found) { $1.size > $0.size ? $1 : $0 })
  }

  /// Bytes on disk of a content, not hashed yet: it needs that much less room.
  func bytes(of content: ContentRef) -> Int {
    find(content)?.size ?? 0
  }

  /// The file of a content; `nil` if there is no such file.
  func find(_ content: ContentRef) -> KeptFile? {
    guard let found = byHash.withLock({ $0[content.hash] }), found.size <= content.size else {
      return nil
    }
    return KeptFile(path: found.path, size: found.size)
  }

  /// Claims the file of a content and hashes it again (DEV-20), or starts a new one.
  func open(_ content: NamedContent) throws -> PartialContent {
    let path = "\(partialFolder(root))/\(content.hash).\(randomId())"
    let claimed = byHash.withLock { $0.removeValue(forKey: content.hash) }
    let isClaimed = try claimed.map { try claim($0.path, as: path, size: content.size) } ?? false
    let partial = PartialContent(content, path: path, files: files, hash: hashing.createSha256())
    do {
      if isClaimed { try partial.readAgain() }
    } catch  where isUnreadable(error) {
      try files.remove(path)
      return PartialContent(content, path: path, files: files, hash: hashing.createSha256())
    }
    return partial
  }

  /// Takes a file over by its name. Answers whether bytes are there, and no more than the content has.
  private func claim(_ from: String, as path: String, size: Int) throws -> Bool {
    do {
      try files.rename(from, to: path)
    } catch  where isUnclaimable(error) {
      return false
    }
    let found = try unlessUnreadable { try files.stat(path) }?.size ?? 0
    if found > 0 && found <= size { return true }
    try files.remove(path)
    return false
  }
}

/// Whether a file of `.partial` cannot be taken over: another process has it, or the disk does not move
/// it (DEV-72).
func isUnclaimable(_ error: Error) -> Bool {
  (error as? FileError)?.code == .missing || isUnreadable(error)
}

/// Whether the disk failed at what it holds: it would at each staging, so those bytes are fetched again
/// (DEV-72).
func isUnreadable(_ error: Error) -> Bool {
  (error as? FileError)?.code == .disk
}

/// Runs an operation on what is on the disk, and once more if the disk fails: that may pass.
///
/// - Returns: `nil` if the disk fails again: then what is there counts as missing (DEV-72).
@discardableResult
func unlessUnreadable<T>(_ operation: () throws -> T?) throws -> T? {
  for _ in 0..<2 {
    do {
      return try operation()
    } catch  where isUnreadable(error) {
      continue
    }
  }
  return nil
}

/// Bytes that are held back before the disk is written: this much a kill may cost.
private let writeBytes = 256 * 1024

/// A content on its way, written by one thread.
final class PartialContent {
  /// Its file. It is not content before `finish`.
  let path: String
  /// Bytes that were on disk: the download begins after them.
  private(set) var from = 0
  private let content: NamedContent
  private let files: Files
  private let hash: Sha256
  private var done = 0
  private var held: [UInt8] = []

  fileprivate init(_ content: NamedContent, path: String, files: Files, hash: Sha256) {
    self.content = content
    self.path = path
    self.files = files
    self.hash = hash
  }

  fileprivate func readAgain() throws {
    guard let source = try files.openRead(path) else { return }
    defer { source.close() }
    while let chunk = try source.next() {
      hash.update(chunk)
      from += chunk.count
    }
    done = from
  }

  /// Adds bytes, to the hash at once and to the disk soon.
  ///
  /// - Throws: `StageError` `size-mismatch` when there are more than expected; the file is removed.
  func append(_ chunk: [UInt8]) throws {
    done += chunk.count
    if done > content.size {
      try remove()
      throw tooMany(content)
    }
    hash.update(chunk)
    if held.isEmpty { held.reserveCapacity(min(content.size, writeBytes + chunk.count)) }
    held += chunk
    if held.count >= writeBytes { try flush() }
  }

  /// Writes what is still in memory: for a download that breaks off.
  func flush() throws {
    if held.isEmpty { return }
    try files.append(path, bytes: held)
    held.removeAll(keepingCapacity: true)
  }

  /// Syncs the file, whose size and hash are right now.
  ///
  /// - Returns: `false` when the bytes from before were wrong, or the file was changed by
  ///   another process: it is removed, and the content may be started again.
  /// - Throws: `StageError` `size-mismatch`, `hash-mismatch`: the server's bytes; the file is removed.
  func finish() throws -> Bool {
    do {
      try requireEqual(content, seen: done, hex: hash.hex)
    } catch {
      try remove()
      if from > 0, (error as? StageError)?.code == .hashMismatch { return false }
      throw error
    }
    if held.count == content.size {  // small: nothing was written yet
      try files.write(path, bytes: held, createNew: true, sync: true)
      held = []
      return true
    }
    try flush()
    let isOwn = try files.stat(path)?.size == content.size
    if isOwn { try files.sync(path) } else { try remove() }
    return isOwn
  }

  private func remove() throws {
    held = []
    try files.remove(path)
  }
}

/// Removes contents that were not written to `since`, in milliseconds since the epoch.
func removeOldPartials(_ files: Files, root: String, since: Double) throws {
  try removePartials(files, root: root) { $0.mtimeMs < since }
}

/// A file of `.partial` that a staging resumes.
struct KeptFile: Hashable {
  let path: String
  let size: Int
}

/// Removes contents to make room, except the files that a staging resumes.
func removeOtherPartials(_ files: Files, root: String, kept: Set<String>) throws {
  try removePartials(files, root: root) { !kept.contains($0.path) }
}

/// Removes other beginnings of contents that are staged now.
func removeStagedPartials(_ files: Files, root: String, staged: Set<String>) throws {
  try removePartials(files, root: root) { staged.contains($0.hash) }
}

private func removePartials(_ files: Files, root: String, isDue: (PartialFile) -> Bool) throws {
  for file in try listPartials(files, root: root) where isDue(file) {
    try unlessUnreadable { try files.remove(file.path) }
  }
}

/// A file in `.partial`.
private struct PartialFile {
  let path: String
  let hash: String
  let size: Int
  let mtimeMs: Double
}

private func listPartials(_ files: Files, root: String) throws -> [PartialFile] {
  let folder = partialFolder(root)
  var found: [PartialFile] = []
  for entry in try files.list(folder) ?? [] {
    let hash = String(entry.name.prefix { $0 != "." })
    let path = "\(folder)/\(entry.name)"
    guard isSha256Hex(hash), let stat = try unlessUnreadable({ try files.stat(path) }), stat.kind == .file
    else { continue }
    found.append(PartialFile(path: path, hash: hash, size: stat.size, mtimeMs: stat.mtimeMs))
  }
  return found
}
