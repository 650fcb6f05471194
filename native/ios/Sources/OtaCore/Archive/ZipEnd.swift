/// Position of the directory of a zip.
struct ZipDirectory {
  /// Offset of its first record.
  let at: Int
  /// End of its last record.
  let end: Int
  /// Count of its records.
  let records: Int
}

/// The shortest record of the directory.
private let recordBytes = 46

// The end of a zip (APPNOTE.TXT 6.3.10 §4.3.14 to §4.3.16):
// zip64 record:  0 signature, 4 bytes that follow (8), 16 disk, 20 directory's disk,
//                24 entries on disk (8), 32 entries (8), 40 directory's size (8), 48 its offset (8)
// zip64 locator: 0 signature, 4 disk, 8 offset of the zip64 record (8), 16 disks
// end record:    0 signature, 4 disk (2), 6 directory's disk (2), 8 entries on disk (2),
//                10 entries (2), 12 directory's size, 16 its offset, 20 length of the comment (2)
private let zip64Bytes = 56
private let locatorBytes = 20
private let endBytes = 22
/// So much before the end of a zip an end record is looked for.
let endSearchBytes = endBytes + 0xffff

/// One end record. Its numbers are only the archive's word.
private struct End {
  /// Offset of the record: the end of the directory.
  let from: Int
  let onDisk: Double
  let entries: Double
  let size: Double
  let offset: Double
}

/// Finds the directory. It must end where the end records begin, and these where the file ends: with
/// anything between or behind, two readers may take different directories for the real one.
///
/// - Parameter size: Bytes of the archive.
/// - Throws: `ArchiveError` naming no entry.
func findDirectory(_ blocks: ZipBlocks, size: Int) throws -> ZipDirectory {
  let short = try shortEnd(blocks, size: size)
  let long = try longEnd(blocks, endAt: short.from)
  if let long, !isSameEnd(short, long) {
    throw unreadable("its two end records describe different directories, expected the same")
  }
  let end = long ?? short
  if end.onDisk != end.entries { throw unreadable(split) }
  if end.offset + end.size != Double(end.from) {
    throw unreadable(
      "its end record points to another place, or bytes were inserted: it declares "
        + "\(numberText(end.size)) bytes at \(numberText(end.offset)), "
        + "expected them to end at \(end.from)")
  }
  let fit = min(maxEntries, Int(end.size) / recordBytes)
  if end.entries > Double(fit) {
    throw unreadable(
      "its end record declares \(numberText(end.entries)) entries in \(Int(end.size)) bytes, "
        + "expected at most \(fit)")
  }
  return ZipDirectory(at: Int(end.offset), end: end.from, records: Int(end.entries))
}

private let split = "it is one part of a split archive, expected one whole file"

/// A directory that cannot be read, as opposed to one of its entries.
func unreadable(_ why: String) -> ArchiveError {
  ArchiveError(nil, reason: "the zip's directory cannot be read: \(why)")
}

/// A comment that is cut short is taken (DEV-12).
private func shortEnd(_ blocks: ZipBlocks, size: Int) throws -> End {
  let base = max(size - endSearchBytes, 0)
  let view = try blocks.read(at: base, length: size - base)
  var found: Int?
  for at in stride(from: view.count - endBytes, through: 0, by: -1) {
    guard view.uint32(at: at) == 0x0605_4b50 else { continue }
    let overrun = at + endBytes + view.uint16(at: at + 20) - view.count
    if found != nil {
      if overrun == 0 { throw unreadable("it has more than one end record, expected one") }
      continue
    }
    if overrun < 0 {
      throw unreadable("something follows its end: \(-overrun) bytes, expected none")
    }
    found = at
  }
  guard let found else {
    throw unreadable("it has no end record, expected a zip: it is something else, or cut short")
  }
  let disk = view.uint16(at: found + 4)
  if (disk != 0 && disk != 0xffff) || view.uint16(at: found + 6) != disk { throw unreadable(split) }
  return End(
    from: base + found,
    onDisk: Double(view.uint16(at: found + 8)),
    entries: Double(view.uint16(at: found + 10)),
    size: Double(view.uint32(at: found + 12)),
    offset: Double(view.uint32(at: found + 16)))
}

/// The zip64 end record, `nil` where none is. A locator that points beyond the file is taken (DEV-12).
private func longEnd(_ blocks: ZipBlocks, endAt: Int) throws -> End? {
  let locator = try blocks.read(at: endAt - locatorBytes, length: locatorBytes)
  guard locator.count == locatorBytes, locator.uint32(at: 0) == 0x0706_4b50 else { return nil }
  let from = endAt - locatorBytes - zip64Bytes
  let declared = locator.wide(at: 8)
  let leadsBeyond = declared > Double(endAt) && declared <= Double(maxSafeInteger)
  let view =
    declared == Double(from) || leadsBeyond ? try blocks.read(at: from, length: zip64Bytes) : []
  guard view.count == zip64Bytes, view.uint32(at: 0) == 0x0606_4b50 else {
    throw unreadable(
      "its zip64 locator points to \(numberText(declared)), expected the record right before it, "
        + "at \(from)")
  }
  let isPlain =
    view.wide(at: 4) == Double(zip64Bytes - 12) && locator.uint32(at: 4) == 0 && locator.uint32(at: 16) <= 1
    && view.uint32(at: 16) == 0 && view.uint32(at: 20) == 0
  if !isPlain {
    throw unreadable(
      "its zip64 record is of an unknown kind, or of a split archive, expected a plain one")
  }
  return End(
    from: from, onDisk: view.wide(at: 24), entries: view.wide(at: 32), size: view.wide(at: 40),
    offset: view.wide(at: 48))
}

/// A number that does not fit into the short record is all ones there; the rest is the same in both.
private func isSameEnd(_ short: End, _ long: End) -> Bool {
  let same = { (small: Double, large: Double, ones: Double) in small == ones || small == large }
  return same(short.onDisk, long.onDisk, 0xffff) && same(short.entries, long.entries, 0xffff)
    && same(short.size, long.size, 0xffff_ffff) && same(short.offset, long.offset, 0xffff_ffff)
}
