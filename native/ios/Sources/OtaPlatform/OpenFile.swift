import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// Access to a file as it is opened; the same whatever is there.
enum FileAccess {
  case read
  /// One that is not there is made, one that is there emptied.
  case write
  /// One that is there is refused.
  case create
  case append

  fileprivate var flags: Int32 {
    switch self {
    case .read: return O_RDONLY
    case .write: return O_WRONLY | O_CREAT | O_TRUNC
    case .create: return O_WRONLY | O_CREAT | O_EXCL
    case .append: return O_WRONLY | O_CREAT | O_APPEND
    }
  }
}

/// An open file, closed once.
final class OpenFile {
  let action: FileAction
  /// Bytes when it was opened.
  let size: Int
  let isFolder: Bool
  private var descriptor: Int32

  /// Opens a regular file, or a folder to sync it. Without `O_NONBLOCK`, opening a FIFO blocks
  /// the thread until its other end is opened. The kind of file is read from the descriptor, not from the
  /// path.
  init(_ access: FileAccess, action: FileAction, orFolder: Bool = false) throws {
    self.action = action
    let path = action.path
    let flags = access.flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    do {
      descriptor = try action.call { open(path, flags, 0o666) }
    } catch let error as FileError {
      // The system answers so for a socket, and for writing to a FIFO without a reader.
      if error.code == .other, let refusal = Self.notAFile(action) { throw refusal }
      throw error
    }
    var found = stat()
    guard fstat(descriptor, &found) == 0 else {
      let failed = errno
      Foundation.close(descriptor)
      throw action.failure(failed)
    }
    let kind = kindOf(found.st_mode)
    guard kind == .file || orFolder && kind == .directory else {
      Foundation.close(descriptor)
      throw refuse(action, kind: kind)
    }
    size = Int(found.st_size)
    isFolder = kind == .directory
  }

  deinit {
    closeQuietly()
  }

  /// Reads into a piece, at the file's place or at an offset; 0 at its end.
  func read(into piece: UnsafeMutableRawBufferPointer, at offset: Int? = nil) throws -> Int {
    guard let start = piece.baseAddress else { return 0 }
    return try action.call {
      guard let offset else { return Foundation.read(descriptor, start, piece.count) }
      return pread(descriptor, start, piece.count, off_t(offset))
    }
  }

  /// Writes all bytes.
  func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { all in
      var written = 0
      while written < all.count {
        let rest = UnsafeRawBufferPointer(rebasing: all[written...])
        written += try action.call { Foundation.write(descriptor, rest.baseAddress, rest.count) }
      }
    }
  }

  /// Flushes to the disk itself: on Apple's systems `fsync` stops at the drive's own memory.
  func sync() throws {
    #if canImport(Darwin)
      if try control(F_FULLFSYNC) { return }
    #endif
    try action.call { fsync(descriptor) }
  }

  /// Has the bytes reach the disk before any that are flushed later. A drive of Apple's keeps that order
  /// without emptying its memory for each file (`F_BARRIERFSYNC`); the last flush empties it for all.
  func syncInOrder() throws {
    #if canImport(Darwin)
      if try control(F_BARRIERFSYNC) { return }
    #endif
    try sync()
  }

  #if canImport(Darwin)
    /// - Returns: Whether this disk knows the command.
    private func control(_ command: Int32) throws -> Bool {
      if fcntl(descriptor, command) != -1 { return true }
      let found = errno
      if found == ENOTSUP || found == EINVAL || found == ENOTTY { return false }
      throw action.failure(found)
    }
  #endif

  /// Closes it; some disks are full only here.
  func close() throws {
    guard descriptor >= 0 else { return }
    let closing = descriptor
    descriptor = -1  // whatever it answers, it is closed
    if Foundation.close(closing) != 0 && errno != EINTR { throw action.failure(errno) }
  }

  /// Closes it after a failure that is already being thrown, or when nothing was written.
  func closeQuietly() {
    try? close()
  }

  private static func notAFile(_ action: FileAction) -> FileError? {
    var found = stat()
    guard stat(action.path, &found) == 0 else { return nil }
    let kind = kindOf(found.st_mode)
    return kind == .file ? nil : refuse(action, kind: kind)
  }
}

/// The error for an item that is not a regular file.
private func refuse(_ action: FileAction, kind: FileKind) -> FileError {
  let cannot = "Cannot \(action.action) \(action.path)"
  if kind == .directory {
    return FileError(.isADirectory, path: action.path, message: "\(cannot): it is a folder")
  }
  return FileError(.notAFile, path: action.path, message: "\(cannot): not a file: \(nameOfSpecialFile(kind))")
}

func kindOf(_ mode: mode_t) -> FileKind {
  switch mode & S_IFMT {
  case S_IFREG: return .file
  case S_IFDIR: return .directory
  case S_IFLNK: return .symlink
  case S_IFIFO: return .fifo
  case S_IFSOCK: return .socket
  default: return .device
  }
}
