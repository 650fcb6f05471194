// Paths are absolute; `/` separates. What the file system refuses is thrown as `FileError`; that
// something is not there is a value. Every call may come from any thread, and blocks until it is done.

/// The kind of a directory entry. A link is reported as such, never followed.
public enum FileKind: String, Sendable {
  case file, directory, symlink, fifo, socket, device
}

/// Facts about one entry.
public struct FileStat: Sendable {
  public let kind: FileKind
  /// Bytes; 0 for what is not a file.
  public let size: Int
  /// Milliseconds since the epoch.
  public let mtimeMs: Double
  /// When its bytes or attributes last changed: unlike the time above, programs cannot set it. `nil` if the
  /// system does not report it.
  public let changedMs: Double?
  /// Number of the file on its disk, whatever its name. `nil` where the system does not tell.
  public let inode: UInt64?

  public init(
    kind: FileKind, size: Int, mtimeMs: Double, changedMs: Double? = nil, inode: UInt64? = nil
  ) {
    self.kind = kind
    self.size = size
    self.mtimeMs = mtimeMs
    self.changedMs = changedMs
    self.inode = inode
  }
}

/// One entry of a directory.
public struct DirectoryEntry: Sendable {
  /// Its name, without the directory.
  public let name: String
  public let kind: FileKind

  public init(name: String, kind: FileKind) {
    self.name = name
    self.kind = kind
  }
}

/// Bytes that come one piece after another, to be read once and by one thread.
public protocol ChunkSource: AnyObject {
  /// The next piece, never empty; `nil` at the end.
  func next() throws -> [UInt8]?
  /// Gives back what the source holds; who reads calls it, also after the end, and once is enough.
  func close()
}

/// Content to write.
public enum FileBody {
  case bytes([UInt8])
  /// Each piece is written before the next is asked for. The write closes the source.
  case chunks(ChunkSource)
}

/// The file system.
///
/// Whatever opens a file opens regular files only, links followed, and never waits for anyone: a FIFO,
/// a socket or a device is refused as `not-a-file`, with its kind in the message, a folder as
/// `is-a-directory`. It is the open file that is asked what it is, not the path before.
public protocol Files: AnyObject, Sendable {
  /// Facts about `path` itself; a link is not followed. `nil` when nothing is there.
  func stat(_ path: String) throws -> FileStat?
  /// The entries of a directory ordered by name, or `nil` when it is not there.
  func list(_ directory: String) throws -> [DirectoryEntry]?
  /// A whole file, or `nil` when it is not there; `too-large` when it has more than `maxBytes`.
  func read(_ path: String, maxBytes: Int) throws -> [UInt8]?
  /// A file in pieces, or `nil` when it is not there.
  func openRead(_ path: String) throws -> ChunkSource?
  /// Part of a file, or `nil` when it is not there. Shorter than `length` only at the file's end.
  func readRange(_ path: String, offset: Int, length: Int) throws -> [UInt8]?
  /// Writes a file in place; a failed write leaves no file that was not there.
  ///
  /// - Parameters:
  ///   - createNew: Fail with `exists` where something of that name is already there.
  ///   - sync: Have the file's bytes on the disk before anything that is flushed later.
  func write(_ path: String, body: FileBody, createNew: Bool, sync: Bool) throws
  /// Writes beside `path`, syncs, renames over it, syncs the folder: a reader, or the next start
  /// after a crash, sees the old file or the new one, whole.
  func writeAtomic(_ path: String, bytes: [UInt8]) throws
  /// Adds bytes at the end of a file, and makes one that is not there.
  func append(_ path: String, bytes: [UInt8]) throws
  /// Creates a directory and its parents; one that is there is fine.
  func makeDirectory(_ path: String) throws
  /// Renames; a file that is in the way is replaced, a directory only when empty.
  func rename(_ from: String, to: String) throws
  /// Gives a file a second name, or another file its content without its bytes: a clone. Never over
  /// something that is there (`exists`).
  func link(_ from: String, to: String) throws
  /// Removes a file or a whole directory; links inside are removed, not followed. Missing is fine.
  func remove(_ path: String) throws
  /// Flushes a directory's list of names to the disk; has a file's bytes there before anything that is
  /// flushed later.
  func sync(_ path: String) throws
  /// Bytes that this user may still write on the file system of `path`.
  func freeSpace(_ path: String) throws -> Int
}

extension Files {
  public func write(_ path: String, bytes: [UInt8], createNew: Bool = false, sync: Bool = false)
    throws
  {
    try write(path, body: .bytes(bytes), createNew: createNew, sync: sync)
  }
}
