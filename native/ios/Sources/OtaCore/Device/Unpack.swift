import Foundation

/// Up to here a file is held in memory, so that several are written at once, in bytes.
private let smallBytes = 512 * 1024

/// The files of a bundle as they are unpacked: into `.partial`, where they outlive the process. One
/// thread unpacks; those that write tell it what is done.
final class Unpacking {
  /// A file to be copied from one that has the same content.
  struct Copied {
    let path: String
    let ref: ContentRef
    let from: String
  }

  /// Where the archive lies, if it had to be downloaded as a whole.
  var archive: String?
  private let staging: Staging
  private let lock = NSLock()
  private var placed = Record<String>()
  private var byHash: [String: String] = [:]
  /// Contents of which a file is being written.
  private var writing = Set<String>()
  /// Files whose content another one has.
  private var same: [(path: String, ref: ContentRef)] = []
  private var taken = Set<Utf8Key>()

  init(_ staging: Staging) {
    self.staging = staging
  }

  /// Where each unpacked file lies, by its path: synced, with size and hash right.
  var files: Record<String> { lock.withLock { placed } }

  /// Files to be copied from one that has the same content, once all are unpacked.
  var copies: [Copied] {
    same.compactMap { path, ref in
      lock.withLock { byHash[ref.hash] }.map { Copied(path: path, ref: ref, from: $0) }
    }
  }

  /// Bytes of the unpacked files.
  var bytes: Int {
    files.keys.reduce(0) { $0 + (staging.manifest.files[$1]?.size ?? 0) }
  }

  /// Takes what earlier processes unpacked, where that is all. Answers whether nothing is left to unpack.
  func takeLying() throws -> Bool {
    let (contents, partials) = (staging.manifest.files, staging.partials)
    if contents.values.contains(where: { $0.size == 0 || partials.bytes(of: $0) != $0.size }) {
      return false
    }
    var isAll = true
    for (path, ref) in contents {
      try throwIfCancelled(staging)
      if isSame(path, ref) { continue }
      if let held = try heldFile(path, ref) { add(path, ref, held) } else { isAll = false }
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
    writing = []
    var missing = Set(staging.manifest.files.keys.map(Utf8Key.init))
    let walked = Result {
      try walk({ file in try take(file, &missing, queue) }, queue.settle)
    }
    try queue.settle()
    try walked.get()
    if !missing.isEmpty {
      let lacks = staging.manifest.files.keys.first { missing.contains(Utf8Key(text: $0)) } ?? ""
      throw ArchiveError(
        nil, "it lacks \(quoted(lacks)), expected each file of the manifest once")
    }
  }

  /// Removes what was unpacked, and the archive: it is refused.
  func remove() {
    let disk = staging.dependencies.files
    for path in files.values + (archive.map { [$0] } ?? []) {
      try? disk.remove(path)  // swept
    }
  }

  private func take(_ file: BundleFile, _ missing: inout Set<Utf8Key>, _ queue: WriteQueue) throws {
    try throwIfCancelled(staging)
    let path = file.name
    guard let ref = staging.manifest.files[path], missing.remove(Utf8Key(text: path)) != nil else {
      let found = "which its manifest does not name, or twice"
      throw ArchiveError(path, "is in it, \(found), expected each file of the manifest once")
    }
    if file.size != ref.size {  // before a byte is inflated
      let found = "\(quoted(path)) has \(file.size) bytes, expected \(ref.size)"
      throw StageError(.sizeMismatch, "In bundle.zip \(found)")
    }
    if !lock.withLock({ taken.contains(Utf8Key(text: path)) }) { try unpack(file, ref, queue) }
  }

  private func unpack(_ file: BundleFile, _ ref: ContentRef, _ queue: WriteQueue) throws {
    let path = file.name
    if isSame(path, ref) { return }
    if let held = try heldFile(path, ref) { return add(path, ref, held) }
    if file.isPassed {
      throw ArchiveError(path, "was unpacked before and is gone, expected it in .partial")
    }
    writing.insert(ref.hash)
    let (files, hashing) = (staging.dependencies.files, staging.dependencies.hashing)
    let target = "\(partialFolder(staging.dependencies.root))/\(ref.hash).\(randomId())"
    let named = NamedContent(ref, label: path)
    let source = try file.open()
    if ref.size > smallBytes {
      let body = try verified(.chunks(source), named, by: hashing)
      try files.write(target, body, createNew: true, sync: false)
      try queue.start(0) { [self] in
        try files.sync(target)
        add(path, ref, target)
      }
    } else {
      defer { source.close() }
      let bytes = try source.readAll()
      try queue.start(ref.size) { [self] in
        let body = try verified(.bytes(bytes), named, by: hashing)
        try files.write(target, body, createNew: true, sync: true)
        add(path, ref, target)
      }
    }
  }

  /// One content has one file: notes what is to be copied from another one.
  private func isSame(_ path: String, _ ref: ContentRef) -> Bool {
    guard writing.contains(ref.hash) || lock.withLock({ byHash[ref.hash] != nil }) else {
      return false
    }
    same.append((path, ref))
    tell(path)
    return true
  }

  /// A file that an earlier process unpacked, hashed again (DEV-20); `nil` when there is none.
  private func heldFile(_ path: String, _ ref: ContentRef) throws -> String? {
    let partials = staging.partials
    if ref.size == 0 || partials.bytes(of: ref) != ref.size { return nil }
    let content = try partials.open(NamedContent(ref, label: path))
    return try content.from == ref.size && content.finish() ? content.path : nil
  }

  private func add(_ path: String, _ ref: ContentRef, _ file: String) {
    lock.withLock {
      placed[path] = file
      byHash[ref.hash] = file
    }
    tell(path)
  }

  private func tell(_ path: String) {
    lock.withLock { _ = taken.insert(Utf8Key(text: path)) }
    staging.progress.report { $0.filesDone += 1 }
  }
}
