/// One record of the directory. Nothing of it was compared with the file that it describes.
struct ZipRecord {
  let name: String
  /// The name as it stands in the archive.
  let rawName: [UInt8]
  /// Bit 0 encrypted, 3 sizes stand after the data, 11 the name is UTF-8.
  let flags: Int
  /// 0 stored, 8 deflated.
  let method: Int
  let crc32: Int
  /// Bytes in the archive.
  let packedSize: Int
  /// Bytes that come out.
  let size: Int
  /// Offset of its local header.
  let headerAt: Int
  /// Offset of the next record, or of the directory: this file ends before it.
  var nextAt = 0
  /// 0 where the archive is not split.
  let disk: Int
  /// Unix mode in the upper half, those of DOS in the lowest byte.
  let attributes: Int
}

// A record (APPNOTE.TXT 6.3.10 §4.3.12): 0 signature, 4 made by (2), 6 version (2), 8 flags (2),
// 10 method (2), 12 time (2), 14 date (2), 16 CRC, 20 packed size, 24 size, 28 length of the name
// (2), 30 of the extra fields (2), 32 of the comment (2), 34 disk (2), 36 internal attributes (2),
// 38 attributes, 42 offset; then the name, the extra fields, the comment.
private let recordBytes = 46

/// Extra fields: sizes that do not fit (§4.5.3), and the name in UTF-8 (§4.6.9).
private let zip64Field = 0x0001
private let nameField = 0x7075
/// The flag of a name in UTF-8.
private let utf8Flag = 0x0800

/// The characters from 0x80 on in a name that is not UTF-8 (code page 437, APPNOTE §D.1).
private let cp437 = Array(
  ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
    + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}").unicodeScalars)

/// Reads the directory of a zip twice: first to see that it is complete and where the files begin, then
/// to hand them on. Of all records only a number each is kept.
///
/// - Throws: `ArchiveError` before the first record, unless it is an entry that is wrong.
func zipRecords(_ source: ArchiveSource, onRecord: (ZipRecord) throws -> Void) throws {
  let blocks = ZipBlocks(source)  // of its own: the files' bytes are read meanwhile
  let directory = try findDirectory(blocks, size: source.size)
  var starts: [Int] = []
  starts.reserveCapacity(directory.records)
  try recordsOf(blocks, directory: directory) { starts.append($0.headerAt) }
  starts.sort()
  if let first = starts.first, first != 0 {
    throw unreadable("something stands before its first entry: that is at \(first), expected at 0")
  }
  if zip(starts, starts.dropFirst()).contains(where: ==) {
    throw unreadable("two of its entries are in one place, expected one each")
  }
  try recordsOf(blocks, directory: directory) { record in
    var record = record
    record.nextAt = first(after: record.headerAt, in: starts) ?? directory.at
    try onRecord(record)
  }
}

private func recordsOf(
  _ blocks: ZipBlocks, directory: ZipDirectory, onRecord: (ZipRecord) throws -> Void
) throws {
  let (records, end) = (directory.records, directory.end)
  var at = directory.at
  for i in 0..<records {
    let head = try blocks.read(at: at, length: recordBytes)
    if at + recordBytes > end || head.uint32(at: 0) != 0x0201_4b50 {
      throw unreadable("it holds \(i) entries, expected \(records)")
    }
    let nameLength = head.uint16(at: 28)
    let extraLength = head.uint16(at: 30)
    let length = recordBytes + nameLength + extraLength + head.uint16(at: 32)
    if at + length > end {
      throw unreadable("its last record is cut short, expected it to end before the end record")
    }
    let whole = try blocks.read(at: at, length: length)
    at += length
    let rawName = whole.part(at: recordBytes, length: nameLength)
    let extra = whole.part(at: recordBytes + nameLength, length: extraLength)
    try onRecord(try recordOf(whole, rawName: rawName, extra: extra))
  }
  if at != end {
    throw unreadable(
      "it holds more than the \(records) entries that are declared, expected no others")
  }
}

private func recordOf(
  _ head: ArraySlice<UInt8>, rawName: ArraySlice<UInt8>, extra: ArraySlice<UInt8>
) throws -> ZipRecord {
  let flags = head.uint16(at: 8)
  let name = try nameOf(rawName, flags: flags)
  try checkNameField(name, extra: extra)
  var wide = WideNumbers(name: name, extra: extra)
  // In the order of the zip64 field.
  let size = try head.uint32(at: 24) == 0xffff_ffff ? wide.next(8) : head.uint32(at: 24)
  let packedSize = try head.uint32(at: 20) == 0xffff_ffff ? wide.next(8) : head.uint32(at: 20)
  let headerAt = try head.uint32(at: 42) == 0xffff_ffff ? wide.next(8) : head.uint32(at: 42)
  let disk = try head.uint16(at: 34) == 0xffff ? wide.next(4) : head.uint16(at: 34)
  return ZipRecord(
    name: name, rawName: Array(rawName), flags: flags, method: head.uint16(at: 10),
    crc32: head.uint32(at: 16), packedSize: packedSize, size: size, headerAt: headerAt, disk: disk,
    attributes: head.uint32(at: 38))
}

/// UTF-8 where it says so. A name beyond ASCII that does not is refused: readers differ in what they
/// take it for.
func nameOf(_ raw: ArraySlice<UInt8>, flags: Int) throws -> String {
  let utf8 = decodeUtf8(Array(raw))
  let text = utf8 ?? String(String.UnicodeScalarView(raw.map(cp437Scalar)))
  let isFlagged = flags & utf8Flag != 0
  if isFlagged && utf8 == nil {
    throw ArchiveError(text, reason: "has a name that is not UTF-8, expected what its flags say")
  }
  if !isFlagged && raw.contains(where: { $0 >= 0x80 }) {
    throw ArchiveError(
      text,
      reason: "has another name for other readers: it is not flagged as UTF-8, expected that beyond ASCII")
  }
  return text
}

private func cp437Scalar(_ byte: UInt8) -> Unicode.Scalar {
  byte < 0x80 ? Unicode.Scalar(byte) : cp437[Int(byte) - 0x80]
}

/// The name that some readers take in place of the header's must be the same (a version, a CRC, then the
/// name).
func checkNameField(_ name: String, extra: ArraySlice<UInt8>) throws {
  guard let other = try fieldOf(name, extra: extra, wanted: nameField) else { return }
  let found = decodeUtf8(Array(other.dropFirst(5)))
  if let found, isSame(found, name) { return }
  let said = found.map { quoted($0, maxUnits: 120) } ?? "one that is not UTF-8"
  throw ArchiveError(name, reason: "has another name in its extra fields (\(said)), expected the same")
}

/// Reads the zip64 field from its beginning; it holds what did not fit elsewhere, and only that.
private struct WideNumbers {
  let name: String
  let extra: ArraySlice<UInt8>
  var at = 0

  mutating func next(_ bytes: Int) throws -> Int {
    guard let field = try fieldOf(name, extra: extra, wanted: zip64Field), field.count >= at + bytes else {
      throw ArchiveError(name, reason: "has no zip64 field, expected one for the sizes it refers to")
    }
    let value = bytes == 4 ? Double(field.uint32(at: at)) : field.wide(at: at)
    at += bytes
    if value > Double(maxSafeInteger) {
      throw ArchiveError(name, reason: "declares \(numberText(value)) bytes, expected less than 2^53")
    }
    return Int(value)
  }
}

/// An extra field's data; what follows a field that is cut off is padding.
private func fieldOf(_ name: String, extra: ArraySlice<UInt8>, wanted: Int) throws
  -> ArraySlice<UInt8>?
{
  var found: ArraySlice<UInt8>?
  var at = 0
  while at + 4 <= extra.count {
    let length = extra.uint16(at: at + 2)
    if at + 4 + length > extra.count { break }
    if extra.uint16(at: at) == wanted {
      if found != nil {
        throw ArchiveError(name, reason: "has an extra field twice, expected it once")
      }
      found = extra.part(at: at + 4, length: length)
    }
    at += 4 + length
  }
  return found
}

/// The first of the ordered numbers above `at`.
private func first(after at: Int, in ordered: [Int]) -> Int? {
  var (low, high) = (0, ordered.count)
  while low < high {
    let middle = (low + high) / 2
    if ordered[middle] > at { high = middle } else { low = middle + 1 }
  }
  return low < ordered.count ? ordered[low] : nil
}
