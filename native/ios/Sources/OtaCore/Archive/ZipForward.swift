/// A file of a zip that is read as it comes in.
struct ForwardEntry {
  /// Its path in the archive.
  let name: String
  /// Bytes that its local header declares.
  let size: Int
  /// Whether its packed bytes lie before `from`: it cannot be opened.
  let isPassed: Bool
  /// Its local header, byte for byte.
  let header: [UInt8]
  /// Offset of the next entry, or of the directory.
  let end: Int
  /// The bytes that come out. To be read, or left, before the next entry is asked for.
  let open: () throws -> ZipBytes
}

/// Bytes of an entry that was not opened are skipped in pieces of this size.
private let skipChunkBytes = 64 * 1024

/// All ones: the number stands in a zip64 field.
private let wide = 0xffff_ffff

/// Walks the files of a zip while it comes in. Nothing of an entry is to be trusted before the last one
/// was handed on and this returns: only then the directory is there, which is read by the same rules as
/// that of `zipEntries`, over the same local headers, and must name exactly the entries that were handed
/// on. So this takes no archive that `zipEntries` refuses.
///
/// It takes fewer: not what declares its sizes after its data or in zip64 fields, and not what has
/// anything between two entries or before the directory. Such an archive is to be read by its directory.
///
/// - Throws: `ArchiveError` when it cannot be read this way, whether it is wrong or not.
func zipForward(
  _ source: ForwardSource, inflating: Inflating, onEntry: (ForwardEntry) throws -> Void
) throws {
  defer { source.bytes.close() }
  let (size, from) = (source.size, source.from)
  let kept = Kept()
  let bytes = ForwardBytes(source, kept: kept)
  var read: [Int: PackedFile] = [:]
  while true {
    let headerAt = bytes.at
    guard let header = try readHeader(bytes) else {
      try requireEndOfEntries(bytes)
      break
    }
    if read.count == maxEntries {
      throw ArchiveError(nil, reason: "it has more than \(maxEntries) entries")
    }
    let file = try fileOf(header, headerAt: headerAt)
    let end = file.at + file.packedSize
    if end > size || (headerAt < from && end > from) {
      throw ArchiveError(
        file.name, reason: "ends at \(end), expected it to end within the archive")
    }
    read[headerAt] = file
    let isPassed = end <= from
    if isPassed { bytes.pass(to: end) }
    try onEntry(
      ForwardEntry(name: file.name, size: file.size, isPassed: isPassed, header: header, end: end) {
        try ZipBytes(file, blocks: bytes, inflating: inflating)
      })
    while bytes.at < end { _ = try bytes.read(at: bytes.at, length: min(skipChunkBytes, end - bytes.at)) }
  }
  try bytes.readRest()
  try requireDirectory(kept, size: size, read: read)
}

// A local header (APPNOTE.TXT 6.3.10 §4.3.7): 0 signature, 4 version (2), 6 flags (2), 8 method (2),
// 10 time (2), 12 date (2), 14 CRC, 18 packed size, 22 size, 26 length of the name (2), 28 of the
// extra fields (2); then the name and the extra fields.

/// A local header with its name and extra fields; `nil` where none begins.
private func readHeader(_ bytes: ForwardBytes) throws -> [UInt8]? {
  let head = try bytes.peek(headerBytes)
  guard head.count == headerBytes, head.uint32(at: 0) == 0x0403_4b50 else { return nil }
  let length = headerBytes + head.uint16(at: 26) + head.uint16(at: 28)
  let header = try bytes.readHeader(length)
  if header.count == length { return header }
  throw ArchiveError(nil, reason: "it is cut short in the header of an entry")
}

/// Signatures of what may follow the last entry: the directory, or the end of an archive without one.
private let afterEntries = [0x0201_4b50, 0x0606_4b50, 0x0605_4b50]

/// Refuses what is not an archive as soon as its first bytes show it, before the rest arrives.
private func requireEndOfEntries(_ bytes: ForwardBytes) throws {
  let next = try bytes.peek(4)
  if next.count < 4 || afterEntries.contains(next.uint32(at: 0)) { return }
  throw ArchiveError(
    nil, reason: "at \(bytes.at) it has other bytes than an entry or its directory")
}

/// Fields of a local header by which an entry is refused. Disk and attributes stand in the directory
/// alone, and are looked at there.
private struct HeaderFields: RefusedBy {
  let name: String
  let flags: Int
  let method: Int
  let size: Int
  let disk = 0
  let attributes = 0
}

private func fileOf(_ header: [UInt8], headerAt: Int) throws -> PackedFile {
  let head = header[...]
  let flags = head.uint16(at: 6)
  let packedSize = head.uint32(at: 18)
  let name = try nameOf(head.part(at: headerBytes, length: head.uint16(at: 26)), flags: flags)
  let fields = HeaderFields(
    name: name, flags: flags, method: head.uint16(at: 8), size: head.uint32(at: 22))
  if let wrong = refusal(fields) { throw ArchiveError(name, reason: wrong) }
  if flags & sizesAfter != 0 || packedSize == wide || fields.size == wide {
    throw ArchiveError(name, reason: "has its sizes elsewhere, expected them in its local header")
  }
  return PackedFile(
    name: name, method: fields.method, at: headerAt + header.count, packedSize: packedSize,
    size: fields.size, crc32: head.uint32(at: 14), descriptorBefore: nil)
}

/// The directory must name what was read, each entry once, at its place, and nothing else.
private func requireDirectory(_ kept: Kept, size: Int, read: [Int: PackedFile]) throws {
  let source = ArchiveSource(path: "the archive", size: size, readRange: kept.readRange)
  let blocks = ZipBlocks(source)
  var named = 0
  do {
    try zipRecords(source) { record in
      if let wrong = refusal(record) { throw ArchiveError(record.name, reason: wrong) }
      let located = try locateFile(record, blocks: blocks)
      guard let file = read[record.headerAt], isSame(file.name, located.name), file == located
      else {
        throw ArchiveError(record.name, reason: "is not what was read, expected the same entries")
      }
      named += 1
    }
  } catch is FileError {
    throw ArchiveError(nil, reason: "its directory leads to where no entry begins")
  }
  if named != read.count {
    throw ArchiveError(nil, reason: "its directory names \(named) entries, it has \(read.count)")
  }
}
