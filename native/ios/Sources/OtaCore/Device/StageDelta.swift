import Foundation

/// Downloads at once, and beside them files that share their bytes with a base.
private let concurrency = 6

/// A file that lies on the device.
private struct Held: Sendable {
  let path: String
  let ref: ContentRef
  let from: String
  let base: String
  let url: String?
}

/// A content to fetch: once, however many paths have it.
private final class Wanted: Sendable {
  let content: Fetching
  let others: [String]
  private let fetched = Locked<String?>(nil)

  init(_ content: Fetching, others: [String]) {
    self.content = content
    self.others = others
  }

  /// Path of the fetched file; `nil` until then.
  var file: String? {
    get { fetched.withLock(\.self) }
    set { fetched.withLock { $0 = newValue } }
  }
}

/// Fills a version from bases on the device and single downloads.
///
/// - Parameter shares: Whether the disk lets versions share bytes; else they are copied one at a time (DEV-60).
func fillFromBase(_ staging: Staging, request: DeltaStaging, shares: Bool) throws {
  let (copies, downloads) = readFiles(staging, request: request)
  let bases = try findBases(staging.dependencies, request: request)
  let failed = Cancel()
  try Cancel.any([staging.dependencies.cancel, failed]) { cancel in
    let filling = Filling(staging, bases: bases, failed: failed, cancel: cancel)
    let wanted = byContent(downloads)
    let lost = Locked<[Wanted]>([])
    filling.expect(wanted)  // before a copy tells how far all is
    try forEachParallel([0, 1], limit: 2) { way in
      if way == 0 {
        let missing = try filling.copyAll(copies, wanted: wanted, lanes: shares ? concurrency : 1)
        lost.withLock { $0 = missing }
      } else {
        try filling.fetchAll(wanted)
      }
    }
    let again = lost.withLock(\.self)
    filling.expect(again)
    try filling.fetchAll(again)
    // Last: what a killed process leaves is in `.partial`, where the next staging finds it (DEV-21).
    try filling.placeAll(wanted + again)
  }
}

/// Each file of the manifest, where it lies and where to fetch it.
private func readFiles(_ staging: Staging, request: DeltaStaging) -> (
  copies: [Held], downloads: [Fetching]
) {
  var copies: [Held] = []
  var downloads: [Fetching] = []
  for (path, ref) in staging.manifest.files {
    switch request.sources[path] {
    case .copy(let from, let base, let url):
      copies.append(
        Held(path: path, ref: ref, from: from, base: base ?? request.base, url: url))
    case .download(let url):
      downloads.append(Fetching(path: path, ref: ref, url: url))
    case nil:
      continue  // NAT-4: each file has one
    }
  }
  return (copies, downloads)
}

private func byContent(_ files: [Fetching]) -> [Wanted] {
  var ordered: [Fetching] = []
  var others: [String: [String]] = [:]
  for file in files {
    if others[file.ref.hash]?.append(file.path) == nil {
      others[file.ref.hash] = []
      ordered.append(file)
    }
  }
  return ordered.map { Wanted($0, others: others[$0.ref.hash] ?? []) }
}

/// The folders of the bundles that are copied from; only the request's own base must be there.
private func findBases(_ dependencies: StageDependencies, request: DeltaStaging) throws
  -> [String: String]
{
  let (root, name) = (dependencies.root, request.name)
  var found: [String: String] = [:]
  found[embeddedVersion] = dependencies.embedded
  for base in Set([request.base] + request.copy.compactMap(\.base)) where base != embeddedVersion {
    let mark = markPath(root, name: name, version: base)
    if try unlessUnreadable({ try dependencies.files.stat(mark) }) != nil {
      found[base] = versionFolder(root, name: name, version: base)
    }
  }
  if found[request.base] == nil {
    throw StageError(.baseMissing, message: "The device has no complete \(name) \(request.base)")
  }
  return found
}

/// Fills a version in lanes of which the first failure of all ends the others, and is the one that
/// is thrown.
private final class Filling: Sendable {
  private let staging: Staging
  private let bases: [String: String]
  private let failed: Cancel
  /// Ends the downloads.
  private let cancel: Cancel
  /// Contents that could not be copied.
  private let again = Locked<[Fetching]>([])

  init(_ staging: Staging, bases: [String: String], failed: Cancel, cancel: Cancel) {
    self.staging = staging
    self.bases = bases
    self.failed = failed
    self.cancel = cancel
  }

  /// Copies what lies on the device. Answers what has to be fetched instead.
  func copyAll(_ copies: [Held], wanted: [Wanted], lanes: Int) throws -> [Wanted] {
    try inLanes(copies, lanes: lanes) { [self] copy in
      if let missing = try copyHeld(copy) {
        again.withLock { $0.append(missing) }
      } else {
        staging.progress.report { $0.filesDone += 1 }
      }
    }
    let lost = byContent(again.withLock(\.self))
    let waiting = wanted.filter { $0.file == nil }
    try unlessFailed { try requireCheaper(lost: lost, rest: waiting + lost) }
    return lost
  }

  /// Counts what is to be fetched.
  func expect(_ contents: [Wanted]) {
    let bytes = contents.reduce(0) { $0 + $1.content.ref.size }
    staging.progress.note { $0.bytesTotal += bytes }
  }

  func fetchAll(_ contents: [Wanted]) throws {
    let (dependencies, progress) = (staging.dependencies, staging.progress)
    let zip = staging.manifest.bundleZip
    // What a delta may cost in vain, where there is a whole bundle: its twentieth, and 1 MiB (DEV-37).
    let maxRepeatedBytes = zip.map { Double($0.served ?? $0.size) / 20 + 1024 * 1024 } ?? .infinity
    try inLanes(contents) { [self] wanted in
      let file = try fetchContent(
        dependencies, partials: staging.partials, content: wanted.content, cancel: cancel,
        maxRepeatedBytes: maxRepeatedBytes,
        onBytes: { count in progress.report { $0.bytesDone += count } },
        onRestart: { lost in progress.note { $0.bytesTotal += lost } })
      wanted.file = file
    }
  }

  /// Puts what was fetched in its places.
  func placeAll(_ contents: [Wanted]) throws {
    try inLanes(contents) { [staging] wanted in
      guard let from = wanted.file else { return }
      let content = wanted.content
      for other in wanted.others { try placeContent(content.ref, at: other, from: from, in: staging) }
      try staging.dependencies.files.rename(from, to: "\(staging.folder)/\(content.path)")
      staging.progress.report { $0.filesDone += 1 + wanted.others.count }
    }
  }

  private func inLanes<T: Sendable>(
    _ items: [T], lanes: Int = concurrency, work: @escaping @Sendable (T) throws -> Void
  ) throws {
    try forEachParallel(items, limit: lanes) { [self] item in
      try unlessFailed { try work(item) }
    }
  }

  private func unlessFailed(_ work: () throws -> Void) throws {
    if failed.isCancelled { return }
    do {
      try throwIfCancelled(staging)
      try work()
    } catch {
      if failed.cancel() { throw error }
    }
  }

  /// `nil` when the copy is in place, else the file, which is to be fetched alone (DEV-18).
  private func copyHeld(_ copy: Held) throws -> Fetching? {
    do {
      guard let folder = bases[copy.base] else {
        throw StageError(.baseMissing, message: "The base of \(copy.from) is gone")
      }
      let put = copy.base == embeddedVersion ? copyContent : placeContent
      try put(copy.ref, copy.path, "\(folder)/\(copy.from)", staging)
      return nil
    } catch {
      guard case .failed(let code, let detail) = stageFailure(error),
        ![.diskFull, .diskReadOnly, .invalid].contains(code)
      else { throw error }
      // Perhaps only the base is unreadable, which the whole bundle does not need.
      guard let url = copy.url else {
        throw StageError(.baseMissing, message: "\(copy.from) of the base: \(detail)")
      }
      return Fetching(path: copy.path, ref: copy.ref, url: url)
    }
  }

  /// Refuses a base of which too much is lost: the client then stages the whole bundle (DEV-27). The
  /// bytes in `.partial`, of contents or of the bundle, are not fetched either way.
  private func requireCheaper(lost: [Wanted], rest: [Wanted]) throws {
    if lost.isEmpty { return }
    let download = rest.map(\.content).map {
      Download(path: $0.path, hash: $0.ref.hash, size: $0.ref.size)
    }
    let (dependencies, manifest) = (staging.dependencies, staging.manifest)
    let partial = try partialBytes(dependencies.files, root: dependencies.root)
    let way = cheaperWay(
      download, files: manifest.files, bundleZip: manifest.bundleZip, partial: partial)
    if way == .delta { return }
    let found = "\(lost.count) contents of the bases are not what they should be"
    throw StageError(.baseMissing, message: "\(found): the whole bundle costs less")
  }
}
