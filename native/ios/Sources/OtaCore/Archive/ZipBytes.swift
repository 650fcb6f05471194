/// The packed bytes of a file, and what must come out of them.
struct PackedFile: Equatable {
  let name: String
  /// 0 stored, 8 deflated.
  let method: Int
  /// Offset of the packed bytes.
  let at: Int
  /// Bytes in the archive.
  let packedSize: Int
  /// Bytes that come out.
  let size: Int
  let crc32: Int
  /// End of the bytes that may be this file's: a data descriptor is between, or `nil`.
  let descriptorBefore: Int?
}

/// Before the name of a local header (APPNOTE.TXT 6.3.10 §4.3.7).
let headerBytes = 30
/// The longest data descriptor.
private let descriptorBytes = 24
/// The flag of a file whose sizes and CRC stand after it.
let sizesAfter = 0x0008
/// The flags that change nothing for a reader: how hard it was deflated.
private let deflateFlags = 0x0006

/// Locates a file's bytes. Its local header must describe the same file as the directory, under no
/// other name.
///
/// - Throws: `ArchiveError` when it does not, or the bytes reach into what follows them.
func locateFile(_ record: ZipRecord, blocks: ArchiveBytes) throws -> PackedFile {
  let (name, flags, headerAt) = (record.name, record.flags, record.headerAt)
  let length = headerBytes + record.rawName.count
  let head = try blocks.read(at: headerAt, length: length)
  guard head.count == length, head.uint32(at: 0) == 0x0403_4b50 else {
    throw ArchiveError(
      name, reason: "has no header where the directory says, expected one at \(headerAt)")
  }
  let isSameName =
    head.uint16(at: 26) == record.rawName.count
    && head.dropFirst(headerBytes).elementsEqual(record.rawName)
  let areSameSizes =
    flags & sizesAfter != 0
    || head.uint32(at: 14) == record.crc32
      && [record.packedSize, 0xffff_ffff].contains(head.uint32(at: 18))
      && [record.size, 0xffff_ffff].contains(head.uint32(at: 22))
  let isSame =
    isSameName && areSameSizes && head.uint16(at: 8) == record.method
    && (head.uint16(at: 6) ^ flags) & ~deflateFlags == 0
  if !isSame {
    throw ArchiveError(
      name,
      reason: "has a header that names another file than the directory, expected the same name, flags, "
        + "method, sizes and CRC")
  }
  let extraAt = headerAt + length
  let extra = head.uint16(at: 28)
  if extra > 0 { try checkNameField(name, extra: try blocks.read(at: extraAt, length: extra)) }
  let at = extraAt + extra
  if at + record.packedSize > record.nextAt {
    throw ArchiveError(
      name,
      reason: "reaches into the entry that follows it, or into the directory: its \(record.packedSize) "
        + "bytes begin at \(at), expected them to end by \(record.nextAt)")
  }
  return PackedFile(
    name: name, method: record.method, at: at, packedSize: record.packedSize, size: record.size,
    crc32: record.crc32, descriptorBefore: flags & sizesAfter == 0 ? nil : record.nextAt)
}

/// Sizes and CRC that stand after the data (§4.3.9) must be those of the directory: a reader who streams
/// knows no others. They are of four or eight bytes, with a signature or without.
private func checkDescriptor(_ file: PackedFile, blocks: ArchiveBytes) throws {
  guard let before = file.descriptorBefore else { return }
  let from = file.at + file.packedSize
  let found = try blocks.read(at: from, length: min(descriptorBytes, before - from))
  let isSame = { (start: Int, width: Int) -> Bool in
    guard found.count >= start + 4 + 2 * width else { return false }
    let number = { width == 4 ? Double(found.uint32(at: $0)) : found.wide(at: $0) }
    return found.uint32(at: start) == file.crc32 && number(start + 4) == Double(file.packedSize)
      && number(start + 4 + width) == Double(file.size)
  }
  let isSigned = found.count >= 4 && found.uint32(at: 0) == 0x0807_4b50
  let starts = isSigned ? [4, 0] : [0]  // a CRC may look like the signature
  if starts.contains(where: { isSame($0, 4) || isSame($0, 8) }) { return }
  throw ArchiveError(
    file.name,
    reason: "has other sizes or another CRC after its data than the directory, or none, expected the same")
}

/// Packed bytes that are inflated at once. A piece comes out whole before the next is asked for, at as
/// much as 1,032 times its size.
private let pieceBytes = 4 * 1024
/// Bytes that are handed on at once: each piece costs a trip to the disk.
private let chunkBytes = 256 * 1024

/// The bytes of one file, their CRC and size checked as they end.
final class ZipBytes: ChunkSource {
  private let file: PackedFile
  private let blocks: ArchiveBytes
  private let inflate: Inflate?
  private var crc32 = Crc32()
  /// Packed bytes that were used, and bytes that came out of them.
  private var used = 0
  private var size = 0
  private var isAtEnd = false

  /// - Throws: `InflateError` when there is no memory.
  init(_ file: PackedFile, blocks: ArchiveBytes, inflating: Inflating) throws {
    self.file = file
    self.blocks = blocks
    inflate = file.method == 0 ? nil : try inflating.createInflate()
  }

  /// - Throws: `ArchiveError`, as the file ends, when it is not what the directory says.
  func next() throws -> [UInt8]? {
    if isAtEnd { return nil }
    var chunk: [UInt8] = []
    chunk.reserveCapacity(min(file.size - size, chunkBytes + 16 * pieceBytes))
    while chunk.count < chunkBytes {
      if used == file.packedSize {
        try end()
        break
      }
      try use { chunk += $0 }
    }
    return chunk.isEmpty ? nil : chunk
  }

  /// All bytes of a file that is to be held in memory.
  func readAll() throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.size)
    while used < file.packedSize { try use { bytes += $0 } }
    try end()
    return bytes
  }

  func close() {
    inflate?.close()
  }

  private func use(_ onBytes: (ArraySlice<UInt8>) -> Void) throws {
    let packed = try blocks.read(at: file.at + used, length: min(pieceBytes, file.packedSize - used))
    if packed.isEmpty {
      throw ArchiveError(
        file.name, reason: "is cut short at \(used) of its \(file.packedSize) bytes in the archive")
    }
    used += packed.count
    guard let inflate else { return try receive(packed, onBytes: onBytes) }
    do {
      let taken = try inflate.write(packed) { try receive($0, onBytes: onBytes) }
      if taken < packed.count {
        throw InflateError("its deflated bytes end at \(used - packed.count + taken)")
      }
      if used == file.packedSize { try inflate.finish { try receive($0, onBytes: onBytes) } }
    } catch let error as InflateError {
      throw damaged(error.message)
    }
  }

  private func receive(_ bytes: ArraySlice<UInt8>, onBytes: (ArraySlice<UInt8>) -> Void) throws {
    size += bytes.count
    if size > file.size {
      throw ArchiveError(
        file.name, reason: "has more bytes, expected the \(file.size) that the directory says")
    }
    crc32.update(bytes)
    onBytes(bytes)
  }

  private func end() throws {
    isAtEnd = true
    if inflate?.hasEnded == false { throw damaged("its deflated bytes are cut short") }
    if size != file.size { throw damaged("it has \(size) bytes") }
    if crc32.value != file.crc32 { throw damaged("it has the CRC \(hex(crc32.value))") }
    try checkDescriptor(file, blocks: blocks)
  }

  private func damaged(_ why: String) -> ArchiveError {
    ArchiveError(
      file.name,
      reason: "is damaged, or has another CRC or size than the directory says (\(why)), "
        + "expected \(file.size) bytes with the CRC \(hex(file.crc32))")
  }
}

private func hex(_ number: Int) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: max(8 - digits.count, 0)) + digits
}
