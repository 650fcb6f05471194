import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// The file system of this machine, by its own calls: Foundation's would neither sync nor say why.
public final class PosixFiles: Files {
  public init() {}

  public func stat(_ path: String) throws -> FileStat? {
    try orMissing(path) {
      var found = Foundation.stat()
      try FileAction("look at", path: path).call { lstat(path, &found) }
      let kind = kindOf(found.st_mode)
      #if canImport(Darwin)
        let (modified, changed) = (found.st_mtimespec, found.st_ctimespec)
      #else
        let (modified, changed) = (found.st_mtim, found.st_ctim)
      #endif
      return FileStat(
        kind: kind, size: kind == .file ? Int(found.st_size) : 0,
        mtimeMs: milliseconds(modified), changedMs: milliseconds(changed),
        inode: UInt64(found.st_ino))
    }
  }

  public func list(_ directory: String) throws -> [DirectoryEntry]? {
    try orMissing(directory) {
      try entriesOf(Array(directory.utf8CString), action: FileAction("list", path: directory))
        .map { DirectoryEntry(name: String(decoding: $0.name, as: UTF8.self), kind: $0.kind) }
        .sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    }
  }

  public func read(_ path: String, maxBytes: Int) throws -> [UInt8]? {
    try orMissing(path) { try readWhole(path, maxBytes: maxBytes) }
  }

  public func openRead(_ path: String) throws -> ChunkSource? {
    try orMissing(path) { try FileChunks(path) }
  }

  public func readRange(_ path: String, offset: Int, length: Int) throws -> [UInt8]? {
    try orMissing(path) { try readPart(path, offset: offset, length: length) }
  }

  public func write(_ path: String, body: FileBody, createNew: Bool, sync: Bool) throws {
    try writeInPlace(path, body: body, createNew: createNew, sync: sync)
  }

  public func writeAtomic(_ path: String, bytes: [UInt8]) throws {
    try writeBeside(path, bytes: bytes)
  }

  public func append(_ path: String, bytes: [UInt8]) throws {
    try appendTo(path, bytes: bytes)
  }

  public func makeDirectory(_ path: String) throws {
    if mkdir(path, 0o777) == 0 { return }
    let refused = errno
    if refused == EEXIST, isFolder(path) { return }
    let parent = (path as NSString).deletingLastPathComponent
    guard refused == ENOENT, parent != "", parent != path else {
      throw FileAction("make folder", path: path).failure(refused)
    }
    try makeDirectory(parent)
    if mkdir(path, 0o777) != 0, errno != EEXIST || !isFolder(path) {
      throw FileAction("make folder", path: path).failure(errno)
    }
  }

  public func rename(_ from: String, to: String) throws {
    try FileAction("rename", path: from, to: to).call { Foundation.rename(from, to) }
  }

  public func link(_ from: String, to: String) throws {
    try FileAction("link", path: from, to: to).call {
      #if canImport(Darwin)
        clonefile(from, to, 0)
      #else
        Foundation.link(from, to)
      #endif
    }
  }

  public func remove(_ path: String) throws {
    _ = try orMissing(path) {
      try removeTree(Array(path.utf8CString), action: FileAction("remove", path: path))
    }
  }

  public func sync(_ path: String) throws {
    try syncPath(FileAction("sync", path: path), path: path)
  }

  public func freeSpace(_ path: String) throws -> Int {
    var found = statvfs()
    try FileAction("look at the disk of", path: path).call { statvfs(path, &found) }
    let (bytes, isOver) = Int(clamping: UInt64(found.f_bavail))
      .multipliedReportingOverflow(by: Int(clamping: UInt64(found.f_frsize)))
    return isOver ? Int.max : bytes
  }
}

private func milliseconds(_ time: timespec) -> Double {
  Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
}

private func isFolder(_ path: String) -> Bool {
  var found = stat()
  return stat(path, &found) == 0 && kindOf(found.st_mode) == .directory
}

/// An entry by its bytes: a name that is not UTF-8 can be removed all the same.
private struct RawEntry {
  let name: [UInt8]
  let kind: FileKind
}

private func entriesOf(_ directory: [CChar], action: FileAction) throws -> [RawEntry] {
  guard let stream = opendir(directory) else { throw action.failure(errno) }
  defer { closedir(stream) }
  var found: [RawEntry] = []
  while true {
    errno = 0
    guard let entry = readdir(stream) else {
      if errno != 0 { throw action.failure(errno) }
      return found
    }
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
    if name == [0x2e] || name == [0x2e, 0x2e] { continue }
    found.append(RawEntry(name: name, kind: kindOf(entry.pointee.d_type, directory: directory, name: name)))
  }
}

private func kindOf(_ type: UInt8, directory: [CChar], name: [UInt8]) -> FileKind {
  switch Int32(type) {
  case Int32(DT_REG): return .file
  case Int32(DT_DIR): return .directory
  case Int32(DT_LNK): return .symlink
  case Int32(DT_FIFO): return .fifo
  case Int32(DT_SOCK): return .socket
  default:  // some disks do not tell
    var found = stat()
    return lstat(join(directory, name: name), &found) == 0 ? kindOf(found.st_mode) : .device
  }
}

private func join(_ directory: [CChar], name: [UInt8]) -> [CChar] {
  var joined = Array(directory[..<(directory.count - 1)])  // without the 0 at its end
  joined.append(0x2f)
  joined += name.map { CChar(bitPattern: $0) }
  return joined + [0]
}

/// Removes a file or a whole folder. A link is removed, not followed.
private func removeTree(_ path: [CChar], action: FileAction) throws {
  if unlink(path) == 0 { return }
  let refused = errno
  var found = stat()
  if refused == ENOENT { return }
  guard lstat(path, &found) == 0, kindOf(found.st_mode) == .directory else {
    throw action.failure(refused)
  }
  for entry in try entriesOf(path, action: action) {
    try removeTree(join(path, name: entry.name), action: action)
  }
  if rmdir(path) != 0, errno != ENOENT { throw action.failure(errno) }
}
