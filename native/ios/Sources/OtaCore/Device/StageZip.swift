/// Renames at once.
private let concurrency = 8

/// Room that a staging needs on the disk.
struct Room {
  /// Bytes that it needs in addition to those of the files.
  var extraBytes = 0
  /// Bytes of them that are on the disk.
  var presentBytes = 0
  /// Files of `.partial` that must stay.
  var kept = Set<String>()
}

/// The room of an archive that is unpacked while it comes in: its tail, an entry longer than that.
func tailRoom(_ manifest: Manifest) -> Int {
  let largest = manifest.files.values.map(\.size).max() ?? 0
  return min(manifest.bundleZip?.size ?? 0, tailBytes + largest)
}

/// Fills a version from its `bundle.zip`, which is unpacked while it comes in (DEV-30). What cannot be
/// read that way, or not as it should be, is downloaded and read by its directory: its verdict counts.
func fillFromZip(_ staging: Staging, zipUrl: String, requireRoom: (Room) throws -> Void) throws {
  guard let bundleZip = staging.manifest.bundleZip else {
    throw StageError(.invalid, message: "The manifest has no bundleZip")
  }
  let unpacking = Unpacking(staging)
  let zip = NamedContent(bundleZip, label: zipUrl)
  let isUnpacked = try unpacking.takeUnpacked()
  if !isUnpacked { staging.progress.note { $0.bytesTotal = zip.size } }
  do {
    do {
      if !isUnpacked { try unpackIncoming(staging, unpacking: unpacking, zip: zip) }
    } catch  where isRefusal(error) {
      let fetching = Fetching(path: zipUrl, ref: bundleZip, url: zipUrl)
      try unpackWhole(staging, unpacking: unpacking, zip: fetching, requireRoom: requireRoom)
    }
  } catch {
    if isRefusal(error) { unpacking.remove() }  // else the next staging finds it (DEV-21)
    throw error
  }
  for copied in unpacking.copies {
    try placeContent(copied.ref, at: copied.path, from: copied.from, in: staging)
  }
  try forEachParallel(unpacking.files.members, limit: concurrency) { path, from in
    try throwIfCancelled(staging)
    try staging.dependencies.files.rename(from, to: "\(staging.folder)/\(path)")
  }
}

/// Tells whether the archive is refused, as opposed to a disk or a network that fails.
private func isRefusal(_ thrown: Error) -> Bool {
  thrown is ArchiveError || isMismatch(thrown)
}

/// Tells whether bytes of the archive are wrong.
private func isMismatch(_ thrown: Error) -> Bool {
  let code = (thrown as? StageError)?.code
  return code == .sizeMismatch || code == .hashMismatch
}

/// Downloads the archive as a content, and unpacks what is not unpacked yet by its directory.
private func unpackWhole(
  _ staging: Staging, unpacking: Unpacking, zip: Fetching, requireRoom: (Room) throws -> Void
) throws {
  let (dependencies, progress) = (staging.dependencies, staging.progress)
  let (files, size) = (dependencies.files, zip.ref.size)
  let partials = try Partials(files, hashing: dependencies.hashing, root: dependencies.root)
  let presentBytes = partials.bytes(of: zip.ref)
  var kept = Set(unpacking.files.values)
  if let archive = partials.find(zip.ref) { kept.insert(archive.path) }
  try requireRoom(Room(extraBytes: size, presentBytes: presentBytes + unpacking.bytes, kept: kept))
  progress.note { counts in
    counts.bytesDone -= presentBytes  // which are reported again
    counts.bytesTotal = counts.bytesDone + size
  }
  let path = try fetchContent(
    dependencies, partials: partials, content: zip, cancel: dependencies.cancel,
    onBytes: { count in progress.report { $0.bytesDone += count } },
    onRestart: { _ in progress.note { $0.bytesTotal = $0.bytesDone + size } })
  unpacking.archive = path
  try unpacking.takeAll { onFile, _ in
    try bundleFiles(files, path: path, size: size, inflating: dependencies.inflating, onFile: onFile)
  }
}

/// Unpacks the archive while it comes in, from where an earlier process stopped (DEV-31). If it is
/// refused, it is read again from the end of its verified files (DEV-73), and then without what the
/// earlier process left, which may be wrong.
private func unpackIncoming(_ staging: Staging, unpacking: Unpacking, zip: NamedContent) throws {
  let (dependencies, progress) = (staging.dependencies, staging.progress)
  var tail = try openTail(dependencies, zip: zip)
  var (mayRewind, mayRestart) = (true, tail.from > 0)
  while true {
    do {
      return try unpackAfter(tail, staging: staging, unpacking: unpacking, zip: zip)
    } catch {
      let isRefused = isRefusal(error)
      if try isRefused && mayRewind && tail.rewind(isVerified: unpacking.has) {
        mayRewind = false
      } else if isRefused && mayRestart {
        mayRestart = false
        try tail.remove()
      } else {
        // The first error is thrown.
        try? isMismatch(error) ? tail.remove() : isRefused ? tail.refuse() : tail.flush()
        throw error
      }
      progress.note { $0.bytesTotal = $0.bytesDone + zip.size }  // they only grow (DEV-16)
      tail = try openTail(dependencies, zip: zip)
    }
  }
}

/// Unpacks the archive as far as a tail does not have it.
private func unpackAfter(
  _ tail: ZipTail, staging: Staging, unpacking: Unpacking, zip: NamedContent
) throws {
  let (dependencies, progress) = (staging.dependencies, staging.progress)
  if tail.from > 0 { progress.report { $0.bytesDone += tail.from } }
  let incoming = IncomingZip(dependencies, zip: zip, tail: tail)
  let source = ForwardSource(bytes: incoming, size: zip.size, from: tail.from) { bytes, at in
    try tail.add(bytes)
    if at >= tail.from { progress.report { $0.bytesDone += bytes.count } }
  }
  try unpacking.takeAll { onFile, settle in
    try incomingBundleFiles(source, inflating: dependencies.inflating, onFile: onFile) { entry in
      let ended = TailEntry(name: entry.name, header: entry.header, end: entry.end)
      try tail.endEntry(ended, settle: settle)
    }
  }
}

/// Yields the bytes on disk, then the rest. Only a complete archive can be hashed; its files always are.
private final class IncomingZip: ChunkSource {
  private enum Part {
    case begin, existing, rest, end
  }

  private let dependencies: StageDependencies
  private let zip: NamedContent
  private let tail: ZipTail
  private let hash: Sha256
  /// Offset where the rest goes on.
  private var at: Int
  private var part = Part.begin
  private var source: ChunkSource?

  init(_ dependencies: StageDependencies, zip: NamedContent, tail: ZipTail) {
    self.dependencies = dependencies
    self.zip = zip
    self.tail = tail
    hash = dependencies.hashing.createSha256()
    at = tail.end
  }

  func next() throws -> [UInt8]? {
    do {
      return try nextChunk()
    } catch  where part == .existing && isUnreadable(error) {  // as wrong bytes (DEV-72)
      throw StageError(.hashMismatch, message: "\(error)")
    }
  }

  private func nextChunk() throws -> [UInt8]? {
    while part != .end {
      guard let chunk = try source?.next() else {
        try openNext()
        continue
      }
      if part == .rest { at += chunk.count }
      if at > zip.size { throw tooMany(zip) }
      hash.update(chunk)
      return chunk
    }
    return nil
  }

  func close() {
    source?.close()
    source = nil
  }

  private func openNext() throws {
    close()
    switch part {
    case .begin:
      part = .existing
      source = try tail.read()
    case .existing:
      part = .rest
      if at < zip.size || at == 0 {
        source = openDownload(
          dependencies, url: zip.label, content: zip.ref, from: at, cancel: dependencies.cancel)
      }
    case .rest:
      part = .end
      if tail.from == 0 { try requireEqual(zip, seen: at, hex: hash.hex) }
    case .end:
      break
    }
  }
}
