import Foundation

/// Up to here a file is held in memory, so that several are written at once, in bytes.
private let smallBytes = 512 * 1024

/// The files of a bundle as they are unpacked: into `.partial`, where they outlive the process. One
/// thread unpacks; those that write tell it what is done.
final class Unpacking: Sendable {
  /// A file to be copied from one that has the same content.
  struct Copied {
    let path: String
    let ref: ContentRef
    let from: String
  }

  private struct State {
    var archive: String?
    var placed = Record<String>()
    var byHash: [String: String] = [:]
    /// Contents of which a file is being written.
    var writing = Set<String>()
    /// Files whose content another one has.
    var same: [(path: String, ref: ContentRef)] = []
    var taken = Set<Utf8Key>()
  }

  private let staging: Staging
  private let state = Locked(State())

  init(_ staging: Staging) {
    self.staging = staging
  }

  /// Path of the archive, if all of it had to be downloaded.
  var archive: String? {
    get { state.withLock(\.archive) }
    set { state.withLock { $0.archive = newValue } }
  }

  /// Location of each unpacked file, by its path: synced, with size and hash right.
  var files: Record<String> { state.withLock(\.placed) }

  /// Files to be copied from one that has the same content, once all are unpacked.
  var copies: [Copied] {
    state.withLock { state in
      state.same.compactMap { path, ref in
        state.byHash[ref.hash].map { Copied(path: path, ref: ref, from: $0) }
      }
    }
  }

  /// Whether a file was unpacked.
  func has(_ path: String) -> Bool {
    state.withLock { $0.taken.contains(Utf8Key(text: path)) }
  }

  /// Bytes of the unpacked files.
  var bytes: Int {
    files.keys.reduce(0) { $0 + (staging.manifest.files[$1]?.size ?? 0) }
  }

  /// Takes what earlier processes unpacked, where that is all. Answers whether nothing is left to unpack.
  func takeUnpacked() throws -> Bool {
    let (contents, partials) = (staging.manifest.files, staging.partials)
    if contents.values.contains(where: { $0.size == 0 || partials.bytes(of: $0) != $0.size }) {
      return false
    }
    var isAll = true
    for (path, ref) in contents {
      try throwIfCancelled(staging)
      if isSame(path, ref: ref) { continue }
      if let held = try heldFile(path, ref: ref) { add(path, ref: ref, file: held) } else { isAll = false }
    }
    return isAll
  }

  /// Unpacks what is not unpacked yet of the files that `walk` hands on. It is given what to do with each
  /// file, and what waits until all so far are on the disk.
  func takeAll(
    _ walk: (_ onFile: (BundleFile) throws -> Void, _ settle: () throws -> Void) throws -> Void
  ) throws {
    let queue = WriteQueue()
    defer { queue.end() }
    state.withLock { $0.writing = [] }
    var missing = Set(staging.manifest.files.keys.map(Utf8Key.init))
    let walked = Result {
      try walk({ file in try take(file, missing: &missing, queue: queue) }, queue.settle)
    }
    try queue.settle()
    try walked.get()
    if !missing.isEmpty {
      let missingPath = staging.manifest.files.keys.first { missing.contains(Utf8Key(text: $0)) } ?? ""
      throw ArchiveError(
        nil, reason: "it lacks \(quoted(missingPath)), expected each file of the manifest once")
    }
  }

  /// Removes what was unpacked, and the archive: it is refused.
  func remove() {
    let disk = staging.dependencies.files
    for path in files.values + (archive.map { [$0] } ?? []) {
      try? disk.remove(path)  // swept
    }
  }

  private func take(_ file: BundleFile, missing: inout Set<Utf8Key>, queue: WriteQueue) throws {
    try throwIfCancelled(staging)
    let path = file.name
    guard let ref = staging.manifest.files[path], missing.remove(Utf8Key(text: path)) != nil else {
      let found = "which its manifest does not name, or twice"
      throw ArchiveError(path, reason: "is in it, \(found), expected each file of the manifest once")
    }
    if file.size != ref.size {  // before a byte is inflated
      let found = "\(quoted(path)) has \(file.size) bytes, expected \(ref.size)"
      throw StageError(.sizeMismatch, message: "In bundle.zip \(found)")
    }
    if !has(path) {
      try unpack(file, ref: ref, queue: queue)
    }
  }

  private func unpack(_ file: BundleFile, ref: ContentRef, queue: WriteQueue) throws {
    let path = file.name
    if isSame(path, ref: ref) { return }
    // An empty file has no bytes to find: if its entry is passed, it is made again.
    let held = try ref.size > 0 || file.isPassed ? heldFile(path, ref: ref) : nil
    if let held { return add(path, ref: ref, file: held) }
    if file.isPassed {
      throw ArchiveError(path, reason: "was unpacked before and is gone, expected it in .partial")
    }
    state.withLock { _ = $0.writing.insert(ref.hash) }
    let (files, hashing) = (staging.dependencies.files, staging.dependencies.hashing)
    let target = "\(partialFolder(staging.dependencies.root))/\(ref.hash).\(randomId())"
    let named = NamedContent(ref, label: path)
    let source = try file.open()
    if ref.size > smallBytes {
      let body = try verified(.chunks(source), expected: named, by: hashing)
      try files.write(target, body: body, createNew: true, sync: false)
      try queue.start(0) { [self] in
        try files.sync(target)
        add(path, ref: ref, file: target)
      }
    } else {
      defer { source.close() }
      let bytes = try source.readAll()
      try queue.start(ref.size) { [self] in
        let body = try verified(.bytes(bytes), expected: named, by: hashing)
        try files.write(target, body: body, createNew: true, sync: true)
        add(path, ref: ref, file: target)
      }
    }
  }

  /// One content has one file: notes what is to be copied from another one.
  private func isSame(_ path: String, ref: ContentRef) -> Bool {
    let isSame = state.withLock { state in
      guard state.writing.contains(ref.hash) || state.byHash[ref.hash] != nil else { return false }
      state.same.append((path, ref))
      return true
    }
    if isSame { reportFile(path) }
    return isSame
  }

  /// A file that an earlier process unpacked, hashed again (DEV-20); `nil` when there is none.
  private func heldFile(_ path: String, ref: ContentRef) throws -> String? {
    let partials = staging.partials
    if partials.bytes(of: ref) != ref.size { return nil }
    let content = try partials.open(NamedContent(ref, label: path))
    return try content.from == ref.size && content.finish() ? content.path : nil
  }

  private func add(_ path: String, ref: ContentRef, file: String) {
    state.withLock { state in
      state.placed[path] = file
      state.byHash[ref.hash] = file
    }
    reportFile(path)
  }

  private func reportFile(_ path: String) {
    state.withLock { _ = $0.taken.insert(Utf8Key(text: path)) }
    staging.progress.report { $0.filesDone += 1 }
  }
}
