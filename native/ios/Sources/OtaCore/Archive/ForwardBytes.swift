/// An archive as it comes in.
struct ForwardSource {
  /// Its bytes in order; of the entries that end by `from` their local headers alone.
  let bytes: ChunkSource
  /// Bytes of the whole archive.
  let size: Int
  /// Offset of the entry from which on all bytes come; 0 for the whole archive.
  let from: Int
  /// Called with bytes of `bytes` as they are read, and their offset in the archive.
  let onRead: (_ bytes: ArraySlice<UInt8>, _ at: Int) throws -> Void
}

/// The most of an archive that is kept in memory until its directory was read.
private let keptBytes = 32 * 1024 * 1024

/// Size of the pieces in which what follows the last entry is kept, however it comes in.
private let restBytes = 64 * 1024

/// A piece of an archive.
private struct Piece {
  let at: Int
  let bytes: [UInt8]

  var end: Int { at + bytes.count }
}

/// The parts of an archive that are looked at again with its directory: every local header, what follows
/// the last entry, and as much before that as an end record is looked for in.
final class Kept {
  private var pieces: [Piece] = []
  private var recent: ArraySlice<Piece> = []
  private var size = 0
  private var ordered: [Piece]?

  /// Keeps a piece until the end.
  func keep(at: Int, bytes: [UInt8]) throws {
    size += bytes.count
    if size > keptBytes {
      throw ArchiveError(nil, reason: "its headers have more than \(keptBytes) bytes")
    }
    pieces.append(Piece(at: at, bytes: bytes))
  }

  /// Keeps a piece while an end record might reach back into it.
  func keepRecent(at: Int, bytes: ArraySlice<UInt8>) {
    let piece = Piece(at: at, bytes: Array(bytes))
    recent.append(piece)
    while let first = recent.first, first.end < piece.end - endSearchBytes { recent.removeFirst() }
  }

  /// `Files.readRange`, of the kept pieces: shorter where the next one is not kept.
  func readRange(at: Int, length: Int) -> [UInt8] {
    let pieces = ordered ?? (pieces + recent).sorted { $0.at < $1.at }
    ordered = pieces
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].end <= at { low = middle + 1 } else { high = middle }
    }
    var found: [UInt8] = []
    for piece in pieces[low...] {
      let next = at + found.count
      if piece.at > next || found.count >= length { break }
      let from = next - piece.at
      found += piece.bytes[from..<min(from + length - found.count, piece.bytes.count)]
    }
    return found
  }
}

/// Reads a stream of chunks in pieces of any size, once, from the first byte to the last.
final class ForwardBytes: ArchiveBytes {
  private let source: ForwardSource
  private let kept: Kept
  private var chunk: ArraySlice<UInt8> = []
  /// Offset of the next byte in the archive.
  private(set) var at = 0

  init(_ source: ForwardSource, kept: Kept) {
    self.source = source
    self.kept = kept
  }

  /// The next bytes, which stay the next ones. Shorter only at the end.
  func peek(_ length: Int) throws -> ArraySlice<UInt8> {
    if chunk.count < length {
      var joined = Array(chunk)
      while joined.count < length, let more = try source.bytes.next() {
        if joined.isEmpty { joined = more } else { joined += more }
      }
      chunk = joined[...]
    }
    return chunk.prefix(length)
  }

  /// Packed bytes. `at` is where they lie: the next ones. Shorter only at the end.
  func read(at: Int, length: Int) throws -> ArraySlice<UInt8> {
    precondition(at == self.at, "Cannot read at \(at): the next byte is \(self.at)")
    let bytes = try take(length)
    kept.keepRecent(at: at, bytes: bytes)
    if bytes.count < length { throw ArchiveError(nil, reason: "it ends at \(self.at)") }
    return bytes
  }

  /// A local header, which is kept. Shorter only at the end.
  func readHeader(_ length: Int) throws -> [UInt8] {
    let at = self.at
    let header = Array(try take(length))
    try kept.keep(at: at, bytes: header)
    return header
  }

  /// Goes on to `at`: what lies before is not among the bytes.
  func pass(to at: Int) {
    self.at = at
  }

  /// Reads to the archive's end, and keeps what there is.
  func readRest() throws {
    while true {
      let at = self.at
      let bytes = try take(restBytes)
      if bytes.isEmpty { break }
      try kept.keep(at: at, bytes: Array(bytes))
    }
    if at != source.size {
      throw ArchiveError(nil, reason: "it ends at \(at), expected \(source.size) bytes")
    }
  }

  private func take(_ length: Int) throws -> ArraySlice<UInt8> {
    let bytes = try peek(length)
    let at = self.at
    chunk = chunk.dropFirst(bytes.count)
    self.at += bytes.count
    try source.onRead(bytes, at)
    return bytes
  }
}
