/// The flags that a plain entry may carry: how hard it was deflated, sizes after it, a UTF-8 name.
private let plainFlags = 0x080e

/// Of DOS's attributes the one of a folder.
private let dosFolder = 0x10

/// Walks the entries of a zip in the order of its directory. What two readers could take for different
/// archives is refused: what stands before or behind the structures that the directory needs, entries
/// over each other, a local header or a data descriptor that describes another file.
///
/// - Throws: `ArchiveError` naming the entry that is wrong; `FileError`; what `onEntry` throws.
func zipEntries(
  _ source: ArchiveSource, inflating: Inflating, onEntry: (ArchiveEntry) throws -> Void
) throws {
  let blocks = ZipBlocks(source)
  try zipRecords(source) { record in
    if let wrong = refusal(record) { throw ArchiveError(record.name, reason: wrong) }
    var located: PackedFile?
    let locate = {
      let file = try located ?? locateFile(record, blocks: blocks)
      located = file
      return file
    }
    try onEntry(
      ArchiveEntry(name: record.name, size: record.size) {
        try ZipBytes(try locate(), blocks: blocks, inflating: inflating)
      })
    _ = try locate()  // also of what nobody opened
  }
}

/// The fields of a record by which an entry is refused.
protocol RefusedBy {
  var name: String { get }
  var flags: Int { get }
  var method: Int { get }
  var size: Int { get }
  var disk: Int { get }
  var attributes: Int { get }
}

extension ZipRecord: RefusedBy {}

/// Reason to refuse an entry; `nil` when it is taken.
func refusal(_ record: some RefusedBy) -> String? {
  if record.flags & ~plainFlags != 0 {
    return "is encrypted or patched: it has the flags 0x\(String(record.flags, radix: 16)), "
      + "expected none beyond 0x\(String(plainFlags, radix: 16))"
  }
  if record.method != 0 && record.method != 8 {
    return "is compressed by method \(record.method), expected 0 (stored) or 8 (deflated)"
  }
  if record.disk != 0 {
    return "lies in part \(record.disk) of a split archive, expected one whole file"
  }
  let type = record.attributes >> 28
  guard let word = words[type] else { return "is a device or a pipe, expected files" }
  let isFile = type == 0o10 || type == 0o12
  let isDosFolder = record.attributes & dosFolder != 0 && type != 0o04
  let endsAsFolder = record.name.utf8.last == UInt8(ascii: "/")
  if endsAsFolder ? isFile : isDosFolder {
    return "is a folder by its name or by its attributes alone, expected both or neither"
  }
  let kind = word ?? (endsAsFolder ? "folder" : "file")
  return kind == "file" ? nil : "is a \(kind), expected files"
}

/// The kinds of Unix modes; `nil` for that of an archive that has none.
private let words: [Int: String?] = [0: nil, 0o04: "folder", 0o10: "file", 0o12: "symbolic link"]
