// Files by which the next process resumes an archive that is unpacked while it arrives (DEV-31):
// `.partial/<sha256 of the archive>.<id>` holds its first bytes; `….<id>.<from>.<headers>` holds the
// local headers of all entries that end by `from`, `headers` bytes, and then its bytes from `from` on.

/// A tail with more packed bytes is replaced as soon as an entry ends.
let tailBytes = 4 * 1024 * 1024
/// Bytes that are held back before the disk is written: this much a kill may cost.
private let writeBytes = 256 * 1024

/// A file that holds a tail.
private struct TailFile {
  var path: String
  /// Of the archive.
  let hash: String
  /// Offset of its packed bytes in the archive.
  let from: Int
  /// Bytes of headers before them.
  let headers: Int
  /// Bytes in all.
  var size: Int

  /// Whether it can be what its name says: a power cut may have left it without its headers.
  var isTail: Bool { headers <= from && headers <= size }

  /// Offset of the archive where it ends.
  var end: Int { from + size - headers }
}

/// Finds the tail that the next process resumes; `nil` if none exists.
func findTail(_ files: Files, root: String, zip: ContentRef) throws -> KeptFile? {
  let tail = try listTails(files, root: root, hash: zip.hash).first { $0.isTail && $0.end <= zip.size }
  return tail.map { KeptFile(path: $0.path, size: $0.size) }
}

/// Takes over the tail that reaches furthest and removes the others, or starts a new one.
func openTail(_ dependencies: StageDependencies, zip: NamedContent) throws -> ZipTail {
  let (files, root) = (dependencies.files, dependencies.root)
  let begin = "\(partialFolder(root))/\(zip.hash).\(randomId())"
  var taken = TailFile(path: begin, hash: zip.hash, from: 0, headers: 0, size: 0)
  for var tail in try listTails(files, root: root, hash: zip.hash) {
    let isBest = taken.size == 0 && tail.isTail && tail.end <= zip.size
    let path = tail.from == 0 ? begin : "\(begin).\(tail.from).\(tail.headers)"
    if !isBest {
      try unlessUnreadable { try files.remove(tail.path) }
    } else if try claim(files, from: tail.path, as: path) {
      tail.path = path
      taken = tail
    }
  }
  return ZipTail(dependencies, zip: zip, taken: taken)
}

private func claim(_ files: Files, from: String, as path: String) throws -> Bool {
  do {
    try files.rename(from, to: path)
    return true
  } catch  where isUnclaimable(error) {
    return false
  }
}

/// Files of `.partial` that are looked at before the ways are compared (DEV-71).
private let maxLooks = 4096

/// Bytes that lie in `.partial` of each content, and of each archive from its beginning, by hash
/// (DIFF-5): of the tails, and of the first files by name (DEV-71).
func partialBytes(_ files: Files, root: String) throws -> PartialBytes {
  var bytes = PartialBytes()
  for tail in try listTails(files, root: root, hash: nil, limit: maxLooks)
  where tail.isTail && bytes[tail.hash] == nil {
    bytes[tail.hash] = tail.end
  }
  return bytes
}

/// Tails, of one archive or of all, the one that reaches furthest first.
///
/// - Parameter limit: Files that are looked at.
private func listTails(
  _ files: Files, root: String, hash: String?, limit: Int = .max
) throws -> [TailFile] {
  let folder = partialFolder(root)
  var named: [TailFile] = []
  for entry in try files.list(folder) ?? [] {
    guard let (of, from, headers) = boundsOf(entry.name), of == hash ?? of else { continue }
    let path = "\(folder)/\(entry.name)"
    named.append(TailFile(path: path, hash: of, from: from, headers: headers, size: 0))
  }
  // One tail stands for many contents.
  let ordered = named.filter { $0.from > 0 } + named.filter { $0.from == 0 }
  var found: [TailFile] = []
  for var tail in ordered.prefix(limit) {
    guard let stat = try unlessUnreadable({ try files.stat(tail.path) }), stat.kind == .file else { continue }
    tail.size = stat.size
    found.append(tail)
  }
  return found.sorted { $0.end > $1.end }
}

/// Reads the name of a tail: `<hash>.<24 hex digits>`, or with two numbers of at most 15 digits.
private func boundsOf(_ name: String) -> (hash: String, from: Int, headers: Int)? {
  let parts = name.split(separator: ".", omittingEmptySubsequences: false)
  guard parts.count == 2 || parts.count == 4, isSha256Hex(String(parts[0])),
    parts[1].utf8.count == 24, parts[1].utf8.allSatisfy(isHexDigit)
  else { return nil }
  let hash = String(parts[0])
  if parts.count == 2 { return (hash, 0, 0) }
  guard let from = wholeNumber(parts[2]), let headers = wholeNumber(parts[3]),
    parts[2].utf8.count <= 15, parts[3].utf8.count <= 15
  else { return nil }
  return (hash, from, headers)
}

/// Longest beginning of a refused archive that is fetched again rather than continued, in bytes.
private let doubtfulBytes = 1024 * 1024

/// An entry that was read.
struct TailEntry {
  let name: String
  /// Its local header.
  let header: [UInt8]
  /// Offset of the next entry.
  let end: Int
}

/// The packed bytes of the entry that is being read, and of some before it.
final class ZipTail {
  /// Offset of the packed bytes: of the entries before, it has the headers alone.
  let from: Int
  /// Offset of the first byte of the archive that is not on disk.
  let end: Int
  private let files: Files
  private let root: String
  private let zip: NamedContent
  /// Entries so far, in their order.
  private var entries: [TailEntry] = []
  private var file: TailFile
  /// Offset in the archive of the next byte that is added, once it is past the headers.
  private var at: Int
  /// Bytes of the file that were not read again yet.
  private var unread: Int
  private var held: [UInt8] = []

  fileprivate init(_ dependencies: StageDependencies, zip: NamedContent, taken: TailFile) {
    files = dependencies.files
    root = dependencies.root
    self.zip = zip
    file = taken
    at = taken.from - taken.headers
    unread = taken.size
    from = taken.from
    end = taken.end
  }

  /// The bytes on disk; `nil` without any.
  func read() throws -> ChunkSource? {
    file.size > 0 ? try files.openRead(file.path) : nil
  }

  /// Adds bytes of the archive as they are used; those that lie there are not added again.
  func add(_ bytes: ArraySlice<UInt8>) throws {
    let known = min(unread, bytes.count)
    unread -= known
    at += bytes.count
    if known == bytes.count { return }
    if held.isEmpty { held.reserveCapacity(writeBytes + bytes.count) }
    held += bytes.dropFirst(known)
    if held.count >= writeBytes { try flush() }
  }

  /// Writes what is still in memory: for an archive that breaks off.
  func flush() throws {
    if held.isEmpty { return }
    let bytes = held
    held = []
    try files.append(file.path, bytes: bytes)
    file.size += bytes.count
  }

  /// Hears that an entry was used. A long tail is replaced by one that begins after the entry, unless its
  /// bytes were left and are still to come; the last bytes of an archive stay in one, for its end record
  /// is looked for in them.
  ///
  /// - Parameter settle: Waits until the files of all entries so far are on the disk.
  func endEntry(_ entry: TailEntry, settle: () throws -> Void) throws {
    entries.append(entry)
    let isShort = file.size + held.count - file.headers < tailBytes
    if isShort || unread > 0 || at < entry.end || entry.end > lastStart { return }
    try settle()
    try begin(after: entries, from: entry.end)
  }

  /// Replaces the kept bytes of a failed reading by a tail that begins after the verified entries: what
  /// is wrong comes after them (DEV-73).
  ///
  /// - Parameter isVerified: Whether the file of an entry is on the disk, with the right hash.
  /// - Returns: Whether more than half of the read bytes come before that tail; otherwise nothing changes.
  func rewind(isVerified: (String) -> Bool) throws -> Bool {
    let verified = Array(entries.prefix { $0.end <= lastStart && isVerified($0.name) })
    let from = verified.last?.end ?? 0
    if 2 * from <= at { return false }
    try begin(after: verified, from: from)
    return true
  }

  /// The last place where a tail may start: the end record is searched for after it.
  private var lastStart: Int { zip.size - endSearchBytes }

  /// Replaces the file by one with the headers of entries, which end by `from`.
  private func begin(after entries: [TailEntry], from: Int) throws {
    let path = file.path
    let headers = entries.flatMap(\.header)
    let next = "\(partialFolder(root))/\(zip.hash).\(randomId()).\(from).\(headers.count)"
    try files.write(next, bytes: headers, createNew: true)
    held = []
    file = TailFile(
      path: next, hash: file.hash, from: from, headers: headers.count, size: headers.count)
    try files.remove(path)
  }

  /// Ends a failed reading. Only the first bytes of an archive are of use to another reading. A few that
  /// just arrived are removed, too: if something else begins with them, the rest of the archive would be
  /// fetched in vain (DEV-36).
  func refuse() throws {
    let isDoubtful = end == 0 && file.size + held.count <= doubtfulBytes
    if file.from > 0 || isDoubtful { try remove() } else { try flush() }
  }

  func remove() throws {
    held = []
    try files.remove(file.path)
  }
}
