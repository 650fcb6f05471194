/// Bytes that are read ahead: headers and data of small files lie next to each other.
private let blockBytes = 64 * 1024

/// Random access to an archive, within its size and within bounds; the last block is remembered.
final class ZipBlocks: ArchiveBytes {
  private let source: ArchiveSource
  private var block: [UInt8] = []
  private var blockAt = 0

  init(_ source: ArchiveSource) {
    self.source = source
  }

  /// Shorter than `length` only at the archive's end. No field of a zip declares more than a few times
  /// 64 KiB; the caller bounds the rest.
  func read(at: Int, length: Int) throws -> ArraySlice<UInt8> {
    let path = source.path
    let left = source.size - at
    let wanted = min(length, left)
    if at < 0 || wanted <= 0 { return [] }
    if at < blockAt || at + wanted > blockAt + block.count {
      let ahead = min(max(wanted, blockBytes), left)
      guard let read = try source.readRange(at, ahead), read.count >= wanted else {
        throw FileError(
          .missing, path: path, message: "Cannot read \(path): it became shorter while it was read")
      }
      block = read
      blockAt = at
    }
    return block[(at - blockAt)..<(at - blockAt + wanted)]
  }
}
